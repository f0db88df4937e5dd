// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a change did to coverage, as plain structs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::model {

struct coverage_count {
  std::uint64_t covered = 0;
  std::uint64_t total = 0;
  /// None of nothing: no share.
  std::optional<double> ratio() const {
    return total == 0 ? std::nullopt
                      : std::optional(static_cast<double>(covered) / static_cast<double>(total));
  }
};

struct coverage_totals {
  coverage_count lines{};
  coverage_count branches{};
  coverage_count files{};  ///< covered: with at least one line that was reached
};

/// One upload flag: unit tests, say. A side that is absent was not uploaded, which is not 0.
struct coverage_flag {
  std::string name{};
  std::optional<coverage_totals> base{};
  std::optional<coverage_totals> head{};
  std::optional<coverage_count>
      touched{};          ///< of the lines that the change wrote and that have code
  std::string unknown{};  ///< why a difference cannot be told; empty where it can
  /// Files that the change wrote to and that the head's upload does not have: of their lines
  /// nothing is known, and `touched` does not count them.
  std::vector<std::string> unseen_files{};
  std::vector<std::string> gone_files{};  ///< of the base's upload, which the head's does not have
  std::string carried{};                  ///< where the head's figures were carried forward from
};

struct coverage_loss {
  std::string flag{};
  std::string file{};
  coverage_count base{};
  coverage_count head{};
};

struct coverage_table {
  std::vector<coverage_flag> flags{};   ///< by name
  std::vector<coverage_loss> losses{};  ///< the largest first
  std::string touched_absence{};        ///< why no flag has `touched`
};

}  // namespace assay::model
