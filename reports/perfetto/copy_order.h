// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Which call is the first that stands behind a copy, as streams, events and waits order them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "probes/trace/assay_trace.h"

namespace assay::reports {

/// Reads accepted calls in the file's order. A launch stands behind a copy that was submitted
/// before it on its stream; behind one that an event was recorded behind, whose recording a wait on
/// its stream names; and behind one that a sync waited for which had returned before the launch was
/// submitted. All three go on through others. Whether the kernel touches what was copied, no record
/// says. Says nothing rather than guess: of streams, copies and recordings beyond the limits below,
/// of waits that name none, and of calls that began before the copy's had returned: another thread
/// made them, and the file's order of two threads is not that of the stream. Memory: 1.1 MiB for
/// recordings, 16 bytes a copy that is not used yet. Threads: one.
class copy_order {
 public:
  static constexpr std::size_t streams_max = 16;
  static constexpr std::size_t unused_copies_max = 4096;  ///< of one stream and one side
  static constexpr std::size_t recordings_max = 8192;     ///< calls back to which a wait may refer

  /// The copies that stand behind nothing before this call: to the device and within it, where it
  /// is a launch; to the host, where it is a sync. Valid until the next call.
  std::span<const std::uint64_t> take(const assay_record& call);

 private:
  /// Of each stream, how many of its copies are done by a place.
  using copies_done = std::array<std::uint64_t, streams_max>;
  struct copy {
    std::uint64_t number = 0;  // on its stream, from 1
    std::uint64_t correlation = 0;
  };
  struct one_stream {
    std::uint32_t stream = 0;
    std::uint64_t copies_count = 0;
    copies_done behind{};
    std::int64_t changed_until_ns = std::numeric_limits<std::int64_t>::min();  // what lies behind
    std::deque<copy> for_launches;
    std::deque<copy> for_syncs;
  };
  struct recording {
    std::uint64_t correlation = 0;
    copies_done behind{};
  };

  std::optional<std::size_t> index_of(std::uint32_t stream);
  const recording* find(std::int64_t correlation) const;
  void take_wait_of_host(one_stream& on, const assay_record& call) const;
  void take_copy(std::size_t index, const assay_record& call);
  void take_sync(const one_stream& on, const assay_record& call);
  void collect(std::deque<copy> one_stream::*side, const copies_done& done);

  std::vector<one_stream> streams_;
  std::vector<recording> recordings_;  // by correlation
  copies_done waited_for_{};           // by the host
  std::int64_t waited_until_ns_ = 0;
  std::vector<std::uint64_t> found_;
};

}  // namespace assay::reports
