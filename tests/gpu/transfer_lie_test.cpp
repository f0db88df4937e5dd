// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, the instrument that gave rise to this project could still be believed: a transfer
// timer that stops when the copies have been enqueued, and its first repair, a wait on another
// stream that holds up nobody. It runs here as it was, on copies that are asynchronous.
#include <array>
#include <optional>

#include <gmock/gmock.h>

#include "harness/audit/auditor.h"
#include "probes/cupti/gpu_run_probe.h"
#include "probes/gpu_sentinel/gpu_sentinel_probe.h"
#include "probes/trace/contract_json.h"
#include "runtime/device/cuda/cuda_device.h"
#include "runtime/telemetry/clock.h"
#include "runtime/telemetry/range.h"
#include "tests/gpu/gpu_gate.h"

namespace assay::test {
namespace {

using model::verdict;

constexpr std::uint64_t copy_bytes = std::uint64_t{16} << 20;
constexpr int copies = 32;  ///< a window
constexpr int windows = 4;  ///< 0.5 GB each

/// Rows of the contract: one honest pair of events, two timers of the host, the bytes.
enum row : std::size_t { by_events, by_enqueue, by_fence, moved_bytes, row_total };

trace::contract_row row_of(std::string name, unit u, telemetry::counter_kind kind,
                           clock_domain clock, telemetry::measure measure) {
  trace::contract_row made;
  made.name = std::move(name);
  made.unit = u;
  made.kind = kind;
  made.clock = clock;
  made.bracket = "before the first copy to after the last, on the transfer stream";
  made.claims = {
      telemetry::activity::copy, telemetry::direction::h2d, telemetry::range::weights, measure, {}};
  made.pairs_with.reason = "its rate is not published";
  made.identity = "none";
  return made;
}

std::vector<trace::contract_row> contract() {
  using telemetry::counter_kind;
  using telemetry::measure;
  std::vector<trace::contract_row> rows(row_total);
  rows[by_events] = row_of("demo.events.h2d_ns", unit::ns, counter_kind::duration,
                           clock_domain::device_event, measure::span);
  rows[by_enqueue] = row_of("demo.enqueue.h2d_ns", unit::ns, counter_kind::duration,
                            clock_domain::device_event, measure::span);
  rows[by_fence] = row_of("demo.fence.h2d_ns", unit::ns, counter_kind::duration,
                          clock_domain::device_event, measure::span);
  rows[moved_bytes] = row_of("demo.upload.h2d_bytes", unit::bytes, counter_kind::count,
                             clock_domain::none, measure::bytes);
  return rows;
}

/// Uploads, three timers around each, and everybody who watches.
class upload_run {
 public:
  explicit upload_run(trace::sink& to) : to_(to) {}

  result<void> go() {
    ASSAY_TRY(open());
    ASSAY_TRY(known_answers());
    for (std::uint64_t window = 0; window < windows; ++window) ASSAY_TRY(upload(window));
    ASSAY_TRY(known_answers());
    sentinel_.reset();
    return to_.end();
  }

 private:
  result<void> open() {
    ASSAY_TRY_ASSIGN(probe_, probes::gpu_run_probe::open());
    ASSAY_TRY_ASSIGN(gpu_,
                     device::cuda_device::create({.memory_limit_bytes = std::uint64_t{4} << 30}));
    gpu_->set_observer(probe_.get());
    ASSAY_TRY_ASSIGN(transfer_, gpu_->create_stream());
    ASSAY_TRY_ASSIGN(compute_, gpu_->create_stream());
    ASSAY_TRY_ASSIGN(before_, gpu_->create_event());
    ASSAY_TRY_ASSIGN(after_, gpu_->create_event());
    ASSAY_TRY_ASSIGN(there_, gpu_->allocate(copy_bytes));
    ASSAY_TRY_ASSIGN(auto here, device::pinned_buffer::create(copy_bytes));
    here_.emplace(std::move(here));
    ASSAY_TRY(to_.contract(trace::to_json(contract())));
    trace::run_facts facts;
    facts.has_one_observer = true;
    ASSAY_TRY(to_.facts(trace::to_json(facts)));
    probes::gpu_sentinel_backend own = probes::on_cuda_stream(gpu_->native(transfer_));
    const auto launch = own.launch;
    own.launch = [this, launch](probes::gpu_fingerprint* at, std::int64_t spin_ns) {
      return gpu_->submit_kernels(transfer_, 1, [&](void*) { return launch(at, spin_ns); });
    };
    ASSAY_TRY_ASSIGN(sentinel_,
                     probes::gpu_sentinel_probe::create(*gpu_, transfer_, std::move(own)));
    return {};
  }

