// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What each probe owes, whatever it observes. Without this: one more probe could answer zero where
// it knows nothing, repeat itself, or swallow that the trace is full.
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "probes/host_device/host_device_probe.h"
#include "probes/link/link_probe.h"
#include "probes/process/clock_probe.h"
#include "probes/process/thread_probe.h"
#include "probes/sentinel/sentinel_probe.h"
#include "runtime/device/host_device.h"
#include "tests/probes/host_sentinel_backend.h"
#include "tests/probes/recorded_trace.h"

namespace assay::probes {
namespace {

using test::recorded_trace;
using emit_function = std::function<result<void>(trace::sink&)>;

/// A probe as this suite sees it.
struct probe_case {
  std::string name;
  std::set<int> kinds;                     ///< what it may write
  std::function<emit_function()> working;  ///< a fresh one that has something to say each time
  std::function<emit_function()> blind;    ///< one whose source is gone; empty: it has none to lose
};

emit_function host_device_case() {
  auto probe = std::make_shared<host_device_probe>(8);
  return [probe](trace::sink& to) {
    for (std::uint64_t i = 1; i <= 9; ++i)  // one more than the ring holds
      probe->on_submission({.correlation = i,
                            .kind = device::operation_kind::launch,
                            .direction = {},
                            .accepted = true,
                            .stream = 0,
                            .range = 1,
                            .call_start_ns = 1,
                            .call_end_ns = 2,
                            .asked_bytes = 0});
    return probe->drain(to);
  };
}

emit_function thread_case(const std::string& process) {
  return [process](trace::sink& to) -> result<void> {
    const std::vector self{watched_thread{tid_of_this_thread(), thread_role::main}};
    ASSAY_TRY_ASSIGN(const auto probe, thread_probe::open(self, process));
    return probe.sample(to);
  };
}

emit_function clock_case(std::int64_t tick_ns) {
  auto now = std::make_shared<std::int64_t>(0);
  const clock_reader clock = [now, tick_ns] { return *now += tick_ns; };
  return [probe = clock_probe(clock, clock)](trace::sink& to) { return probe.sample(to); };
}

emit_function link_case() {
  auto probe = std::shared_ptr(link_probe::create({.read_working_set_bytes = 4096}).value());
  return [probe](trace::sink& to) { return probe->sample(to); };
}

emit_function sentinel_case() {
  struct parts {
    std::unique_ptr<device::host_device> device =
        device::host_device::create({.memory_limit_bytes = 1 << 20}).value();
    std::unique_ptr<sentinel_probe> probe =
        sentinel_probe::create(*device, device->create_stream().value()).value();
  };
  auto all = std::make_shared<parts>();
  return [all](trace::sink& to) -> result<void> {
    ASSAY_TRY(all->probe->issue());
    return all->probe->report(to);
  };
}

emit_function gpu_sentinel_case() {
  struct parts {
    std::unique_ptr<device::host_device> device =
        device::host_device::create({.memory_limit_bytes = 1 << 20, .threads = 1}).value();
    device::stream stream = device->create_stream().value();
    std::int64_t spin_error_ns = 0;
    std::unique_ptr<gpu_sentinel_probe> probe =
        gpu_sentinel_probe::create(*device, stream,
                                   test::host_sentinel_backend(*device, stream, spin_error_ns))
            .value();
  };
  auto all = std::make_shared<parts>();
  return [all](trace::sink& to) -> result<void> {
    ASSAY_TRY(all->probe->issue());
    return all->probe->report(to);
  };
}

std::vector<probe_case> all_probes() {
  return {{"host_device",
           {ASSAY_SUBMISSION, ASSAY_ACTIVITY, ASSAY_MEMORY, ASSAY_LOSS},
           host_device_case,
           {}},
          {"thread",
           {ASSAY_THREAD},
           [] { return thread_case("/proc/self"); },
           [] { return thread_case("/nowhere"); }},
          {"clock",
           {ASSAY_CLOCK_SAMPLE},
           [] { return clock_case(10); },
           [] { return clock_case(clock_probe::longest_bracket_ns); }},
          {"link", {ASSAY_LINK_SAMPLE}, link_case, {}},
          {"sentinel", {ASSAY_SENTINEL}, sentinel_case, {}},
          {"gpu_sentinel", {ASSAY_SENTINEL}, gpu_sentinel_case, {}}};
}

class ProbeContract : public testing::TestWithParam<probe_case> {};

TEST_P(ProbeContract, writes_only_its_kinds_and_well_formed) {
  const auto emit = GetParam().working();
  recorded_trace trace;
  ASSERT_TRUE(emit(trace));
  ASSERT_FALSE(trace.all.empty());
  for (const assay_record& record : trace.all) {
    EXPECT_TRUE(GetParam().kinds.contains(record.kind)) << int{record.kind};
    EXPECT_EQ(record.reserved, 0);
    EXPECT_TRUE(record.end_ns == 0 || record.start_ns <= record.end_ns);
  }
}

TEST_P(ProbeContract, can_be_asked_twice_and_repeats_nothing) {
  const auto emit = GetParam().working();
  recorded_trace first;
  recorded_trace second;
  ASSERT_TRUE(emit(first));
  ASSERT_TRUE(emit(second));
  EXPECT_EQ(first.all.size(), second.all.size());
}

TEST_P(ProbeContract, hands_on_that_the_trace_is_full_and_goes_on_later) {
  const auto emit = GetParam().working();
  recorded_trace trace;
  trace.refuses = true;
  const auto refused = emit(trace);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, error_kind::io);
  trace.refuses = false;
  EXPECT_TRUE(emit(trace));
  EXPECT_FALSE(trace.all.empty());
}

class BlindProbe : public testing::TestWithParam<probe_case> {};

TEST_P(BlindProbe, says_why_and_writes_nothing) {
  recorded_trace trace;
  const auto emitted = GetParam().blind()(trace);
  ASSERT_FALSE(emitted);
  EXPECT_EQ(emitted.error().kind, error_kind::unavailable);
  EXPECT_GT(emitted.error().message.size(), 20u) << "a reason";
  EXPECT_TRUE(trace.all.empty());
}

std::vector<probe_case> probes_that_can_be_blind() {
  std::vector<probe_case> some = all_probes();
  std::erase_if(some, [](const probe_case& probe) { return !probe.blind; });
  return some;
}

std::string name_of(const testing::TestParamInfo<probe_case>& probe) {
  return probe.param.name;
}

INSTANTIATE_TEST_SUITE_P(Each, ProbeContract, testing::ValuesIn(all_probes()), name_of);
INSTANTIATE_TEST_SUITE_P(Each, BlindProbe, testing::ValuesIn(probes_that_can_be_blind()), name_of);

}  // namespace
}  // namespace assay::probes
