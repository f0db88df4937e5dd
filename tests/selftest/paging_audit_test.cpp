// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a run under a limit could be clean because nobody looks: its counters, its
// lies, and a cache that does something else than it says.
#include <algorithm>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "harness/cli/audited_run.h"
#include "harness/cli/event_span_tally.h"
#include "harness/cli/overlap_tally.h"
#include "harness/selftest/matrix.h"
#include "reports/model/outcome.h"
#include "reports/text/audit_text.h"
#include "tests/selftest/faulty_run.h"

namespace assay::selftest_test {
namespace {

using id = telemetry::counter_id;
using model::verdict;

cli::run_options limited_run() {
  cli::run_options options = short_run();
  options.context_tokens = 256;
  options.vram_limit = memory::vram_limit::parse("8MiB").value();
  return options;
}

model::audit_report audited(const cli::run_options& options) {
  selftest::instrument honest;
  memory_trace trace;
  const cli::track only{&honest, &trace};
  const auto ran = cli::audited_run(options, {&only, 1}, [](std::string_view) {});
  EXPECT_TRUE(ran.has_value()) << (ran ? "" : ran.error().message);
  return trace.audit();
}

const model::audit_report& honest_limited_report() {
  static const model::audit_report report = audited(limited_run());
  return report;
}

TEST(PagingAudit, is_clean_and_confirms_every_amount) {
  const model::audit_report& report = honest_limited_report();
  EXPECT_EQ(outcome_of(report), model::outcome::clean) << reports::audit_as_text(report);
  for (int i = 0; i < telemetry::counter_total; ++i) {
    const auto& line = report.counters.at(static_cast<std::size_t>(i));
    const bool is_amount = line.unit == "bytes" || line.unit == "count" || line.unit == "ratio";
    const bool is_ours =
        line.name.starts_with("runtime.paging.") || line.name.starts_with("runtime.embedding.");
    if (!is_ours || !is_amount) continue;
    EXPECT_EQ(line.verdict, verdict::agree) << line.name << ": " << line.reason;
  }
  EXPECT_EQ(line_of(report, id::paging_stall_ns).verdict, verdict::agree);
  EXPECT_EQ(line_of(report, id::paging_page_ins_count).verdict, verdict::agree);
  EXPECT_GT(line_of(report, id::paging_h2d_bytes).claimed.integer, 0) << "nothing was paged";
}

// A prompt that begins as the kept one did gathers rows for the rest alone, and the ledger knows.
TEST(PagingAudit, is_clean_where_prompts_share_their_beginning) {
  cli::run_options options = limited_run();
  std::string common = options.scenario.requests.front().prompt;
  options.scenario.requests[1].prompt = common + " and so on";
  options.scenario.requests[1].oracle_prompt_tokens = {};
  options.scenario.keeps_first_prompt = true;
  const model::audit_report report = audited(options);
  EXPECT_EQ(outcome_of(report), model::outcome::clean) << reports::audit_as_text(report);
}

TEST(PagingAudit, shows_each_counter_with_its_closed_form) {
  const std::string text = reports::audit_as_text(honest_limited_report());
  const auto section = text.find("weights under a limit");
  ASSERT_NE(section, std::string::npos);
  for (const char* part : {"closed form", "runtime.paging.prefetch_waste_bytes",
                           "runtime.paging.byte_hit_ratio", "ceiling host_memcpy"})
    EXPECT_NE(text.find(part, section), std::string::npos) << part;
}

// Where the machine had no core for a copy beside a kernel, nothing overlapped, and a ratio that
// says otherwise is no wrong amount but a phantom.
bool is_phantom_overlap(const model::audit_report& truth, const model::audit_report& told) {
  if (line_of(truth, id::paging_overlap_ratio).claimed.real != 0.0) return false;
  return std::any_of(told.findings.begin(), told.findings.end(), [](const model::finding& f) {
    return f.rule == "R14" && f.subject == name_of(id::paging_overlap_ratio);
  });
}

TEST(PagingAudit, kills_every_lie_of_a_limit_by_its_rule_and_spares_what_is_none) {
  struct staged {
    const selftest::lie* planted;
    selftest::strength how;
    std::unique_ptr<selftest::instrument> instrument;
    memory_trace trace;
  };
  selftest::instrument honest;
  memory_trace honest_trace;
  std::deque<staged> lying;
  for (const selftest::lie& planted : selftest::lies_under_limit())
    for (const auto how : {selftest::strength::gross, selftest::strength::just_inside}) {
      staged& added = lying.emplace_back();
      added.planted = &planted;
      added.how = how;
      added.instrument = planted.make(how);
    }
  std::vector<cli::track> tracks{{&honest, &honest_trace}};
  for (staged& each : lying) tracks.push_back({each.instrument.get(), &each.trace});
  const auto ran = cli::audited_run(limited_run(), tracks, [](std::string_view) {});
  ASSERT_TRUE(ran.has_value()) << ran.error().message;
  const model::audit_report truth = honest_trace.audit();
  for (const staged& each : lying) {
    const model::audit_report told = each.trace.audit();
    const auto result = judge(*each.planted, each.how, truth, told);
    EXPECT_TRUE(result.is_passed || is_phantom_overlap(truth, told))
        << each.planted->name << ": " << result.seen;
  }
}

// Everything it says is true of what it did; only it did not do what was asked: records and
// counters are of one mind, and the closed form alone is not.
TEST(PagingAudit, a_cache_that_is_lru_and_says_pin_is_found_by_the_closed_form) {
  cli::run_options options = limited_run();
  options.residency = memory::residency_kind::lru;
  const model::audit_report report = audited(options);
  EXPECT_EQ(outcome_of(report), model::outcome::found);
  const auto found = [&](std::string_view rule, id counter) {
    return std::any_of(
        report.findings.begin(), report.findings.end(),
        [&](const model::finding& f) { return f.rule == rule && f.subject == name_of(counter); });
  };
  EXPECT_TRUE(found("R04", id::paging_h2d_bytes)) << reports::audit_as_text(report);
  EXPECT_TRUE(found("R13", id::paging_hits_count));
  for (const model::reference& each : line_of(report, id::paging_h2d_bytes).references)
    EXPECT_EQ(each.holds, each.source != "ledger") << each.source;
}

/// One pass's records as a driver tells them: events are instants, stamped behind their moment.
class overlap_records {
 public:
  overlap_records& work(std::uint8_t op, std::int64_t start_ns, std::int64_t end_ns) {
    return add(op, op == ASSAY_OP_COPY ? range::paging : range::compute,
               op == ASSAY_OP_COPY ? 1 : 0, start_ns, end_ns);
  }
  overlap_records& kernel(std::int64_t start_ns, std::int64_t end_ns) {
    return work(ASSAY_OP_LAUNCH, start_ns, end_ns);
  }
  overlap_records& event(std::int64_t start_ns, std::int64_t end_ns) {
    return add(ASSAY_OP_EVENT, range::paging, 0, start_ns, end_ns);
  }
  cli::overlap_times times() const { return tally_.times(); }

