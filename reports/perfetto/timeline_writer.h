// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A trace as a timeline for Perfetto's and Chrome's viewers.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probes/trace/clock_map.h"
#include "probes/trace/sink.h"
#include "reports/perfetto/copy_order.h"

namespace assay::reports {

/// Turns records into events of the Trace Event Format as they come: calls on the tracks of host
/// threads, work on the tracks of streams, passes and requests as ranges, each counter as a track,
/// an arrow from each call to each piece of its work. Allocations are instants.
/// Arrows named "first use" go from a copy to the first kernel of the first launch that copy_order
/// finds behind it, those named "waited for" from a copy to the host to the sync that it finds.
/// Units: µs with three decimals, as the format wants. Clock: the host's.
/// Memory: 64 KiB, 7 MiB for the last calls, copy_order's, and a few bytes a counter, thread and
/// stream, whatever the trace's length. Errors: those of `put`. Threads: one at a time.
class timeline_writer final : public trace::sink {
 public:
  /// Tracks of one stream: viewers nest what lies on one track, and drop or cut what overlaps
  /// there. A kernel may begin while the one before it still runs; it then stands on the next
  /// track.
  static constexpr std::size_t lanes_max = 4;
  /// Calls and work are joined as long as so many calls at most lie between them in the file; work
  /// that comes later has no arrow.
  static constexpr std::size_t joined_calls_max = 1 << 16;

  using put_text = std::function<result<void>(std::string_view)>;

  explicit timeline_writer(put_text put);

  result<void> contract(std::string_view json) override;
  result<void> facts(std::string_view) override { return {}; }
  result<void> records(std::span<const assay_record> records) override;
  result<void> snapshot(std::int64_t at_ns, std::span<const assay_reading> readings) override;
  result<void> end() override { return {}; }

  /// Closes the document. `incompleteness` stands in it where the trace was cut off.
  result<void> finish(std::string_view incompleteness);

  std::uint64_t event_count() const { return events_; }

 private:
  struct counter_track {
    std::string name;  // as JSON, quotes included
    bool is_real = false;
    bool is_told = false;
    std::int64_t bits = 0;
  };
  /// One end of an arrow.
  struct place {
    std::int64_t at_ns = 0;
    std::int64_t end_ns = 0;  // of the slice that begins there
    std::uint32_t track = 0;
    std::uint8_t op = 0;
    bool is_known = false;
  };
  /// What is known of a call until both are: the file may have either first.
  struct joined_call {
    std::uint64_t correlation = 0;
    place call;
    place work;
    place shown;            // of a copy its newest part, of a launch its first kernel, or the sync
    std::uint64_t use = 0;  // of a copy: the call behind it, until the arrow is drawn
    std::uint64_t first = 0;  // of such a call: the first of the copies that it is behind
    std::uint64_t next = 0;   // of a copy: the next of them
  };
  void take(const assay_record& record);
  void take_call(const assay_record& call);
  void take_work(const assay_record& work);
  void take_window(const assay_record& record);
  void name_track(int process, std::uint32_t track, std::string_view name);
  std::uint32_t track_of(std::uint32_t stream, std::int64_t start_ns, std::int64_t end_ns);
  joined_call& joined(std::uint64_t correlation);
  joined_call* find(std::uint64_t correlation);
  void arrow(joined_call& joined);
  void take_order(const assay_record& call);
  void show(joined_call& one, const place& at);
  void use_arrow(joined_call& copy);
  void draw(std::string_view name, int from_group, const place& from, int to_group,
            const place& to);
  void event(std::string_view text);
  result<void> spill(std::size_t at_least_bytes);

  put_text put_;
  trace::clock_map clock_;
  std::string buffer_;
  std::uint64_t events_ = 0;
  std::vector<counter_track> counters_;
  std::set<std::pair<int, std::uint32_t>> named_;
  std::map<std::uint32_t, std::array<std::int64_t, lanes_max>> busy_until_ns_;  // by stream
  std::vector<joined_call> calls_;                                              // by correlation
  std::uint64_t arrows_ = 0;
  copy_order order_;
  std::vector<std::pair<std::uint8_t, std::uint64_t>> open_windows_;
};

}  // namespace assay::reports
