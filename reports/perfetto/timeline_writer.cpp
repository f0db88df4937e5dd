// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/perfetto/timeline_writer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "probes/trace/bounded.h"
#include "probes/trace/contract_json.h"
#include "runtime/telemetry/range.h"

namespace assay::reports {
namespace {

constexpr std::size_t buffer_bytes = 64 * 1024;
constexpr std::size_t max_tracks = 4096;  // beyond, tracks keep their numbers for names

// The viewer shows a process as a group of tracks.
constexpr int passes_group = 1;
constexpr int threads_group = 2;
constexpr int streams_group = 3;
constexpr int counters_group = 4;

std::string json_text_of(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

/// ns as µs, exactly.
std::string micros(std::int64_t ns) {
  const bool is_negative = ns < 0;
  const std::uint64_t size =
      is_negative ? ~static_cast<std::uint64_t>(ns) + 1 : static_cast<std::uint64_t>(ns);
  return fmt::format("{}{}.{:03}", is_negative ? "-" : "", size / 1000, size % 1000);
}

/// A track as the viewers want it: Perfetto takes 0 for the thread that has its process' number, so
/// that streams 0 and 3 of process 3 would lie on one track, and what overlaps there is dropped.
std::uint32_t tid_of(std::uint32_t track) {
  return track == std::numeric_limits<std::uint32_t>::max() ? track : track + 1;
}

std::string_view op_word(std::uint8_t op) {
  switch (op) {
    case ASSAY_OP_COPY:
      return "copy";
    case ASSAY_OP_LAUNCH:
      return "launch";
    case ASSAY_OP_EVENT:
      return "event";
    case ASSAY_OP_WAIT:
      return "wait";
    case ASSAY_OP_SYNC:
      return "sync";
    default:
      return "unknown";
  }
}

std::string_view direction_word(std::uint8_t direction) {
  switch (direction) {
    case ASSAY_H2D:
      return " h2d";
    case ASSAY_D2H:
      return " d2h";
    case ASSAY_D2D:
      return " d2d";
    default:
      return "";
  }
}

std::string_view window_word(std::uint8_t window) {
  switch (window) {
    case ASSAY_WINDOW_LOAD:
      return "load";
    case ASSAY_WINDOW_REQUEST:
      return "request";
    case ASSAY_WINDOW_PREFILL:
      return "prefill";
    case ASSAY_WINDOW_DECODE_STEP:
      return "decode step";
    default:
      return "other window";
  }
}

std::string name_of(const assay_record& record) {
  const std::string_view range = record.range == 0 ? std::string_view()
                                 : record.range < telemetry::range_count
                                     ? to_string(static_cast<telemetry::range>(record.range))
                                     : std::string_view("unknown range");
  return fmt::format("{}{}{}{}", op_word(record.op), direction_word(record.direction),
                     range.empty() ? "" : " ", range);
}

bool is_readable(const assay_reading& reading) {
  return reading.state == ASSAY_MEASURED || reading.state == ASSAY_ZERO ||
         reading.state == ASSAY_LOWER_BOUND;
}

}  // namespace

timeline_writer::timeline_writer(put_text put) : put_(std::move(put)) {
  buffer_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  int order = 0;
  for (const auto& [group, name] :
       {std::pair{passes_group, "requests and passes"}, std::pair{threads_group, "host threads"},
        std::pair{streams_group, "device streams"}, std::pair{counters_group, "counters"}}) {
    event(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"{}"}}}})",
                      group, name));
    event(fmt::format(
        R"({{"ph":"M","name":"process_sort_index","pid":{},"args":{{"sort_index":{}}}}})", group,
        order++));
  }
}

void timeline_writer::event(std::string_view text) {
  if (events_++ > 0) buffer_ += ',';
  buffer_ += '\n';
  buffer_ += text;
}

result<void> timeline_writer::spill(std::size_t at_least_bytes) {
  if (buffer_.size() < at_least_bytes) return {};
  ASSAY_TRY(put_(buffer_));
  buffer_.clear();
  return {};
}

