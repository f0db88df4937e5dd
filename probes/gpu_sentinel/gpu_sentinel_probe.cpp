// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu_sentinel/gpu_sentinel_probe.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "probes/sentinel/known_answer.h"
#include "runtime/telemetry/range.h"

namespace assay::probes {
namespace {

constexpr std::uint64_t largest_round_bytes = std::uint64_t{64} << 20;
constexpr std::uint64_t odd_bytes = 4099;  // prime: no copy of the runtime ends like this
constexpr std::uint64_t part_of_limit = 16;
// A word in each so many bytes changes from issue to issue; all of 64 MiB would take the host
// longer than the copies.
constexpr std::size_t mark_bytes = 256;

// Murmur3's finaliser: neighbours have nothing in common.
std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 33)) * 0xff51afd7ed558ccd;
  word = (word ^ (word >> 33)) * 0xc4ceb9fe1a85ec53;
  return word ^ (word >> 33);
}

}  // namespace

std::uint64_t gpu_sentinel_probe::most_bytes() {
  return largest_round_bytes + odd_bytes;
}

result<std::unique_ptr<gpu_sentinel_probe>> gpu_sentinel_probe::create(
    device::device& on, device::stream stream, gpu_sentinel_backend backend) {
  const std::uint64_t bytes =
      std::min(largest_round_bytes, on.memory_limit_bytes() / part_of_limit) + odd_bytes;
  ASSAY_TRY_ASSIGN(auto sent, backend.host_memory(bytes));
  ASSAY_TRY_ASSIGN(auto received, backend.host_memory(bytes));
  const device::scoped_range range(on, telemetry::range::sentinel);
  ASSAY_TRY_ASSIGN(const device::buffer there, on.allocate(bytes));
  std::unique_ptr<gpu_sentinel_probe> made(
      new gpu_sentinel_probe(on, stream, std::move(backend), there));
  made->sent_ = std::move(sent);
  made->received_ = std::move(received);
  const gpu_fingerprint untouched;
  std::memcpy(made->sent().data(), &untouched, sizeof untouched);
  for (std::size_t at = sizeof untouched; at < bytes; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = mixed(at);
    std::memcpy(&made->sent()[at], &word, std::min(sizeof word, bytes - at));
  }
  return made;
}

gpu_sentinel_probe::gpu_sentinel_probe(device::device& on, device::stream stream,
                                       gpu_sentinel_backend backend, device::buffer there)
    : on_(on), stream_(stream), backend_(std::move(backend)), there_(there) {}

gpu_sentinel_probe::~gpu_sentinel_probe() {
  const device::scoped_range range(on_, telemetry::range::sentinel);
  // Work that a failed issue left behind still uses the buffers. What the device answers changes
  // nothing here: it is going away.
  static_cast<void>(on_.synchronize(stream_));
  static_cast<void>(on_.free(there_));
}

/// No two issues send the same: what an earlier one left, here or there, is wrong in each 256 bytes
/// and at the very end.
void gpu_sentinel_probe::mark() {
  ++issue_count_;
  const auto bytes = sent();
  for (std::size_t at = sizeof(gpu_fingerprint); at + sizeof(std::uint64_t) <= bytes.size();
       at += mark_bytes) {
    const std::uint64_t word = mixed(issue_count_ + (std::uint64_t{at} << 24));
    std::memcpy(&bytes[at], &word, sizeof word);
  }
  // Each byte of the last word differs from the issue before.
  std::uint64_t last = 0;
  std::byte* const end = &bytes[bytes.size() - sizeof last];
  std::memcpy(&last, end, sizeof last);
  last ^= 0x0101010101010101 * (issue_count_ % 255 + 1);
  std::memcpy(end, &last, sizeof last);
  // A fingerprint that an earlier issue fetched would pass for this one's.
  std::fill_n(received().begin(), sizeof(gpu_fingerprint), std::byte{0xa5});
}

result<void> gpu_sentinel_probe::issue() {
  mark();
  is_intact_ = false;
  const host_time from = host_now();
  issued_at_ = from;
  if (auto done = round_trip(); !done) {
    // The buffers are written again by the next issue: nothing may still be on its way to them.
    static_cast<void>(on_.synchronize(stream_));
    return done;
  }
  judge(from);
  return {};
}

result<void> gpu_sentinel_probe::round_trip() {
  const device::scoped_range range(on_, telemetry::range::sentinel);
  ASSAY_TRY(on_.copy_async(stream_, there_.address, sent_.get(), there_.bytes,
                           device::copy_direction::h2d));
  ASSAY_TRY(backend_.launch(reinterpret_cast<gpu_fingerprint*>(there_.address), spin_ns));
  ASSAY_TRY(on_.copy_async(stream_, received_.get(), there_.address, there_.bytes,
                           device::copy_direction::d2h));
  return on_.synchronize(stream_);
}

void gpu_sentinel_probe::judge(host_time from) {
  const issue_span when{from, host_now()};
  gpu_fingerprint left;
  std::memcpy(&left, received_.get(), sizeof left);
  const bool has_run = left.is_of_one_launch(spin_ns);
  const bool is_same = std::memcmp(sent_.get() + sizeof left, received_.get() + sizeof left,
                                   there_.bytes - sizeof left) == 0;
  is_intact_ = has_run && is_same;
  // One round trip cannot say which of its two copies was wrong.
  unreported_.push_back(
      sentinel_record(sentinel_kind::copy, ASSAY_H2D, there_.bytes, is_same, when));
  assay_record launch =
      sentinel_record(sentinel_kind::launch, ASSAY_H2D, gpu_fingerprint_blocks, has_run, when);
  launch.extra[1] = has_run ? left.last_ns - left.first_ns : 0;
  unreported_.push_back(launch);
  unreported_.push_back(
      sentinel_record(sentinel_kind::copy, ASSAY_D2H, there_.bytes, is_same, when));
}

result<void> gpu_sentinel_probe::report(trace::sink& to) {
  ASSAY_TRY(to.records(unreported_));
  unreported_.clear();
  return {};
}

}  // namespace assay::probes
