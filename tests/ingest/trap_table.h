// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// tests/fixtures/compare/traps/verdicts.tsv: pairs of files that are easily misread, each with its
// verdict.
#pragma once

#include <string>
#include <vector>

#include "reports/model/comparison_report.h"

namespace assay::ingest_test {

struct trap {
  std::string complaint, name, files, outcome, rows, more;
};

std::string trap_folder();
std::vector<trap> traps();

/// Of "base" or "head": a file, or a folder of files.
std::string side_path(const trap& each, const char* side);

/// "inconclusive=9 removed=1", in the order of the states.
std::string states_of(const model::comparison_report& report);

}  // namespace assay::ingest_test