 private:
  using range = telemetry::range;
  overlap_records& add(std::uint8_t op, range of, std::uint32_t stream, std::int64_t start_ns,
                       std::int64_t end_ns) {
    assay_record record{};
    record.kind = ASSAY_ACTIVITY;
    record.op = op;
    record.range = static_cast<std::uint16_t>(of);
    record.stream = stream;
    record.start_ns = start_ns;
    record.end_ns = end_ns;
    tally_.take(record);
    return *this;
  }
  cli::overlap_tally tally_;
};

// The event before a wait came between the end of the kernel and its stamp.
TEST(OverlapTally, a_wait_is_at_most_as_long_as_since_the_end_of_what_was_ahead) {
  overlap_records seen;
  seen.kernel(100, 200).event(212, 212).event(300, 300).kernel(302, 400);
  seen.work(ASSAY_OP_COPY, 150, 298);
  EXPECT_EQ(seen.times().stall_least_ns, 88);
  EXPECT_EQ(seen.times().stall_most_ns, 100);
}

// What a record encloses is no earlier than its start, however long the stream was idle.
TEST(OverlapTally, a_wait_between_enclosed_events_is_at_most_from_start_to_end) {
  overlap_records seen;
  seen.kernel(100, 200).event(212, 215).event(298, 300).kernel(302, 400);
  seen.work(ASSAY_OP_COPY, 150, 298);
  EXPECT_EQ(seen.times().stall_least_ns, 83);
  EXPECT_EQ(seen.times().stall_most_ns, 88);
}

// Copies of 90 to 110, waits of 20 to 30, a step of 400 to 420, each off by 1: what is hidden is 58
// to 92 of at most 111 and at least 89.
TEST(EventSpans, bound_the_overlap_from_both_sides_and_say_nothing_of_less_than_a_step) {
  cli::event_span_sums seen;
  const auto take = [&](telemetry::range of, std::uint8_t op, std::int64_t least_ns,
                        std::int64_t most_ns) {
    assay_record span{};
    span.kind = ASSAY_EVENT_SPAN;
    span.op = op;
    span.range = static_cast<std::uint16_t>(of);
    span.amount = most_ns;
    span.extra[0] = least_ns;
    span.extra[1] = 1;
    seen.take(span);
  };
  EXPECT_FALSE(cli::overlap_of(seen).is_known) << "nobody recorded an event";
  take(telemetry::range::paging, 0, 90, 110);
  take(telemetry::range::paging, ASSAY_OP_WAIT, 20, 30);
  take(telemetry::range::compute, 0, 400, 420);
  EXPECT_EQ(seen.waits.spans, 1);
  EXPECT_DOUBLE_EQ(cli::overlap_of(seen).least, 58.0 / 111.0);
  EXPECT_DOUBLE_EQ(cli::overlap_of(seen).most, 92.0 / 89.0);
  EXPECT_TRUE(seen.is_whole);
  assay_record loss{};
  loss.kind = ASSAY_LOSS;
  loss.direction = ASSAY_SOURCE_HARNESS_EVENTS;
  seen.take(loss);
  EXPECT_FALSE(seen.is_whole);
}

TEST(OverlapTally, counts_no_time_twice_in_which_kernels_overlap) {
  overlap_records seen;
  seen.kernel(100, 200).kernel(150, 260).kernel(160, 240);
  seen.work(ASSAY_OP_COPY, 120, 250);
  EXPECT_EQ(seen.times().work_ns, 160);
  EXPECT_EQ(seen.times().both_ns, 130);
}

}  // namespace
}  // namespace assay::selftest_test
