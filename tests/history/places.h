// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Where the tests of a history run: in a file, and on a server where there is one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/history/entry.h"

namespace assay::history_test {

/// An empty history, gone when the test is over.
class place {
 public:
  /// `kind`: file or postgres.
  explicit place(const std::string& kind);
  place(const place&) = delete;
  place& operator=(const place&) = delete;
  ~place();

  /// Why there is none; empty where there is.
  const std::string& absence() const { return absence_; }
  const std::string& where() const { return where_; }

 private:
  std::filesystem::path folder_;
  std::string where_;
  std::string absence_;
};

/// Entry number `number` of writer number `writer`: a fact, and three measures, one without a
/// value.
history::entry numbered_entry(int writer, int number);

}  // namespace assay::history_test
