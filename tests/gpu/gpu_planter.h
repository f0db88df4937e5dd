// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Makes things of known length happen on a GPU in chosen decode steps of a live run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/cli/no_sink.h"
#include "harness/cli/track.h"
#include "probes/trace/sink.h"
#include "runtime/device/cuda/cuda_device.h"
#include "tests/attribution/planted_records.h"
#include "tests/gpu/planted_kernels.h"
#include "tests/selftest/planted_run.h"

namespace assay::test {

/// An instrument beside the runtime which plants when a decode step's wait has returned: a step is
/// one replay and one wait, so that the device has nothing left to do and a plant overlaps nothing.
/// It asks the device that the runtime asks, on a stream of its own: the observers see a plant as
/// they see a step. As a sink it sees the harness's windows, which say which step is open.
///
///     launch          a kernel until the GPU's clock has gone on by so much; its own two reads
///     h2d, d2h        a copy of page-locked memory between two events, all three held back by a
///                     kernel until they are queued; the events
///     launch gap      a function of the host holds the stream up, behind it a kernel whose call
///                     has returned; from that return to the kernel's first write
///     submission      the caller spins within a call that submits; two clock reads around the call
///     wait            a function of the host holds the stream up, nothing is behind it, the caller
///                     waits in a call; two clock reads around that call
///     unclaimed       the caller sleeps outside of any call; two clock reads
///     unclaimed fifth likewise, for a quarter of what undisturbed steps took so far
///
/// Threads: the run's. Errors: the first one ends the planting and is kept.
class gpu_planter final : public selftest::instrument {
 public:
  using planted_length = attribution_test::planted_length;

  explicit gpu_planter(std::vector<selftest_test::plant> plan)
      : plan_(std::move(plan)), sink_(*this) {}

  void on_call(const selftest::device_call& call, device::device& real) noexcept override;

  cli::track track() { return {this, &sink_}; }
  const std::vector<planted_length>& plants() const { return plants_; }
  /// Around the one allocation that it makes, in the first prefill.
  const selftest_test::stamps& allocation() const { return allocation_; }
  const result<void>& outcome() const { return outcome_; }

 private:
  // What the harness writes of its windows.
  class window_sink final : public trace::sink {
   public:
    explicit window_sink(gpu_planter& of) : of_(of) {}
    result<void> contract(std::string_view) override { return {}; }
    result<void> facts(std::string_view) override { return {}; }
    result<void> records(std::span<const assay_record> records) override;
    result<void> snapshot(std::int64_t, std::span<const assay_reading>) override { return {}; }
    result<void> end() override { return {}; }

   private:
    gpu_planter& of_;
  };

  // Page-locked: written by kernels and by the stream's function, read by the caller.
  struct desk {
    gpu_stamps spun;
    std::uint32_t flag;
    std::int64_t held_ns;  ///< for how long the stream's function holds it up
  };

  desk& shared() const { return *reinterpret_cast<desk*>(memory_->data()); }
  static constexpr std::uint64_t copied_at = 4096;  // a page of its own
  std::byte* copied_bytes() const { return memory_->data() + copied_at; }

  result<void> open(device::device& real);
  result<void> warm_up(device::device& real);
  result<planted_length> plant_now(device::device& real, const selftest_test::plant& what);
  result<planted_length> plant_launch(device::device& real, planted_length made,
                                      std::int64_t length_ns);
  result<planted_length> plant_copy(device::device& real, planted_length made, bool goes_in);
  result<planted_length> plant_gap(device::device& real, planted_length made,
                                   std::int64_t length_ns);
  result<planted_length> plant_submission(device::device& real, planted_length made,
                                          std::int64_t length_ns);
  result<planted_length> plant_wait(device::device& real, planted_length made,
                                    std::int64_t length_ns);
  template <class Enqueue>
  result<void> submit(device::device& real, Enqueue enqueue);
  result<void> spin_on_gpu(device::device& real, std::int64_t length_ns);
  std::int64_t fifth_ns() const;

  std::vector<selftest_test::plant> plan_;
  window_sink sink_;
  std::vector<planted_length> plants_;
  result<void> outcome_;

  std::optional<device::pinned_buffer> memory_;
  device::stream own_;
  device::event before_;
  device::event after_;
  device::buffer there_;
  selftest_test::stamps allocation_;

  std::uint8_t open_window_ = 0;  ///< the pass that is open, 0 none
  std::uint64_t open_step_ = 0;
  bool is_planted_ = false;  ///< in the open step
  std::vector<std::int64_t> undisturbed_ns_;
};

}  // namespace assay::test
