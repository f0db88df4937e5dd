// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The flags by which a verb adds its result to a history.
#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "harness/history/database.h"
#include "harness/history/entry_of.h"

namespace assay::cli {

struct history_flags {
  std::string where;   ///< a file or a URL; empty: none is wanted
  std::string commit;  ///< what was measured
};

void add_history_flags(CLI::App& verb, history_flags& flags);

/// A history that a result will go to, opened before anything is measured. Without --history every
/// call does nothing.
class history_sink {
 public:
  static result<history_sink> open(const history_flags& flags);

  template <class Report>
  result<void> add(const Report& report, model::outcome outcome) {
    return kept_ == nullptr ? result<void>() : add(history::entry_of(report, outcome, commit_));
  }

 private:
  result<void> add(const history::entry& what);

  std::unique_ptr<history::database> kept_;
  std::string commit_;
};

}  // namespace assay::cli
