// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a run beside a profiler could pass for one that was judged, or not be had at all,
// and a device that is lost could take along what was measured before.
//
// CUPTI has one session a process, and the tests of a suite whose name has another number need
// another process.
#include <array>
#include <filesystem>

#include <gmock/gmock.h>

#include "harness/audit/auditor.h"
#include "harness/cli/audited_run.h"
#include "probes/cupti/cupti_library.h"
#include "reports/model/outcome.h"
#include "reports/text/audit_text.h"
#include "scenarios/decode_scenario.h"
#include "tests/gpu/gpu_gate.h"
#include "tests/gpu/lost_context.h"

namespace assay::test {
namespace {

using model::verdict;
using testing::HasSubstr;

void ignore_callback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

/// Somebody who had CUPTI first.
class other_tool {
 public:
  result<void> subscribe() {
    ASSAY_TRY_ASSIGN(library_, probes::cupti_library::load());
    CUpti_SubscriberParams parameters{};
    parameters.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    parameters.subscriberName = "somebody else";
    return library_->attempt(
        library_->subscribe(&subscriber_, ignore_callback, nullptr, &parameters),
        "cuptiSubscribe_v2");
  }
  ~other_tool() {
    if (subscriber_ != nullptr) (void)library_->unsubscribe(subscriber_);
  }

 private:
  const probes::cupti_library* library_ = nullptr;
  CUpti_SubscriberHandle subscriber_ = nullptr;
};

const model::counter_line& line_of(const model::audit_report& report, std::string_view name) {
  for (const model::counter_line& line : report.counters)
    if (line.name == name) return line;
  ADD_FAILURE() << name << " is no counter";
  return report.counters.front();
}

bool has_source(const model::counter_line& line, std::string_view source) {
  for (const model::reference& each : line.references)
    if (each.source == source && each.compared_windows > 0 && each.holds) return true;
  return false;
}

result<cli::run_options> short_gpu_run() {
  ASSAY_TRY_ASSIGN(cli::run_options options, cli::default_run_options());
  const std::string here = "scenarios/embedded/micro-qwen3";
  if (std::filesystem::exists(here)) options.checkpoint = here;
  options.device = telemetry::device_class::cuda;
  options.arena_bytes = std::uint64_t{1} << 30;
  options.scenario = scenarios::single_prompt("In the beginning", 24);
  return options;
}

TEST(Cupti8Held, leaves_a_run_to_events_and_host_spans_and_names_the_holder) {
  ASSAY_NEEDS_GPU();
  other_tool holder;
  const auto held = holder.subscribe();
  ASSERT_TRUE(held) << held.error().message;

  const auto options = short_gpu_run();
  ASSERT_TRUE(options) << options.error().message;
  audit::auditor auditor;
  selftest::instrument honest;
  const cli::track only{&honest, &auditor};
  const auto ran = cli::audited_run(*options, {&only, 1}, [](std::string_view) {});
  ASSERT_TRUE(ran) << ran.error().message;
  const auto report = auditor.finish();
  ASSERT_TRUE(report) << report.error().message;
  const std::string text = reports::audit_as_text(*report);

  EXPECT_EQ(model::outcome_of(*report), model::outcome::undecided) << text;
  for (const char* name : {"runtime.weights.h2d_bytes", "runtime.compute.launches_count",
                           "runtime.compute.device_ns", "runtime.device.syncs_count"}) {
    EXPECT_EQ(line_of(*report, name).verdict, verdict::undecided) << name;
    EXPECT_THAT(line_of(*report, name).reason, HasSubstr("somebody else")) << name;
  }
  EXPECT_EQ(line_of(*report, "runtime.engine.generated_tokens").verdict, verdict::agree) << text;
  EXPECT_TRUE(has_source(line_of(*report, "runtime.compute.device_ns"), "harness events")) << text;
  for (const model::finding& found : report->findings) EXPECT_EQ(found.rule, "R28") << text;
  EXPECT_TRUE(report->gates.front().holds) << "events lie within the host's spans\n" << text;
  std::printf("%s", text.c_str());
}

/// Loses the device at a step in the middle of the run.
class device_loser final : public selftest::instrument {
 public:
  void on_call(const selftest::device_call& call, device::device&) noexcept override {
    const bool is_step = call.kind == device::operation_kind::launch &&
                         call.range == static_cast<device::range_label>(telemetry::range::compute);
    if (is_step && ++steps_ == 12) {
      EXPECT_EQ(write_nowhere(), cudaSuccess);
    }
  }

 private:
  int steps_ = 0;
};

TEST(Cupti7Lost, device_in_the_middle_of_a_run_keeps_what_came_before) {
  ASSAY_NEEDS_GPU();
  const auto options = short_gpu_run();
  ASSERT_TRUE(options) << options.error().message;
  audit::auditor auditor;
  audit::auditor other;
  selftest::instrument honest;
  device_loser loser;
  const std::array<cli::track, 2> tracks{{{&honest, &auditor}, {&loser, &other}}};
  const auto ran = cli::audited_run(*options, tracks, [](std::string_view) {});
  ASSERT_FALSE(ran);
  std::printf("%s\n", ran.error().message.c_str());
  EXPECT_EQ(ran.error().kind, error_kind::unavailable);
  EXPECT_THAT(ran.error().message, HasSubstr("lost to this process"));
  EXPECT_THAT(ran.error().message, testing::Not(HasSubstr("\n")));
  const auto report = auditor.finish();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_GT(report->window_count, 3U);
  EXPECT_EQ(model::outcome_of(*report), model::outcome::could_not_measure);
}

}  // namespace
}  // namespace assay::test
