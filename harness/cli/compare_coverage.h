// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Coverage files on the command line of `assay compare`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "reports/model/coverage_table.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

/// Each "FLAG=FILE", or a file by itself for the flag "all".
struct coverage_flags {
  std::vector<std::string> base;
  std::vector<std::string> head;
  std::vector<std::string> carried;
  std::string diff_file;
};

void add_coverage_flags(CLI::App& verb, coverage_flags& flags);

/// None where no flag was given. Errors: unusable_input, naming the file, the line and the reason;
/// usage for a diff without coverage.
result<std::optional<model::coverage_table>> coverage_table_of(const coverage_flags& flags);

}  // namespace assay::cli
