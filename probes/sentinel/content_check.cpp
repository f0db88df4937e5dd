// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/sentinel/content_check.h"

#include <cstring>

#include "probes/sentinel/known_answer.h"
#include "runtime/telemetry/clock.h"
#include "runtime/telemetry/range.h"

namespace assay::probes {

result<bool> content_check::compare(const std::byte* there, std::span<const std::byte> expected) {
  if (expected.empty())
    return ASSAY_FAIL(usage, "content check: no bytes to compare; give at least one");
  // Each byte starts as what it must not be: a copy that never runs is not taken for equal.
  fetched_.resize(expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) fetched_[i] = ~expected[i];
  const host_time from = host_now();
  const device::scoped_range range(on_, telemetry::range::sentinel);
  ASSAY_TRY(on_.copy_async(stream_, fetched_.data(), there, expected.size(),
                           device::copy_direction::d2h));
  ASSAY_TRY(on_.synchronize(stream_));
  const bool is_equal = std::memcmp(fetched_.data(), expected.data(), expected.size()) == 0;
  unreported_.push_back(sentinel_record(sentinel_kind::fetch, ASSAY_D2H, expected.size(), is_equal,
                                        {from, host_now()}));
  return is_equal;
}

result<std::uint32_t> content_check::fetch_count(const std::byte* there) {
  const host_time from = host_now();
  const device::scoped_range range(on_, telemetry::range::sentinel);
  fetched_.assign(sizeof(std::uint32_t), std::byte{0xff});
  ASSAY_TRY(on_.copy_async(stream_, fetched_.data(), there, fetched_.size(),
                           device::copy_direction::d2h));
  ASSAY_TRY(on_.synchronize(stream_));
  unreported_.push_back(
      sentinel_record(sentinel_kind::fetch, ASSAY_D2H, fetched_.size(), true, {from, host_now()}));
  std::uint32_t count = 0;
  std::memcpy(&count, fetched_.data(), sizeof count);
  return count;
}

result<void> content_check::report(trace::sink& to) {
  ASSAY_TRY(to.records(unreported_));
  unreported_.clear();
  return {};
}

}  // namespace assay::probes