  result<void> known_answers() {
    ASSAY_TRY(sentinel_->issue());
    ASSAY_TRY(probe_->drain(to_));
    return sentinel_->report(to_);
  }

  result<void> upload(std::uint64_t index) {
    ASSAY_TRY(window(ASSAY_WINDOW_BEGIN, index));
    {
      const device::scoped_range range(*gpu_, telemetry::range::weights);
      ASSAY_TRY(gpu_->record_event(transfer_, before_));
      const std::int64_t begin_ns = host_now().ns;
      for (int i = 0; i < copies; ++i)
        ASSAY_TRY(gpu_->copy_async(transfer_, there_.address, here_->data(), copy_bytes,
                                   device::copy_direction::h2d));
      values_[by_enqueue] += host_now().ns - begin_ns;
      ASSAY_TRY(gpu_->record_event(transfer_, after_));
      ASSAY_TRY(gpu_->wait_event(compute_, after_));
      values_[by_fence] += host_now().ns - begin_ns;
    }
    ASSAY_TRY(gpu_->synchronize(transfer_));
    ASSAY_TRY(gpu_->synchronize(compute_));
    ASSAY_TRY_ASSIGN(const std::int64_t took_ns, gpu_->elapsed_ns(before_, after_));
    values_[by_events] += took_ns;
    values_[moved_bytes] += copies * static_cast<std::int64_t>(copy_bytes);
    const std::int64_t end_ns = host_now().ns;
    ASSAY_TRY(probe_->drain(to_));
    std::array<assay_reading, row_total> readings{};
    for (std::size_t i = 0; i < row_total; ++i) readings[i] = {values_[i], ASSAY_MEASURED, 0};
    ASSAY_TRY(to_.snapshot(end_ns, readings));
    return window(ASSAY_WINDOW_END, index, end_ns);
  }

  result<void> window(assay_record_kind kind, std::uint64_t index, std::int64_t end_ns = 0) {
    assay_record record{};
    record.kind = static_cast<std::uint8_t>(kind);
    record.op = ASSAY_WINDOW_OTHER;
    record.correlation = index;
    if (kind == ASSAY_WINDOW_BEGIN) record.start_ns = begin_ns_ = host_now().ns;
    if (kind == ASSAY_WINDOW_END) {
      record.start_ns = begin_ns_;
      record.end_ns = end_ns;
    }
    return to_.records({&record, 1});
  }

  trace::sink& to_;
  std::unique_ptr<probes::gpu_run_probe> probe_;
  std::unique_ptr<device::cuda_device> gpu_;
  std::optional<device::pinned_buffer> here_;
  device::buffer there_;
  device::stream transfer_;
  device::stream compute_;
  device::event before_;
  device::event after_;
  std::unique_ptr<probes::gpu_sentinel_probe> sentinel_;
  std::array<std::int64_t, row_total> values_{};
  std::int64_t begin_ns_ = 0;
};

TEST(Cupti5Transfer, timers_of_the_enqueue_are_named_as_what_they_are) {
  ASSAY_NEEDS_GPU();
  audit::auditor auditor;
  const auto ran = upload_run(auditor).go();
  ASSERT_TRUE(ran) << ran.error().message;
  const auto report = auditor.finish();
  ASSERT_TRUE(report) << report.error().message;
  for (const model::gate_line& gate : report->gates) EXPECT_TRUE(gate.holds) << gate.detail;
  for (const row which : {by_enqueue, by_fence}) {
    const model::counter_line& line = report->counters.at(which);
    EXPECT_EQ(line.verdict, verdict::disagree) << line.name << ": " << line.reason;
    EXPECT_THAT(line.reason, testing::HasSubstr("R01"));
  }
  EXPECT_EQ(report->findings.size(), 2U);
  for (const model::finding& found : report->findings) std::printf("%s\n", found.message.c_str());
  EXPECT_NE(report->counters.at(by_events).verdict, verdict::disagree);
  EXPECT_NE(report->counters.at(moved_bytes).verdict, verdict::disagree);
}

}  // namespace
}  // namespace assay::test
