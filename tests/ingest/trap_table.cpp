// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/ingest/trap_table.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "reports/model/comparison_outcome.h"

namespace assay::ingest_test {

std::string trap_folder() {
  return ASSAY_FIXTURES "/compare/traps/";
}

std::vector<trap> traps() {
  std::ifstream in(trap_folder() + "verdicts.tsv");
  std::vector<trap> all;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::stringstream cells(line);
    trap each;
    for (std::string* cell :
         {&each.complaint, &each.name, &each.files, &each.outcome, &each.rows, &each.more})
      std::getline(cells, *cell, '\t');
    all.push_back(each);
  }
  return all;
}

std::string side_path(const trap& each, const char* side) {
  const std::string path = trap_folder() + each.name + "/" + side;
  return std::filesystem::is_directory(path) ? path : path + "." + each.files;
}

std::string states_of(const model::comparison_report& report) {
  std::string words;
  for (const model::row_state state : model::all_row_states)
    if (const std::size_t count = model::count_of(report, state); count > 0)
      words +=
          (words.empty() ? "" : " ") + std::string(to_string(state)) + "=" + std::to_string(count);
  return words;
}

}  // namespace assay::ingest_test
