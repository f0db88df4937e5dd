// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Everything that a check of the guard looks at, and where it writes what it saw.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/guard/name_book.h"
#include "harness/guard/series_index.h"
#include "reports/model/exposition.h"
#include "reports/model/guard_contract.h"
#include "reports/model/guard_report.h"

namespace assay::guard {

/// Null where nothing of the kind was given. Lifetime: points at what the caller holds.
struct subject {
  const model::guard_contract* contract = nullptr;
  std::vector<series_index> snapshots{};  ///< oldest first
  const name_book* documents = nullptr;
  const name_book* source = nullptr;
};

/// What one check saw.
class check_log {
 public:
  explicit check_log(std::string_view name) { effort_.name = name; }

  void looked(std::uint64_t samples = 1) { effort_.evaluated += samples; }
  /// Nothing could be looked at, and why. The last reason stays.
  void absent(std::string why) { effort_.absence = std::move(why); }
  void find(model::severity severity, std::string_view rule, std::string_view subject,
            std::string message, std::string where);
  /// The same, where another snapshot may show the same thing: only the first of a subject, a rule
  /// and a severity is told, with how many more there are.
  void find_first(model::severity severity, std::string_view rule, std::string_view subject,
                  std::string message, std::string where);
  /// The same, where something else says what is the same thing.
  void find_first_of(std::string key, model::severity severity, std::string_view subject,
                     std::string message, std::string where);
  void cannot_judge(std::string where, std::string what) {
    not_judged_.push_back({std::move(where), std::move(what)});
  }

  void move_into(model::guard_report& report) &&;

 private:
  model::guard_check effort_;
  std::vector<model::guard_finding> findings_;
  std::vector<std::uint64_t> repeats_;                 ///< beside findings_
  std::unordered_map<std::string, std::size_t> last_;  ///< of each key: where in findings_
  std::vector<model::skipped_input> not_judged_;
};

/// "FILE:LINE"; the file alone where the line is 0.
std::string place_of(std::string_view file, std::size_t line);

}  // namespace assay::guard