result<void> timeline_writer::contract(std::string_view json) {
  ASSAY_TRY_ASSIGN(const auto rows, trace::parse_contract(json));
  for (const trace::contract_row& row : rows) {
    counter_track& track = counters_.emplace_back();
    track.name = json_text_of(row.name);
    track.is_real =
        row.unit == unit::ratio || row.unit == unit::bytes_per_s || row.unit == unit::tokens_per_s;
  }
  return {};
}

result<void> timeline_writer::records(std::span<const assay_record> records) {
  for (const assay_record& record : records) {
    take(record);
    ASSAY_TRY(spill(buffer_bytes));
  }
  return {};
}

void timeline_writer::take(const assay_record& record) {
  switch (record.kind) {
    case ASSAY_SUBMISSION:
      return take_call(record);
    case ASSAY_ACTIVITY:
      return take_work(record);
    case ASSAY_WINDOW_BEGIN:
    case ASSAY_WINDOW_END:
      return take_window(record);
    case ASSAY_CLOCK_SAMPLE:
      return clock_.take(record);
    case ASSAY_MEMORY:
      return event(
          fmt::format(R"({{"ph":"i","s":"p","name":"{}","pid":{},"ts":{},"args":{{"bytes":{}}}}})",
                      record.op == 1 ? "allocate" : "free", threads_group, micros(record.start_ns),
                      record.amount));
    default:
      return;
  }
}

void timeline_writer::name_track(int process, std::uint32_t track, std::string_view name) {
  if (named_.size() == max_tracks || !named_.emplace(process, track).second) return;
  event(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{}"}}}})",
                    process, tid_of(track), name));
}

std::uint32_t timeline_writer::track_of(std::uint32_t stream, std::int64_t start_ns,
                                        std::int64_t end_ns) {
  constexpr std::uint32_t next_lane = 1'000'000;
  if (busy_until_ns_.size() == max_tracks && !busy_until_ns_.contains(stream)) return stream;
  const auto [found, is_new] = busy_until_ns_.try_emplace(stream);
  if (is_new) found->second.fill(std::numeric_limits<std::int64_t>::min());
  std::size_t lane = 0;
  while (lane + 1 < lanes_max && found->second.at(lane) > start_ns) ++lane;
  found->second.at(lane) = std::max(found->second.at(lane), end_ns);
  const std::uint32_t track = stream + static_cast<std::uint32_t>(lane) * next_lane;
  if (named_.contains({streams_group, track})) return track;
  name_track(streams_group, track,
             lane == 0
                 ? fmt::format("stream {}", stream)
                 : fmt::format("stream {}.{}, begun before the last had ended", stream, lane));
  event(fmt::format(
      R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
      streams_group, tid_of(track), std::uint64_t{stream} * lanes_max + lane));
  return track;
}

void timeline_writer::take_call(const assay_record& call) {
  name_track(threads_group, call.tid, fmt::format("thread {}", call.tid));
  const std::int64_t length_ns =
      std::max<std::int64_t>(trace::difference(call.end_ns, call.start_ns), 0);
  event(fmt::format(
      R"({{"ph":"X","name":"{}","cat":"call","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"correlation":{},"stream":{},"asked":{}{}}}}})",
      name_of(call), threads_group, tid_of(call.tid), micros(call.start_ns), micros(length_ns),
      call.correlation, call.stream, call.amount,
      (call.flags & ASSAY_REFUSED) != 0 ? ",\"refused\":true" : ""));
  if (call.op < ASSAY_OP_COPY || (call.flags & ASSAY_REFUSED) != 0) return;
  if (call.op <= ASSAY_OP_EVENT) {
    joined_call& one = joined(call.correlation);
    if (one.call.is_known) (one = {}).correlation = call.correlation;  // a number given anew
    one.call = {call.start_ns, trace::sum(call.start_ns, length_ns), call.tid, call.op, true};
    arrow(one);
  }
  take_order(call);
}

