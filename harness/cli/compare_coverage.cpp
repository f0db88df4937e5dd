// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare_coverage.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "harness/compare/coverage_change.h"
#include "harness/ingest/file_text.h"
#include "harness/ingest/lcov.h"

namespace assay::cli {
namespace {

using by_flag = std::map<std::string, model::coverage_data>;

std::pair<std::string, std::string> flag_and_file(const std::string& given) {
  const std::size_t equals = given.find('=');
  if (equals == std::string::npos) return {"all", given};
  return {given.substr(0, equals), given.substr(equals + 1)};
}

// Two files of one flag are two halves of one upload.
void merge(model::coverage_data& into, const model::coverage_data& more) {
  for (const auto& file : more) {
    model::file_coverage& to = into[file.first];
    for (const auto& line : file.second.line_hits) to.line_hits[line.first] += line.second;
    for (const auto& branch : file.second.branch_hits)
      to.branch_hits[branch.first] += branch.second;
  }
}

result<void> read(const std::vector<std::string>& given, by_flag& into) {
  for (const std::string& each : given) {
    const auto named = flag_and_file(each);
    if (named.first.empty() || named.second.empty())
      return ASSAY_FAIL(usage, fmt::format("'{}': write FLAG=FILE, such as unit=unit.info", each));
    ASSAY_TRY_ASSIGN(const auto text, ingest::file_text::open(named.second));
    ASSAY_TRY_ASSIGN(const auto data, ingest::parse_lcov(text.view(), named.second));
    merge(into[named.first], data);
  }
  return {};
}

}  // namespace

void add_coverage_flags(CLI::App& verb, coverage_flags& flags) {
  verb.add_option(
          "--base-coverage", flags.base,
          "FLAG=FILE: lines that the base's tests reached, as lcov writes it; may be repeated")
      ->allow_extra_args(false);
  verb.add_option("--head-coverage", flags.head, "The same of the head")->allow_extra_args(false);
  verb.add_option("--carried-coverage", flags.carried,
                  "FLAG=FILE: of an earlier commit, because the head's own was not measured")
      ->allow_extra_args(false);
  verb.add_option("--diff", flags.diff_file, "What the change wrote: git diff BASE HEAD");
}

result<std::optional<model::coverage_table>> coverage_table_of(const coverage_flags& flags) {
  if (flags.base.empty() && flags.head.empty() && flags.carried.empty()) {
    if (!flags.diff_file.empty())
      return ASSAY_FAIL(usage, "--diff: changes nothing without coverage; leave it out");
    return std::optional<model::coverage_table>();
  }
  compare::coverage_input input;
  ASSAY_TRY(read(flags.base, input.base));
  ASSAY_TRY(read(flags.head, input.head));
  by_flag carried;
  ASSAY_TRY(read(flags.carried, carried));
  for (auto& each : carried) {
    if (!input.head.emplace(each.first, std::move(each.second)).second)
      return ASSAY_FAIL(usage,
                        fmt::format("--carried-coverage: flag '{}' was measured for the head "
                                    "as well; give it once",
                                    each.first));
    input.carried[each.first] = "carried forward from an earlier commit, not measured for the head";
  }
  if (!flags.diff_file.empty()) {
    ASSAY_TRY_ASSIGN(const auto text, ingest::file_text::open(flags.diff_file));
    ASSAY_TRY_ASSIGN(input.touched, ingest::parse_diff(text.view(), flags.diff_file));
  }
  return std::optional(compare::coverage_change(input));
}

}  // namespace assay::cli
