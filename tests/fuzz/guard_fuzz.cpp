// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as what a guard reads: the first byte says whether they are metrics, a log, a contract,
// source or a document. Readers must answer with parts that the input has, or with one line.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/guard/contract_start.h"
#include "harness/guard/contradictions.h"
#include "harness/guard/guard.h"
#include "harness/guard/name_book.h"
#include "harness/guard/source_tokens.h"
#include "harness/ingest/exposition.h"
#include "harness/ingest/guard_contract_json.h"
#include "runtime/telemetry/check.h"
#include "tests/fuzz/check_error.h"

namespace {

using namespace assay;

constexpr std::string_view small_contract = R"({"format": "assay.guard-contract", "version": 1,
 "metric_prefixes": ["a"], "variable_prefixes": ["A_"],
 "metrics": [{"name": "a_total", "kind": "counter", "unit": "count", "exercised": true},
             {"name": "a_seconds", "kind": "histogram", "unit": "seconds"},
             {"name": "a_ratio", "kind": "gauge", "unit": "ratio"}],
 "balances": [{"name": "b", "equation": "a_total{x=\"1\"} <= a_total"}],
 "ratios": [{"name": "r", "ratio": "a_ratio", "part": "a_total{x=\"1\"}", "whole": "a_total"}]})";

const model::guard_contract& contract() {
  static const auto parsed = ingest::parse_guard_contract(small_contract, "contract");
  ASSAY_CHECK(parsed.has_value(), "the contract of this target is none");
  return *parsed;
}

void check_snapshots(const std::vector<model::exposition>& all) {
  ASSAY_CHECK(!all.empty(), "no snapshot");
  for (const auto& each : all) {
    std::set<std::pair<std::string, std::string>> series;
    for (const auto& sample : each.samples)
      ASSAY_CHECK(series.emplace(sample.name, sample.labels).second, "a series is there twice");
    for (const auto& problem : each.problems) ASSAY_CHECK(!problem.what.empty(), "no reason");
  }
  const auto report = guard::judge(contract(), all, nullptr, nullptr);
  ASSAY_CHECK(report.checks.size() == guard::checks().size(), "a check is missing");
  // Begun from these very snapshots, a contract finds nothing in them but lines that are none.
  const auto begun = guard::contract_from(all);
  ASSAY_CHECK(guard::contradictions(begun).empty(), "a contract that was begun contradicts itself");
  for (const auto& found : guard::judge(begun, all, nullptr, nullptr).findings)
    ASSAY_CHECK(found.severity == model::severity::warning || found.check == "input",
                "a contract is broken by the file that it was begun from");
  static_cast<void>(guard::contract_as_json(begun));
}

void read_metrics(std::string_view text, bool is_log) {
  ingest::exposition_options options;
  if (is_log) options.patterns.push_back(*ingest::parse_log_pattern("a: {a_total} of {b}"));
  const auto all = ingest::parse_exposition(text, "metrics", options);
  if (all)
    check_snapshots(*all);
  else
    fuzz::check_error(all.error(), "metrics: ");
}

void read_contract(std::string_view text) {
  const auto parsed = ingest::parse_guard_contract(text, "contract");
  if (parsed)
    static_cast<void>(guard::contradictions(*parsed));
  else
    fuzz::check_error(parsed.error(), "contract: ");
}

void read_names(std::string_view text, std::string_view file) {
  const guard::language* spoken = guard::language_of(file, text);
  const char* last = text.data();
  guard::read_tokens(text, *spoken, [&](std::string_view token) {
    ASSAY_CHECK(token.data() >= last && token.data() + token.size() <= text.data() + text.size(),
                "a token is no part of the text, or not in its order");
    last = token.data();
  });
  guard::name_book book(contract());
  book.add_source(text, file);
  book.add_document(text, file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 10) {
    case 0:
    case 1:
      read_metrics(text, false);
      break;
    case 2:
      read_metrics(text, true);
      break;
    case 3:
      read_contract(text);
      break;
    case 4:
      read_names(text, "a.cpp");
      break;
    case 5:
      read_names(text, "a.rs");
      break;
    case 6:
      read_names(text, "a.py");
      break;
    case 7:
      read_names(text, "a.ts");
      break;
    case 8:
      read_names(text, "a.cs");
      break;
    default:
      read_names(text, "a.sh");
  }
  return 0;
}