void timeline_writer::take_order(const assay_record& call) {
  const auto copies = order_.take(call);
  if (copies.empty()) return;
  joined_call& user = joined(call.correlation);
  if (call.op == ASSAY_OP_SYNC)
    user.shown = {call.start_ns, std::max(call.start_ns, call.end_ns), call.tid, call.op, true};
  for (const std::uint64_t correlation : copies) {
    joined_call* copy = find(correlation);
    if (copy == nullptr || copy == &user) continue;
    copy->use = call.correlation;
    copy->next = std::exchange(user.first, correlation);
    use_arrow(*copy);
  }
}

void timeline_writer::take_work(const assay_record& work) {
  if (work.start_ns == 0 && work.end_ns == 0) return;
  const std::int64_t start_ns = clock_.to_host_ns(work.start_ns);
  const std::int64_t length_ns =
      std::max<std::int64_t>(trace::difference(work.end_ns, work.start_ns), 0);
  const std::uint32_t track = track_of(work.stream, start_ns, trace::sum(start_ns, length_ns));
  event(fmt::format(
      R"({{"ph":"X","name":"{}","cat":"device","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"correlation":{},"bytes":{},"blocks":{},"weight_bytes":{},"kv_bytes":{}}}}})",
      name_of(work), streams_group, tid_of(track), micros(start_ns), micros(length_ns),
      work.correlation, work.amount, work.extra[0], work.extra[1], work.extra[2]));
  joined_call& one = joined(work.correlation);
  one.work = {start_ns, trace::sum(start_ns, length_ns), track, work.op, true};
  show(one, one.work);
  arrow(one);
}

void timeline_writer::show(joined_call& one, const place& at) {
  if (at.op == ASSAY_OP_COPY) {
    // A copy under a launch's correlation is hidden in its graph: no call of its own.
    if (one.shown.is_known && one.shown.op != ASSAY_OP_COPY) return;
    one.shown = at;
    return use_arrow(one);
  }
  if (at.op != ASSAY_OP_LAUNCH || (one.shown.is_known && one.shown.op == ASSAY_OP_LAUNCH)) return;
  one.shown = at;
  for (std::uint64_t next = std::exchange(one.first, 0); next != 0;) {
    joined_call* copy = find(next);
    if (copy == nullptr) return;
    next = std::exchange(copy->next, 0);
    use_arrow(*copy);
  }
}

timeline_writer::joined_call& timeline_writer::joined(std::uint64_t correlation) {
  if (calls_.empty()) calls_.resize(joined_calls_max);
  joined_call& one = calls_[correlation % joined_calls_max];
  if (one.correlation != correlation) {
    one = {};
    one.correlation = correlation;
  }
  return one;
}

timeline_writer::joined_call* timeline_writer::find(std::uint64_t correlation) {
  joined_call& one = calls_[correlation % joined_calls_max];
  return one.correlation == correlation ? &one : nullptr;
}

void timeline_writer::use_arrow(joined_call& copy) {
  if (copy.use == 0 || !copy.shown.is_known || copy.shown.op != ASSAY_OP_COPY) return;
  const joined_call* user = find(copy.use);
  if (user == nullptr || !user->shown.is_known) return;
  const bool is_sync = user->shown.op == ASSAY_OP_SYNC;
  if (!is_sync && user->shown.op != ASSAY_OP_LAUNCH) return;
  copy.use = 0;
  // Viewers look for the slice at an arrow's end; a slice's last moment is no longer in it.
  const auto last_ns = [](const place& in) {
    return std::max(in.at_ns, trace::difference(in.end_ns, 1));
  };
  place from = copy.shown, to = user->shown;
  // Of a kernel that began, or a sync that returned, while the copy ran, the times say that it was
  // not ordered behind it.
  if (from.end_ns > (is_sync ? to.end_ns : to.at_ns)) return;
  const bool is_turned = is_sync && to.at_ns < from.at_ns;
  if (is_sync) to.at_ns = std::clamp(from.end_ns, to.at_ns, last_ns(to));
  from.at_ns = std::clamp(to.at_ns, from.at_ns, last_ns(from));
  // Perfetto leads an arrow from the slice that begins first, whichever end is the start: into a
  // sync that began before the copy it would point from the sync to the copy.
  if (is_turned)
    event(fmt::format(
        R"({{"ph":"X","name":"sync: copy done","cat":"wait","pid":{},"tid":{},"ts":{},"dur":0.001,"args":{{"correlation":{}}}}})",
        threads_group, tid_of(to.track), micros(to.at_ns), copy.correlation));
  draw(is_sync ? "waited for" : "first use", streams_group, from,
       is_sync ? threads_group : streams_group, to);
}

