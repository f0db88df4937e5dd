// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The staging area: regions that streamed weights pass through, reused when the device is done with
// them and not before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "runtime/device/device.h"
#include "runtime/telemetry/result.h"

namespace assay::memory {

/// Proof that whoever read a region has ended, or will have before the stream that fills the region
/// goes on. There is no other way to get one than completion_source::order(): a region that is
/// given back early does not compile.
class completion {
 public:
  device::event reader() const { return reader_; }

 private:
  friend class completion_source;
  explicit completion(device::event reader) : reader_(reader) {}
  device::event reader_;
};

/// Proof that everything submitted to the streams of a ring has ended.
class quiescence {
 private:
  friend class completion_source;
  quiescence() = default;
};

/// Mints proofs, each for a wait that the device has accepted.
/// Threads: one. Ownership: the device outlives it.
class completion_source {
 public:
  explicit completion_source(device::device& on) : on_(&on) {}

  /// Has `writer` wait for `reader`, which was recorded behind the work that reads. The caller does
  /// not wait. Errors: the device's own.
  result<completion> order(device::event reader, device::stream writer);
  /// Waits for both streams. Errors: the device's own; what is in flight then stays in flight.
  result<quiescence> wait(device::stream first, device::stream second);

 private:
  device::device* on_;
};

/// A region of the ring. Movable; one that goes out of scope without having been given back is
/// never handed out again.
class staging_lease {
 public:
  staging_lease(staging_lease&&) = default;
  staging_lease& operator=(staging_lease&&) = default;
  staging_lease(const staging_lease&) = delete;
  staging_lease& operator=(const staging_lease&) = delete;

  std::uint64_t offset_bytes() const { return offset_bytes_; }
  std::uint64_t bytes() const { return bytes_; }
  /// Who reads the region: only the proof of that one's end ends the lease.
  void read_until(device::event reader) { reader_ = reader; }

 private:
  friend class staging_ring;
  staging_lease(std::uint64_t number, std::uint64_t offset_bytes, std::uint64_t bytes)
      : number_(number), offset_bytes_(offset_bytes), bytes_(bytes) {}
  std::uint64_t number_;
  std::uint64_t offset_bytes_;
  std::uint64_t bytes_;
  std::optional<device::event> reader_;
};

/// Bookkeeping of one area, first in, first out: leases end in the order in which they were given.
/// Holds no memory itself. Threads: one.
class staging_ring {
 public:
  explicit staging_ring(std::uint64_t bytes) : bytes_(bytes) {}

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t leased_bytes() const;
  /// A region in one piece, or none while what is leased leaves no room for it.
  std::optional<staging_lease> lease(std::uint64_t bytes);
  /// Gives the oldest lease back.
  void give_back(staging_lease lease, const completion& proof);
  /// What a failed step left: regions that nobody may touch until the device is known to be done.
  void quarantine(staging_lease lease);
  std::uint64_t quarantined_bytes() const { return quarantined_bytes_; }
  /// Ends every lease, those in quarantine included.
  void clear(const quiescence& proof);

 private:
  struct span {
    std::uint64_t number;
    std::uint64_t begin;
    std::uint64_t end;
  };
  std::uint64_t bytes_;
  std::uint64_t quarantined_bytes_ = 0;
  std::uint64_t next_number_ = 0;
  std::deque<span> spans_;  ///< oldest first; the free room lies behind the newest
};

}  // namespace assay::memory
