// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/pass_fold.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "probes/trace/bounded.h"
#include "runtime/telemetry/range.h"

namespace assay::attribution {
namespace {

using trace::difference;
using trace::product;
using trace::sum;

using model::time_part;

constexpr std::size_t held_max = std::size_t{1} << 16;

bool is_pass(std::uint8_t window) {
  return window == ASSAY_WINDOW_PREFILL || window == ASSAY_WINDOW_DECODE_STEP;
}

time_part part_of_copy(std::uint8_t direction) {
  if (direction == ASSAY_H2D) return time_part::h2d;
  return direction == ASSAY_D2H ? time_part::d2h : time_part::d2d;
}

// The stamp that the harness read last before the work, where it says so: the time between the two
// is the harness's own.
std::int64_t begin_of(const assay_record& opened, const assay_record& closed) {
  const bool is_told = closed.start_ns >= opened.start_ns && closed.start_ns <= closed.end_ns;
  return is_told ? closed.start_ns : opened.start_ns;
}

bool is_sentinel(const held_launch& each) {
  return each.work.range == static_cast<std::uint16_t>(telemetry::range::sentinel);
}

}  // namespace

void pass_fold::take(const assay_record& record) {
  switch (record.kind) {
    case ASSAY_SUBMISSION:
      return take_call(record);
    case ASSAY_ACTIVITY:
      return take_work(record);
    case ASSAY_WINDOW_BEGIN:
      return begin_window(record);
    case ASSAY_WINDOW_END:
      return end_window(record);
    case ASSAY_THREAD:
      if (open_kind_ != 0) caller_.take_reading(record);
      return;
    case ASSAY_CLOCK_SAMPLE:
      return clock_.take(record);
    case ASSAY_OVERHEAD:
      return overheads_.take(record);
    case ASSAY_MEMORY:
      if (open_kind_ == 0) return;
      if (record.op == 1) ++total_of(open_kind_).allocations;
      return memory_.take(record, total_of(open_kind_).memory);
    default:
      return;
  }
}

// Staging has no record of its own; calls that end before they begin bound nothing.
void pass_fold::count_copy_call(const assay_record& call, model::pass_total& total) {
  ++total.copy_calls;
  const std::int64_t length_ns = difference(call.end_ns, call.start_ns);
  if (length_ns < 0)
    ++total.unbounded_copies;
  else
    total.copy_call_ns = sum(total.copy_call_ns, length_ns);
}

void pass_fold::take_call(const assay_record& call) {
  if ((call.flags & ASSAY_REFUSED) == 0) calls_.submission(call);
  if (open_kind_ != 0) {
    if (call.op == ASSAY_OP_COPY) count_copy_call(call, total_of(open_kind_));
    const bool waits = call.op == ASSAY_OP_SYNC;
    add({call.start_ns, call.end_ns, waits ? time_part::sync : time_part::submit, 0});
    if (waits) caller_.take_wait(call);
  }
  if (calls_.held() >= held_max) flush();
}

void pass_fold::take_work(const assay_record& work) {
  if (work.start_ns == 0 && work.end_ns == 0) {
    ++defects_.untimed_records;
    return;
  }
  assay_record mapped = work;
  mapped.start_ns = clock_.to_host_ns(work.start_ns);
  mapped.end_ns = clock_.to_host_ns(work.end_ns);
  if (mapped.end_ns < mapped.start_ns) {
    ++defects_.backward_records;
    return;
  }
  calls_.activity(mapped);
  if (calls_.held() >= held_max) flush();
}

void pass_fold::flush() {
  calls_.join(joined_);
  for (const joined_activity& work : joined_) {
    if (!work.has_call) ++defects_.orphans;
    listener_.on_activity(work);
    place(work);
  }
}

void pass_fold::place(const joined_activity& work) {
  const assay_record& activity = work.activity;
  const std::int64_t length_ns = difference(activity.end_ns, activity.start_ns);
  piece made{activity.start_ns, activity.end_ns, time_part::event, 0};
  if (activity.op == ASSAY_OP_COPY) {
    made.part = part_of_copy(activity.direction);
    count_copy(work);
  } else if (activity.op == ASSAY_OP_LAUNCH) {
    made.part = time_part::launch;
    if (work.range != static_cast<std::uint16_t>(telemetry::range::sentinel)) {
      ++reads_.launches;
      reads_.weight_bytes = sum(reads_.weight_bytes, activity.extra[1]);
      reads_.kv_bytes = sum(reads_.kv_bytes, activity.extra[2]);
      reads_.busy_ns = sum(reads_.busy_ns, length_ns);
    }
  }
  if (open_kind_ == 0) return;
  if (activity.op == ASSAY_OP_COPY && !work.has_call) ++total_of(open_kind_).unbounded_copies;
  // Which launch it is, the end of the pass tells: by its place among all of them.
  if (made.part == time_part::launch && pieces_.size() < max_pieces)
    held_launches_.push_back({work, pieces_.size()});
  add(made);
  if (work.has_call && work.call_end_ns < activity.start_ns)
    add({work.call_end_ns, activity.start_ns, time_part::gap, 0});
}

void pass_fold::count_launch(std::uint16_t which, const joined_activity& work) {
  const assay_record& activity = work.activity;
  pass_launches_.resize(launches_.classes().size());
  model::launch_line& line = pass_launches_[which];
  ++line.launches;
  line.busy_ns = sum(line.busy_ns, difference(activity.end_ns, activity.start_ns));
  line.weight_bytes = sum(line.weight_bytes, activity.extra[1]);
  line.kv_bytes = sum(line.kv_bytes, activity.extra[2]);
  if (!work.has_call) return;
  const std::int64_t call_ns = difference(work.call_end_ns, work.call_begin_ns);
  if (!work.is_shared_call) {
    ++line.calls;
    line.call_ns = sum(line.call_ns, call_ns);
  } else if (shared_call_ != activity.correlation) {
    // Of a graph's call no launch has a part of its own.
    shared_call_ = activity.correlation;
    model::pass_total& total = total_of(open_kind_);
    ++total.graph_calls;
    total.graph_call_ns = sum(total.graph_call_ns, call_ns);
  }
}

bool pass_fold::is_planned_step() const {
  if (open_kind_ != ASSAY_WINDOW_DECODE_STEP || plan_.empty()) return false;
  std::vector<held_launch> own;
  for (const held_launch& each : held_launches_)
    if (!is_sentinel(each)) own.push_back(each);
  return is_as_planned(own, plan_);
}

// Does the plan name them?
bool pass_fold::name_launches() {
  static const std::string unnamed;
  const bool is_planned = is_planned_step();
  if (is_planned) ++decode_.named_passes;
  std::size_t place = 0;
  for (const held_launch& each : held_launches_) {
    const telemetry::planned_launch* planned =
        is_planned && !is_sentinel(each) ? &plan_[place++] : nullptr;
    const std::uint16_t which =
        launches_.class_of(each.work.activity, each.work.range, planned ? planned->name : unnamed);
    pieces_[each.piece].launch_class = which;
    count_launch(which, each.work);
    if (planned == nullptr) continue;
    model::launch_line& line = pass_launches_[which];
    line.planned_weight_bytes = sum(line.planned_weight_bytes, planned->weight_bytes);
    line.has_planned_kv = line.has_planned_kv || planned->reads_kv;
    count_products(*planned, each.work, line);
  }
  return is_planned;
}

// One by one, each cut to the pass, as their union is. Before the pieces are sorted.
std::int64_t pass_fold::launch_lengths_ns(std::int64_t begin_ns, std::int64_t end_ns) const {
  std::int64_t total_ns = 0;
  for (const held_launch& each : held_launches_) {
    const piece& whole = pieces_[each.piece];
    const std::int64_t length_ns =
        difference(std::min(whole.end_ns, end_ns), std::max(whole.start_ns, begin_ns));
    if (length_ns > 0) total_ns = sum(total_ns, length_ns);
  }
  return total_ns;
}

// Of the request that is open; null where nobody planned it.
const telemetry::planned_request* pass_fold::planned_request() const {
  if (!is_in_request_ || requests_ == 0 || requests_ > planned_requests_.size()) return nullptr;
  return &planned_requests_[requests_ - 1];
}

// The context by the plan of the request; without one, by the KV that the launch told.
void pass_fold::count_products(const telemetry::planned_launch& planned,
                               const joined_activity& work, model::launch_line& into) const {
  if (!planned.products) return;
  const telemetry::planned_products& products = *planned.products;
  const std::int64_t kv_bytes = work.activity.extra[2];
  std::int64_t context_tokens = 0;
  if (planned.reads_kv) {
    const auto index = static_cast<std::int64_t>(opened_.correlation);
    if (const auto* request = planned_request(); request != nullptr && index >= 0)
      context_tokens = sum(sum(request->prompt_tokens, index), 1);
    else if (products.kv_bytes_per_context_token > 0 && kv_bytes > 0)
      context_tokens = kv_bytes / products.kv_bytes_per_context_token;
    if (context_tokens == 0) return;
  }
  ++into.counted_launches;
  const std::int64_t operations =
      sum(products.operations, product(context_tokens, products.operations_per_context_token));
  into.operations = sum(into.operations, operations);
  std::int64_t& of_kind = into.operations_by[static_cast<std::size_t>(products.by)];
  of_kind = sum(of_kind, operations);
  into.planned_kv_bytes =
      sum(into.planned_kv_bytes, product(context_tokens, products.kv_bytes_per_context_token));
}

void pass_fold::count_prefill(std::int64_t busy_ns, std::int64_t lengths_ns) {
  const telemetry::planned_request* request = planned_request();
  if (open_kind_ != ASSAY_WINDOW_PREFILL || request == nullptr) return;
  const auto same = std::find_if(prefills_.begin(), prefills_.end(),
                                 [&](const auto& each) { return each.by == request->prefill_by; });
  planned_prefills& into = same != prefills_.end() ? *same : prefills_.emplace_back();
  into.by = request->prefill_by;
  ++into.passes;
  into.operations = sum(into.operations, request->prefill_operations);
  into.bytes = sum(into.bytes, request->prefill_bytes);
  into.busy_ns = sum(into.busy_ns, busy_ns);
  into.lengths_ns = sum(into.lengths_ns, lengths_ns);
}

void pass_fold::count_copy(const joined_activity& work) {
  const auto same = std::find_if(copies_.begin(), copies_.end(), [&](const copy_total& each) {
    return each.direction == work.activity.direction && each.range == work.range;
  });
  constexpr std::size_t max_classes = 256;
  if (same == copies_.end() && copies_.size() == max_classes) return;
  copy_total& total = same != copies_.end() ? *same : copies_.emplace_back();
  total.direction = work.activity.direction;
  total.range = work.range;
  ++total.copies;
  total.bytes = sum(total.bytes, work.activity.amount);
  total.busy_ns = sum(total.busy_ns, difference(work.activity.end_ns, work.activity.start_ns));
}

void pass_fold::add(const piece& each) {
  if (pieces_.size() == max_pieces) {
    is_oversized_ = true;
    return;
  }
  pieces_.push_back(each);
}

void pass_fold::begin_window(const assay_record& record) {
  flush();
  if (record.op == ASSAY_WINDOW_REQUEST) {
    ++requests_;
    is_in_request_ = true;
    has_token_ = false;
    request_begin_ns_ = record.start_ns;
  }
  if (!is_pass(record.op)) return;
  if (open_kind_ != 0) ++defects_.unended_passes;
  open_kind_ = record.op;
  opened_ = record;
  is_oversized_ = false;
  caller_.begin_pass();
  pieces_.clear();
  overheads_.begin_pass();
  memory_.begin_pass();
  held_launches_.clear();
  pass_launches_.assign(launches_.classes().size(), {});
}

void pass_fold::end_window(const assay_record& record) {
  flush();
  if (record.op == ASSAY_WINDOW_REQUEST) is_in_request_ = false;
  if (open_kind_ == 0 || record.op != open_kind_ || record.correlation != opened_.correlation)
    return;
  end_pass(record);
  open_kind_ = 0;
}

void pass_fold::end_pass(const assay_record& record) {
  const std::int64_t begin_ns = begin_of(opened_, record);
  const std::int64_t wall_ns = difference(record.end_ns, begin_ns);
  // A length beyond the range cannot be divided.
  if (wall_ns <= 0 || wall_ns == std::numeric_limits<std::int64_t>::max()) {
    ++defects_.backward_passes;
    has_token_ = false;
    return;
  }
  note_token(open_kind_ == ASSAY_WINDOW_PREFILL, record.end_ns);
  if (is_oversized_) {
    ++defects_.oversized_passes;
    return;
  }
  const bool is_named = name_launches();
  const std::int64_t lengths_ns = launch_lengths_ns(begin_ns, record.end_ns);
  if (has_origin_ && begin_ns < ended_ns_) ++defects_.early_passes;
  ended_ns_ = has_origin_ ? std::max(ended_ns_, record.end_ns) : record.end_ns;
  if (!has_origin_) origin_ns_ = begin_ns;
  has_origin_ = true;
  const split parts = split_of(pieces_, begin_ns, record.end_ns, launches_.classes().size());
  model::pass_line line;
  line.request = requests_ == 0 ? 0 : requests_ - 1;
  line.index = record.correlation;
  line.begin_ns = difference(begin_ns, origin_ns_);
  line.wall_ns = wall_ns;
  line.parts = parts.on_path_ns;
  line.residual_ns = uncovered_ns(pieces_, begin_ns, record.end_ns);
  std::int64_t planned_bytes = 0;
  for (const model::launch_line& each : pass_launches_) {
    line.launches += each.launches;
    planned_bytes = sum(planned_bytes, each.planned_weight_bytes);
    line.read_bytes = sum(line.read_bytes, sum(each.weight_bytes, each.kv_bytes));
    if (keeps_launches_) line.launch_busy_ns.push_back(each.busy_ns);
  }
  // Where records tell nothing, steps of two models would look like the same work.
  if (line.read_bytes == 0) line.read_bytes = planned_bytes;
  const std::int64_t busy_ns = line.parts[static_cast<std::size_t>(time_part::launch)];
  count_prefill(busy_ns, lengths_ns);
  if (is_named) {
    decode_.named_busy_ns = sum(decode_.named_busy_ns, busy_ns);
    decode_.named_lengths_ns = sum(decode_.named_lengths_ns, lengths_ns);
  }
  settle(total_of(open_kind_), line, parts);
  caller_.settle(line.residual_ns, begin_ns, record.end_ns, total_of(open_kind_).caller);
  overheads_.settle(pieces_, begin_ns, record.end_ns, total_of(open_kind_).overhead);
  memory_.settle(pieces_, begin_ns, record.end_ns, total_of(open_kind_).memory);
  if (open_kind_ == ASSAY_WINDOW_DECODE_STEP) steps_.push_back(line);
}

void pass_fold::note_token(bool is_first, std::int64_t at_ns) {
  if (is_first && is_in_request_) {
    const std::int64_t took_ns = difference(at_ns, request_begin_ns_);
    if (took_ns > 0) first_token_ns_.push_back(took_ns);
  }
  if (!is_first && has_token_ && at_ns > last_token_ns_)
    inter_token_ns_.push_back(difference(at_ns, last_token_ns_));
  has_token_ = true;
  last_token_ns_ = at_ns;
}

void pass_fold::settle(model::pass_total& total, const model::pass_line& line, const split& parts) {
  ++total.passes;
  total.wall_ns = sum(total.wall_ns, line.wall_ns);
  std::int64_t explained_ns = line.residual_ns;
  for (std::size_t part = 0; part < model::time_part_count; ++part) {
    total.parts[part] = sum(total.parts[part], line.parts[part]);
    total.busy_ns[part] = sum(total.busy_ns[part], parts.busy_ns[part]);
    explained_ns = sum(explained_ns, line.parts[part]);
  }
  total.residual_ns = sum(total.residual_ns, line.residual_ns);
  total.device_busy_ns = sum(total.device_busy_ns, parts.device_busy_ns);
  total.closure_ns = std::max(total.closure_ns, std::abs(difference(explained_ns, line.wall_ns)));
  const auto& classes = launches_.classes();
  while (total.launches.size() < classes.size()) {
    const std::size_t at = total.launches.size();
    total.launches.emplace_back().which = classes[at];
  }
  for (std::size_t at = 0; at < pass_launches_.size(); ++at) {
    model::launch_line& into = total.launches[at];
    const model::launch_line& from = pass_launches_[at];
    into.launches += from.launches;
    into.on_path_ns = sum(into.on_path_ns, parts.class_ns[at]);
    into.busy_ns = sum(into.busy_ns, from.busy_ns);
    into.weight_bytes = sum(into.weight_bytes, from.weight_bytes);
    into.kv_bytes = sum(into.kv_bytes, from.kv_bytes);
    into.planned_weight_bytes = sum(into.planned_weight_bytes, from.planned_weight_bytes);
    into.has_planned_kv = into.has_planned_kv || from.has_planned_kv;
    into.calls += from.calls;
    into.call_ns = sum(into.call_ns, from.call_ns);
    into.counted_launches += from.counted_launches;
    into.operations = sum(into.operations, from.operations);
    into.planned_kv_bytes = sum(into.planned_kv_bytes, from.planned_kv_bytes);
    for (std::size_t kind = 0; kind < from.operations_by.size(); ++kind)
      into.operations_by[kind] = sum(into.operations_by[kind], from.operations_by[kind]);
  }
}

void pass_fold::finish() {
  flush();
  if (!overheads_.is_told()) decode_.overhead = prefill_.overhead = {};
  if (open_kind_ != 0) ++defects_.unended_passes;
  open_kind_ = 0;
}

}  // namespace assay::attribution