void timeline_writer::arrow(joined_call& joined) {
  if (!joined.call.is_known || !joined.work.is_known || joined.correlation == 0) return;
  joined.work.is_known = false;
  if (joined.work.at_ns < joined.call.at_ns) return;  // clocks that disagree: it would point back
  // An arrow of its own for each kernel of a graph: of several ends under one id, the viewer of
  // chrome://tracing draws the first and drops the others.
  draw("submission", threads_group, joined.call, streams_group, joined.work);
}

void timeline_writer::draw(std::string_view name, int from_group, const place& from, int to_group,
                           const place& to) {
  const std::uint64_t id = ++arrows_;
  event(fmt::format(R"({{"ph":"s","name":"{}","cat":"flow","id":{},"pid":{},"tid":{},"ts":{}}})",
                    name, id, from_group, tid_of(from.track), micros(from.at_ns)));
  event(fmt::format(
      R"({{"ph":"f","bp":"e","name":"{}","cat":"flow","id":{},"pid":{},"tid":{},"ts":{}}})", name,
      id, to_group, tid_of(to.track), micros(to.at_ns)));
}

void timeline_writer::take_window(const assay_record& record) {
  constexpr std::size_t max_depth = 64;
  const std::pair window{record.op, record.correlation};
  const bool is_begin = record.kind == ASSAY_WINDOW_BEGIN;
  // An end that ends nothing would close another range in a viewer.
  if (is_begin ? open_windows_.size() == max_depth
               : open_windows_.empty() || open_windows_.back() != window)
    return;
  if (is_begin)
    open_windows_.push_back(window);
  else
    open_windows_.pop_back();
  name_track(passes_group, 0, "windows");
  event(fmt::format(R"({{"ph":"{}","name":"{} {}","cat":"window","pid":{},"tid":{},"ts":{}}})",
                    is_begin ? "B" : "E", window_word(record.op), record.correlation, passes_group,
                    tid_of(0), micros(is_begin ? record.start_ns : record.end_ns)));
}

result<void> timeline_writer::snapshot(std::int64_t at_ns,
                                       std::span<const assay_reading> readings) {
  const std::size_t count = std::min(readings.size(), counters_.size());
  for (std::size_t row = 0; row < count; ++row) {
    counter_track& track = counters_[row];
    const assay_reading& reading = readings[row];
    // A track holds its value until the next: only changes need an event.
    if (!is_readable(reading) || (track.is_told && track.bits == reading.bits)) continue;
    const double real = std::bit_cast<double>(reading.bits);
    if (track.is_real && !std::isfinite(real)) continue;
    track.is_told = true;
    track.bits = reading.bits;
    event(fmt::format(
        R"({{"ph":"C","name":{},"pid":{},"ts":{},"args":{{"value":{}}}}})", track.name,
        counters_group, micros(at_ns),
        track.is_real ? fmt::format("{:.17g}", real) : fmt::format("{}", reading.bits)));
    ASSAY_TRY(spill(buffer_bytes));
  }
  return {};
}

result<void> timeline_writer::finish(std::string_view incompleteness) {
  buffer_ += "\n],\"otherData\":{";
  if (!incompleteness.empty()) buffer_ += "\"incompleteness\":" + json_text_of(incompleteness);
  buffer_ += "}}\n";
  return spill(1);
}

}  // namespace assay::reports
