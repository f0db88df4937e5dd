// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/host_stamps/host_stamps.h"

#include <ctime>

namespace assay::probes {
namespace {

struct stamp_arguments {
  std::atomic<std::int64_t>* to;
};

// Not the device's helper: a clock read that both shared would be wrong for both.
void stamp(const stamp_arguments& a, device::block_context&) {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  a.to->store(std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec, std::memory_order_release);
}

}  // namespace

host_stamps::host_stamps(device::device& on, device::stream stream, std::size_t count,
                         device::range_label label)
    : on_(on),
      stream_(stream),
      label_(label),
      at_ns_(std::make_unique<std::atomic<std::int64_t>[]>(count)) {}

result<void> host_stamps::record(std::size_t which) {
  at_ns_[which].store(0, std::memory_order_relaxed);
  const device::scoped_range ours(on_, label_);
  return on_.launch(
      stream_, device::kernel::bind<stamp_arguments, stamp>("harness stamp", {&at_ns_[which]}, 1));
}

// Whoever asks has waited for the work, and the stamp behind it may still be queued on a stream
// that nobody else waits for.
result<bool> host_stamps::is_reached(std::size_t which) {
  if (at_ns_[which].load(std::memory_order_acquire) == 0) {
    const device::scoped_range ours(on_, label_);
    ASSAY_TRY(on_.synchronize(stream_));
  }
  return at_ns_[which].load(std::memory_order_acquire) != 0;
}

result<float> host_stamps::elapsed_ms(std::size_t from, std::size_t to) {
  return static_cast<float>(static_cast<double>(at_ns_[to].load(std::memory_order_acquire) -
                                                at_ns_[from].load(std::memory_order_acquire)) /
                            1e6);
}

}  // namespace assay::probes
