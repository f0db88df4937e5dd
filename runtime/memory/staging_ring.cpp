// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/staging_ring.h"

#include "runtime/telemetry/check.h"

namespace assay::memory {

result<completion> completion_source::order(device::event reader, device::stream writer) {
  ASSAY_TRY(on_->wait_event(writer, reader));
  return completion(reader);
}

result<quiescence> completion_source::wait(device::stream first, device::stream second) {
  ASSAY_TRY(on_->synchronize(first));
  ASSAY_TRY(on_->synchronize(second));
  return quiescence();
}

std::uint64_t staging_ring::leased_bytes() const {
  std::uint64_t bytes = 0;
  for (const span& each : spans_) bytes += each.end - each.begin;
  return bytes;
}

std::optional<staging_lease> staging_ring::lease(std::uint64_t bytes) {
  std::uint64_t begin = spans_.empty() ? 0 : spans_.back().end;
  const std::uint64_t oldest = spans_.empty() ? bytes_ : spans_.front().begin;
  const bool is_wrapped = !spans_.empty() && spans_.back().begin < oldest;
  // Behind the newest up to the area's end, else from its start up to the oldest.
  std::uint64_t limit = is_wrapped ? oldest : bytes_;
  if (!is_wrapped && bytes > limit - begin && !spans_.empty()) {
    begin = 0;
    limit = oldest;
  }
  if (bytes == 0 || bytes > limit - begin) return std::nullopt;
  spans_.push_back({next_number_, begin, begin + bytes});
  return staging_lease(next_number_++, begin, bytes);
}

void staging_ring::give_back(staging_lease lease, const completion& proof) {
  ASSAY_CHECK(lease.reader_ && lease.reader_->index == proof.reader().index,
              "a staging region was given back on the proof of another reader's end");
  ASSAY_CHECK(!spans_.empty() && spans_.front().number == lease.number_,
              "a staging region was given back out of order");
  spans_.pop_front();
}

void staging_ring::quarantine(staging_lease lease) {
  quarantined_bytes_ += lease.bytes();
}

void staging_ring::clear(const quiescence&) {
  spans_.clear();
  quarantined_bytes_ = 0;
}

}  // namespace assay::memory
