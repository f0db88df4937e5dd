// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/guard/guarded.h"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "harness/guard/guard.h"
#include "harness/guard/name_book.h"
#include "harness/ingest/exposition.h"
#include "harness/ingest/guard_contract_json.h"

namespace assay::guard_test {
namespace {

constexpr std::int64_t first_of_december_ms = 1796083200000;

std::vector<model::exposition> read_text(const named_text& from) {
  ingest::exposition_options options;
  options.now_unix_ms = first_of_december_ms;
  auto all = ingest::parse_exposition(from.text, from.file, options);
  if (!all) ADD_FAILURE() << all.error().message;
  return all ? std::move(*all) : std::vector<model::exposition>();
}

}  // namespace

named_text fixture(std::string_view name) {
  const std::string path = std::string(ASSAY_FIXTURES) + "/guard/" + std::string(name);
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::string(name), std::string(std::istreambuf_iterator<char>(file), {})};
}

model::guard_report report_of(const named_text& contract_text, const guarded& what,
                              std::span<const guard::check> with) {
  const auto contract = ingest::parse_guard_contract(contract_text.text, contract_text.file);
  if (!contract) {
    ADD_FAILURE() << contract.error().message;
    return {};
  }
  std::vector<model::exposition> snapshots;
  for (const named_text& each : what.metrics)
    for (auto& snapshot : read_text(each)) snapshots.push_back(std::move(snapshot));
  guard::name_book documents(*contract);
  for (const named_text& each : what.documents) documents.add_document(each.text, each.file);
  guard::name_book source(*contract);
  for (const named_text& each : what.source)
    EXPECT_TRUE(source.add_source(each.text, each.file)) << each.file;
  return guard::judge(*contract, snapshots, what.documents.empty() ? nullptr : &documents,
                      what.source.empty() ? nullptr : &source, with);
}

std::set<std::string> found_in(const model::guard_report& report) {
  std::set<std::string> all;
  for (const auto& found : report.findings) all.insert(found.check + " " + found.subject);
  return all;
}

std::vector<model::exposition> read(std::string_view text) {
  return read_text(named_text{"m.prom", std::string(text)});
}

named_text contract_with(std::string_view metric, std::string_view further) {
  return {"contract.json", R"({"format": "assay.guard-contract", "version": 1, "metrics": [)" +
                               std::string(metric) + "]" + std::string(further) + "}"};
}

}  // namespace assay::guard_test
