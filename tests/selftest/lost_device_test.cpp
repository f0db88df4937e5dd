// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a device that is lost in the middle of a run could take along what was measured
// before, or leave a trace that passes for a whole run.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/cli/audit_file.h"
#include "harness/cli/exit_code.h"
#include "harness/cli/kept_trace.h"
#include "harness/cli/temporary_file.h"
#include "probes/trace/trace_writer.h"
#include "reports/model/outcome.h"
#include "tests/selftest/faulty_run.h"

namespace assay::selftest_test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Passes calls on until it has passed so many, then none.
class lost_device final : public device::device {
 public:
  using stream = assay::device::stream;
  using event = assay::device::event;
  using buffer = assay::device::buffer;

  lost_device(std::unique_ptr<assay::device::host_device> behind, int calls)
      : behind_(std::move(behind)), calls_left_(calls) {}

  result<buffer> allocate(std::uint64_t bytes) override { return behind_->allocate(bytes); }
  result<void> free(buffer what) override { return behind_->free(what); }
  std::uint64_t memory_limit_bytes() const override { return behind_->memory_limit_bytes(); }
  result<stream> create_stream() override { return behind_->create_stream(); }
  result<event> create_event() override { return behind_->create_event(); }
  result<void> copy_async(stream on, void* to, const void* from, std::uint64_t bytes,
                          assay::device::copy_direction direction) override {
    ASSAY_TRY(still_there());
    return behind_->copy_async(on, to, from, bytes, direction);
  }
  result<void> launch(stream on, const assay::device::kernel& what) override {
    ASSAY_TRY(still_there());
    return behind_->launch(on, what);
  }
  result<void> record_event(stream on, event what) override {
    ASSAY_TRY(still_there());
    return behind_->record_event(on, what);
  }
  result<void> wait_event(stream on, event what) override { return behind_->wait_event(on, what); }
  result<bool> is_reached(event what) override { return behind_->is_reached(what); }
  // What a lost device was given is over with it: no copy of the host's reads on behind its back.
  result<void> synchronize(stream on) override {
    ASSAY_TRY(behind_->synchronize(on));
    return still_there();
  }
  result<std::int64_t> elapsed_ns(event from, event to) override {
    return behind_->elapsed_ns(from, to);
  }
  assay::device::range_label set_range(assay::device::range_label label) noexcept override {
    return behind_->set_range(label);
  }
  void set_observer(assay::device::observer* who) noexcept override { behind_->set_observer(who); }

 private:
  result<void> still_there() {
    if (calls_left_-- > 0) return {};
    return ASSAY_FAIL(unavailable, "cudaStreamSynchronize: the device is lost");
  }

  std::unique_ptr<assay::device::host_device> behind_;
  int calls_left_;
};

error run_until_lost(int calls, const std::string& path) {
  const auto make = [calls](const device::host_device_options& wanted) -> result<cli::made_device> {
    ASSAY_TRY_ASSIGN(auto behind, device::host_device::create(wanted));
    device::host_device* executor = behind.get();
    return cli::made_device{std::make_unique<lost_device>(std::move(behind), calls), executor};
  };
  auto writer = trace::trace_writer::open(path);
  EXPECT_TRUE(writer);
  selftest::instrument honest;
  const cli::track only{&honest, &*writer};
  auto ran = cli::audited_run(
      short_run(), {&only, 1}, [](std::string_view) {}, make);
  EXPECT_FALSE(ran) << "it was not lost";
  return ran ? error{} : ran.error();
}

TEST(LostDevice, in_a_step_leaves_one_line_and_what_was_measured_before) {
  const auto file = cli::temporary_file::create().value();
  const error why = run_until_lost(600, file.path());
  const error told = cli::end_of_trace(why, file.path(), true);
  EXPECT_EQ(cli::exit_code_of(told.kind), cli::exit_code::could_not_measure);
  EXPECT_THAT(told.message, HasSubstr("the device is lost"));
  EXPECT_THAT(told.message, HasSubstr("assay audit " + file.path()));
  EXPECT_THAT(told.message, Not(HasSubstr("\n")));

  const auto report = cli::audit_file(file.path());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_GT(report->window_count, 5U) << "steps came before it";
  EXPECT_FALSE(report->is_complete);
  EXPECT_EQ(model::outcome_of(*report), model::outcome::could_not_measure);
}

TEST(LostDevice, before_anything_was_measured_leaves_nothing) {
  const auto file = cli::temporary_file::create().value();
  const error told = cli::end_of_trace(run_until_lost(3, file.path()), file.path(), true);
  EXPECT_THAT(told.message, Not(HasSubstr("assay audit")));
  EXPECT_FALSE(std::filesystem::exists(file.path()));
}

TEST(LostDevice, without_a_named_trace_is_told_how_to_keep_one) {
  const auto file = cli::temporary_file::create().value();
  const error told = cli::end_of_trace(run_until_lost(600, file.path()), file.path(), false);
  EXPECT_THAT(told.message, HasSubstr("--out-trace"));
}

}  // namespace
}  // namespace assay::selftest_test
