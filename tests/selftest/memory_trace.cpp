// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/selftest/memory_trace.h"

#include "runtime/telemetry/check.h"

namespace assay::selftest_test {

result<void> memory_trace::contract(std::string_view json) {
  pieces_.emplace_back(contract_piece{std::string(json)});
  return {};
}

result<void> memory_trace::facts(std::string_view json) {
  pieces_.emplace_back(facts_piece{std::string(json)});
  return {};
}

result<void> memory_trace::records(std::span<const assay_record> records) {
  pieces_.emplace_back(records_piece{{records.begin(), records.end()}});
  return {};
}

result<void> memory_trace::snapshot(std::int64_t at_ns, std::span<const assay_reading> readings) {
  pieces_.emplace_back(snapshot_piece{at_ns, {readings.begin(), readings.end()}});
  return {};
}

result<void> memory_trace::end() {
  pieces_.emplace_back(end_piece{});
  return {};
}

std::vector<assay_record> memory_trace::all_records() const {
  std::vector<assay_record> all;
  for (const piece& each : pieces_)
    if (const auto* some = std::get_if<records_piece>(&each))
      all.insert(all.end(), some->records.begin(), some->records.end());
  return all;
}

result<void> memory_trace::feed_one(const piece& what, trace::sink& into, const damage& with) {
  if (const auto* one = std::get_if<contract_piece>(&what)) return into.contract(one->json);
  if (const auto* one = std::get_if<facts_piece>(&what)) return into.facts(one->json);
  if (const auto* one = std::get_if<snapshot_piece>(&what))
    return into.snapshot(one->at_ns, one->readings);
  if (const auto* some = std::get_if<records_piece>(&what)) {
    if (!with) return into.records(some->records);
    std::vector<assay_record> kept;
    for (const assay_record& record : some->records) with(record, kept);
    return into.records(kept);
  }
  return into.end();
}

void memory_trace::feed(trace::sink& into, const damage& with) const {
  for (const piece& each : pieces_)
    ASSAY_CHECK(feed_one(each, into, with).has_value(), "a recorded trace was refused");
}

model::audit_report memory_trace::audit(const damage& with,
                                        std::span<const audit::rule> rules) const {
  audit::auditor judge(rules);
  feed(judge, with);
  return judge.finish().value();
}

}  // namespace assay::selftest_test
