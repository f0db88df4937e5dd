// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/sentinel/sentinel_probe.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "probes/sentinel/fingerprint.h"
#include "probes/sentinel/known_answer.h"
#include "runtime/telemetry/range.h"

namespace assay::probes {

namespace {

constexpr std::uint64_t largest_round_bytes = 1 << 20;
constexpr std::uint64_t odd_bytes = 4099;  // prime: no copy of the runtime ends like this
constexpr std::uint64_t part_of_arena = 16;

/// Fills with numbers that no other issue has. Multiplication by an odd constant and a shift
/// (SplitMix64's constants): each word differs, so bytes that end up elsewhere show.
void fill_pattern(std::span<std::byte> what, std::uint64_t issue) {
  for (std::size_t at = 0; at < what.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = (issue << 32) + at + 0x9e3779b97f4a7c15;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word ^= word >> 27;
    std::memcpy(&what[at], &word, std::min(sizeof word, what.size() - at));
  }
}

}  // namespace

std::uint64_t sentinel_probe::needed_bytes(std::uint64_t arena_bytes) {
  return std::min(largest_round_bytes, arena_bytes / part_of_arena) + odd_bytes;
}

result<std::unique_ptr<sentinel_probe>> sentinel_probe::create(device::device& on,
                                                               device::stream stream) {
  const device::scoped_range range(on, telemetry::range::sentinel);
  const std::uint64_t bytes = needed_bytes(on.memory_limit_bytes());
  ASSAY_TRY_ASSIGN(const device::buffer there, on.allocate(bytes));
  return std::unique_ptr<sentinel_probe>(new sentinel_probe(on, stream, there));
}

sentinel_probe::sentinel_probe(device::device& on, device::stream stream, device::buffer there)
    : on_(on), stream_(stream), there_(there), sent_(there.bytes), received_(there.bytes) {}

sentinel_probe::~sentinel_probe() {
  const device::scoped_range range(on_, telemetry::range::sentinel);
  // Work that a failed issue left behind still uses the buffers. What the device answers changes
  // nothing here: it is going away.
  static_cast<void>(on_.synchronize(stream_));
  static_cast<void>(on_.free(there_));
}

result<void> sentinel_probe::issue() {
  fill_pattern(sent_, ++issue_count_);
  std::fill_n(sent_.begin(), sizeof(fingerprint_result), std::byte{0});
  std::fill(received_.begin(), received_.end(), std::byte{0xa5});
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

result<void> sentinel_probe::round_trip() {
  const device::scoped_range range(on_, telemetry::range::sentinel);
  auto* const at = reinterpret_cast<fingerprint_result*>(there_.address);
  ASSAY_TRY(on_.copy_async(stream_, there_.address, sent_.data(), sent_.size(),
                           device::copy_direction::h2d));
  ASSAY_TRY(on_.launch(stream_, fingerprint(at, spin_ns)));
  ASSAY_TRY(on_.copy_async(stream_, received_.data(), there_.address, received_.size(),
                           device::copy_direction::d2h));
  return on_.synchronize(stream_);
}

void sentinel_probe::judge(host_time from) {
  const issue_span when{from, host_now()};
  fingerprint_result left;
  std::memcpy(&left, received_.data(), sizeof left);
  const bool has_run = left.blocks_count == fingerprint_blocks && left.last_block_ns != 0 &&
                       left.elapsed_ns() >= spin_ns;
  const bool is_same = std::equal(sent_.begin() + sizeof left, sent_.end(),
                                  received_.begin() + sizeof left, received_.end());
  is_intact_ = has_run && is_same;
  // One round trip cannot say which of its two copies was wrong.
  unreported_.push_back(
      sentinel_record(sentinel_kind::copy, ASSAY_H2D, sent_.size(), is_same, when));
  assay_record launch =
      sentinel_record(sentinel_kind::launch, ASSAY_H2D, fingerprint_blocks, has_run, when);
  launch.extra[1] = has_run ? left.elapsed_ns() : 0;
  unreported_.push_back(launch);
  unreported_.push_back(
      sentinel_record(sentinel_kind::copy, ASSAY_D2H, received_.size(), is_same, when));
}

result<void> sentinel_probe::report(trace::sink& to) {
  ASSAY_TRY(to.records(unreported_));
  unreported_.clear();
  return {};
}

}  // namespace assay::probes
