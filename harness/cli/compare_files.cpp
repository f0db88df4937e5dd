// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare_files.h"

#include <utility>

#include <fmt/format.h>

#include "harness/compare/merged_run.h"
#include "harness/compare/run_file.h"
#include "harness/compare/run_report.h"
#include "harness/compare/stored_comparison.h"
#include "harness/ingest/formats.h"

namespace assay::cli {

result<model::comparison_report> compare_files(const file_comparison& what) {
  if (what.head.empty()) {
    ASSAY_TRY_ASSIGN(const ingest::file_text text, ingest::file_text::open(what.base));
    if (!compare::is_run_log(text.view()))
      return ASSAY_FAIL(usage,
                        fmt::format("{}: is no log of --out-samples; give HEAD too", what.base));
    ASSAY_TRY_ASSIGN(const compare::run_log log, compare::parse_run_log(text.view(), what.base));
    return compare::report_of(log);
  }
  ASSAY_TRY_ASSIGN(const model::sample_set base, ingest::read_results(what.base, what.metric));
  ASSAY_TRY_ASSIGN(const model::sample_set head, ingest::read_results(what.head, what.metric));
  compare::stored_rules rules;
  rules.decision = what.rules;
  rules.aliases = what.aliases;
  rules.is_control = what.is_control;
  rules.is_any_environment = what.is_any_environment;
  return compare::judge_stored(base, head, rules);
}

result<model::comparison_report> judge_shards(const std::vector<std::string>& logs) {
  std::vector<std::pair<std::string, compare::run_log>> all;
  for (const std::string& file : logs) {
    ASSAY_TRY_ASSIGN(const ingest::file_text text, ingest::file_text::open(file));
    ASSAY_TRY_ASSIGN(compare::run_log log, compare::parse_run_log(text.view(), file));
    all.emplace_back(file, std::move(log));
  }
  ASSAY_TRY_ASSIGN(const compare::run_log merged, compare::merge_runs(all));
  return compare::report_of(merged);
}

}  // namespace assay::cli
