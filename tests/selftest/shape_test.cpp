// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file the corpus could lie in a form that no run has, and its rules would be proved
// on traces that they never meet: what fixtures are made of must be what a live run is made of.
#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "probes/trace/contract_json.h"
#include "probes/trace/sink.h"
#include "tests/audit/corpus.h"
#include "tests/audit/shares.h"
#include "tests/selftest/faulty_run.h"

namespace assay::selftest_test {
namespace {

using shape = std::set<std::string>;

/// What a trace is made of: each kind of record with what it may hold, in which window it stands,
/// what comes before what. No value, no count, no name.
class shape_sink final : public trace::sink {
 public:
  result<void> contract(std::string_view json) override {
    ASSAY_TRY_ASSIGN(const auto rows, trace::parse_contract(json));
    for (const trace::contract_row& row : rows)
      seen.insert(fmt::format("row {} of {}, clock {}, claims {} of {}", int(row.kind),
                              row.unit == unit::ns ? "ns" : "other", int(row.clock),
                              int(row.claims.measure), int(row.claims.kind)));
    return {};
  }
  result<void> facts(std::string_view) override { return {}; }
  result<void> records(std::span<const assay_record> records) override {
    for (const assay_record& each : records) take(each);
    return {};
  }
  result<void> snapshot(std::int64_t, std::span<const assay_reading> readings) override {
    for (const assay_reading& each : readings) seen.insert(fmt::format("reading {}", each.state));
    has_snapshot_ = true;
    return {};
  }
  result<void> end() override { return {}; }

  shape seen;

 private:
  void take(const assay_record& r) {
    const int within = open_.empty() ? 0 : open_.back();
    switch (r.kind) {
      case ASSAY_WINDOW_BEGIN:
        seen.insert(fmt::format("window {} in {}", r.op, within));
        open_.push_back(r.op);
        break;
      case ASSAY_WINDOW_END:
        seen.insert(fmt::format("window {} ends {} a snapshot", r.op,
                                has_snapshot_ ? "behind" : "without"));
        if (!open_.empty()) open_.pop_back();
        break;
      case ASSAY_SUBMISSION:
        calls_.insert(r.correlation);
        seen.insert(fmt::format("call {} {}, {} a range, in {}", r.op, r.direction,
                                r.range != 0 ? "with" : "without", within));
        break;
      case ASSAY_ACTIVITY:
        seen.insert(fmt::format("work {} {}, {} a range, {} its call, in {}", r.op, r.direction,
                                r.range != 0 ? "with" : "without",
                                calls_.count(r.correlation) != 0 ? "behind" : "before", within));
        break;
      case ASSAY_OBSERVATION:
        // Which window a reference is of is the scenario's choice; that it is of one is not.
        seen.insert(fmt::format("source {} says {}", r.direction, r.op));
        seen.insert(fmt::format("observation in {}", within));
        break;
      case ASSAY_MEMORY:
        seen.insert(fmt::format("memory {} in {}", r.op, within));
        break;
      case ASSAY_CONDITION:
        seen.insert(fmt::format("condition in {}", within));
        break;
      default:
        seen.insert(fmt::format("record {}", r.kind));
    }
    has_snapshot_ = has_snapshot_ && r.kind != ASSAY_WINDOW_BEGIN && r.kind != ASSAY_WINDOW_END;
  }

  std::vector<int> open_;
  std::set<std::uint64_t> calls_;
  bool has_snapshot_ = false;
};

const shape& live() {
  static const shape seen = [] {
    shape_sink sink;
    const faulty_run run = run_with({});
    run.trace->feed(sink);
    return sink.seen;
  }();
  return seen;
}

// Two things that the format has and this scenario has not: a host span that is close on both sides
// at once (here it comes as two bounds), and a reference of a prefill by itself.
const shape& by_the_format() {
  static const shape known{
      fmt::format("source {} says {}", int(ASSAY_SOURCE_HOST_SPAN), int(ASSAY_NEAR)),
      fmt::format("observation in {}", int(ASSAY_WINDOW_PREFILL))};
  return known;
}

shape beyond_live(const audit_test::test_trace& fixture) {
  shape_sink sink;
  fixture.feed(sink);
  shape beyond;
  std::set_difference(sink.seen.begin(), sink.seen.end(), live().begin(), live().end(),
                      std::inserter(beyond, beyond.end()));
  for (const std::string& each : by_the_format()) beyond.erase(each);
  return beyond;
}

TEST(Shape, of_the_honest_fixtures_is_that_of_a_live_run) {
  EXPECT_THAT(beyond_live(audit_test::simulate()), testing::IsEmpty());
  EXPECT_THAT(beyond_live(audit_test::with_shares(audit_test::simulate())), testing::IsEmpty());
}

// What a lie adds is what the live run has not, or it were no fault of the records: a loss, a
// record without its call. A lie of a counter adds nothing.
TEST(Shape, of_a_lie_differs_by_its_fault_alone) {
  for (const auto& each : audit_test::corpus()) {
    const shape beyond = beyond_live(each.make());
    EXPECT_TRUE(beyond.empty() || each.how == audit_test::ending::undecided || each.rule == "R29")
        << each.name << ": " << testing::PrintToString(beyond);
  }
}

// Within one, reading them would be time of the engine's.
TEST(Shape, the_machine_s_state_is_sampled_in_no_window) {
  for (const std::string& each : live())
    EXPECT_TRUE(!each.starts_with("condition ") || each == "condition in 0") << each;
  EXPECT_EQ(live().count("condition in 0"), 1u);
}

// The other way round: what a live run holds and no fixture has. A rule that looked at more than
// these would be proved by no fixture.
TEST(Shape, of_a_live_run_holds_no_record_that_no_fixture_has) {
  shape_sink sink;
  audit_test::with_shares(audit_test::simulate()).feed(sink);
  std::set<std::string> kinds;
  for (const std::string& each : live())
    if (each.starts_with("record ") && sink.seen.count(each) == 0) kinds.insert(each);
  const shape elsewhere{fmt::format("record {}", int(ASSAY_THREAD)),
                        fmt::format("record {}", int(ASSAY_EVENT_SPAN))};
  for (const std::string& each : kinds)
    EXPECT_TRUE(elsewhere.count(each) != 0 ||
                each == fmt::format("record {}", int(ASSAY_LINK_SAMPLE)))
        << each;
}

}  // namespace
}  // namespace assay::selftest_test
