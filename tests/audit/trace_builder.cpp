// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/audit/trace_builder.h"

#include <algorithm>

#include "probes/trace/contract_json.h"
#include "runtime/telemetry/range.h"

namespace assay::audit_test {
namespace {

using telemetry::activity;
using telemetry::counter_kind;
using telemetry::direction;
using telemetry::link_class;
using telemetry::measure;
using telemetry::range;
using telemetry::reset_scope;

trace::contract_row plain(std::string name, unit u, counter_kind kind, reset_scope reset) {
  trace::contract_row made;
  made.name = std::move(name);
  made.unit = u;
  made.kind = kind;
  const bool is_timed = kind == counter_kind::duration || kind == counter_kind::rate;
  made.clock = is_timed ? clock_domain::host : clock_domain::none;
  made.bracket = "as simulated";
  made.claims.reason = "no device work";
  made.pairs_with.reason = "nothing moves";
  made.identity = "none";
  made.reset = reset;
  return made;
}

trace::contract_row claiming(trace::contract_row made, activity kind, direction dir, range r,
                             measure m) {
  made.claims = {kind, dir, r, m, {}};
  if (m == measure::span || made.kind == counter_kind::rate)
    made.clock = clock_domain::device_event;
  return made;
}

trace::contract_row paired(trace::contract_row made, std::string with) {
  made.pairs_with = {std::move(with), link_class::host_memcpy, {}};
  return made;
}

/// Writes records in virtual time.
class simulator {
 public:
  simulator(const run_shape& shape, const lie& told)
      : shape_(shape), told_(told), random_(shape.seed) {
    values_.assign(row_total, 0);
    trace_.facts.ceilings.push_back({link_class::host_memcpy, 12e9, 40e9, 5, {}});
    trace_.facts.reasons = {"no graphs on the host device"};
  }

  test_trace run() {
    clock_sample();
    sentinel();
    load();
    for (int request = 0; request < shape_.requests; ++request) {
      decode_request(request);
      clock_sample();
    }
    sentinel();
    clock_sample();
    return std::move(trace_);
  }

 private:
  static constexpr std::uint32_t stream = 1;
  static constexpr std::uint32_t transfer = 2;

  std::int64_t spread(std::int64_t ns) {
    if (shape_.device_noise == 0.0) return ns;
    std::uniform_real_distribution<double> factor(1.0, 1.0 + shape_.device_noise);
    return static_cast<std::int64_t>(static_cast<double>(ns) * factor(random_));
  }

  void put(const assay_record& record) { trace_.pieces.emplace_back(record); }

  void clock_sample() {
    assay_record r{};
    r.kind = ASSAY_CLOCK_SAMPLE;
    r.start_ns = now_;
    r.end_ns = now_ + 80;
    r.amount = now_ + 40 + shape_.clock_offset_ns;
    now_ += 200;
    put(r);
  }

  // One call on the host; the device runs it behind what its stream has.
  void submit(std::uint8_t op, std::uint8_t dir, range r, std::uint32_t on, std::int64_t bytes,
              std::int64_t work_ns, std::int64_t weights = 0) {
    assay_record call{};
    call.kind = ASSAY_SUBMISSION;
    call.op = op;
    call.direction = dir;
    call.range = static_cast<std::uint16_t>(r);
    call.stream = on;
    call.correlation = ++correlation_;
    call.start_ns = now_;
    call.end_ns = now_ += 300;
    call.amount = bytes;
    now_ += 50;
    put(call);
    std::int64_t& busy = on == stream ? stream_end_ : transfer_end_;
    assay_record work = call;
    work.kind = ASSAY_ACTIVITY;
    work.start_ns = std::max(busy, call.end_ns) + spread(100) + gap_ns_;
    gap_ns_ = 0;
    work.end_ns = work.start_ns + spread(work_ns);
    busy = work.end_ns;
    work.extra[1] = weights;
    last_start_ = work.start_ns;
    last_end_ = work.end_ns;
    work.start_ns += shape_.clock_offset_ns;
    work.end_ns += shape_.clock_offset_ns;
    drained_.push_back(work);
  }

  std::int64_t event(range r, std::uint32_t on) {
    submit(ASSAY_OP_EVENT, 0, r, on, 0, 0);
    return last_end_;
  }

  void synchronize(std::uint32_t on, range r = range::any) {
    assay_record call{};
    call.kind = ASSAY_SUBMISSION;
    call.op = ASSAY_OP_SYNC;
    call.range = static_cast<std::uint16_t>(r);
    call.stream = on;
    call.correlation = ++correlation_;
    call.start_ns = now_;
    now_ = std::max(now_, on == stream ? stream_end_ : transfer_end_) + 500;
    call.end_ns = now_;
    put(call);
    if (r != range::sentinel) ++values_[syncs];
  }

  void drain() {
    for (const assay_record& work : drained_) put(work);
    drained_.clear();
  }

  void sentinel() {
    const std::int64_t bytes = 65'536 + 4'099;
    submit(ASSAY_OP_COPY, ASSAY_H2D, range::sentinel, transfer, bytes, 20'000);
    synchronize(transfer, range::sentinel);
    drain();
    assay_record r{};
    r.kind = ASSAY_SENTINEL;
    r.correlation = correlation_ - 1;
    r.amount = bytes;
    r.op = 1;
    put(r);
  }

  void window(std::uint8_t kind, int op, int index) {
    assay_record r{};
    r.kind = kind;
    r.op = static_cast<std::uint8_t>(op);
    r.correlation = static_cast<std::uint64_t>(index);
    (kind == ASSAY_WINDOW_BEGIN ? r.start_ns : r.end_ns) = now_;
    now_ += 100;
    put(r);
  }

  void observe(row which, int source, int relation, std::int64_t bits) {
    assay_record r{};
    r.kind = ASSAY_OBSERVATION;
    r.stream = static_cast<std::uint32_t>(which);
    r.op = static_cast<std::uint8_t>(relation);
    r.direction = static_cast<std::uint8_t>(source);
    r.amount = bits;
    put(r);
  }

  void snapshot(int kind) {
    snapshot_piece shot;
    shot.at_ns = now_;
    for (std::size_t i = 0; i < row_total; ++i) {
      assay_reading reading{};
      reading.bits = values_[i];
      reading.state = values_[i] == 0 ? ASSAY_ZERO : ASSAY_MEASURED;
      if (i == random_draws) reading.state = ASSAY_NEVER_WRITTEN;
      if (i == graph_nodes) {
        reading.state = ASSAY_NOT_APPLICABLE;
        reading.reason = 1;
      }
      shot.readings.push_back(reading);
    }
    if (told_.on_snapshot) told_.on_snapshot(shot.readings, kind);
    trace_.pieces.emplace_back(std::move(shot));
  }

  void allocate(std::uint64_t address, std::int64_t bytes, bool is_allocation) {
    assay_record r{};
    r.kind = ASSAY_MEMORY;
    r.op = is_allocation ? 1 : 2;
    r.range = static_cast<std::uint16_t>(range::arena);
    r.correlation = address;
    r.amount = bytes;
    r.start_ns = now_;
    put(r);
    values_[live_bytes] += is_allocation ? bytes : -bytes;
    values_[peak_bytes] = std::max(values_[peak_bytes], values_[live_bytes]);
    if (!is_allocation) ++values_[frees];
  }

  void load() {
    window(ASSAY_WINDOW_BEGIN, ASSAY_WINDOW_LOAD, 0);
    const std::int64_t total = shape_.tensors * shape_.tensor_bytes;
    allocate(0x1000, total, true);
    const std::int64_t from = event(range::weights, transfer);
    for (int i = 0; i < shape_.tensors; ++i)
      submit(ASSAY_OP_COPY, ASSAY_H2D, range::weights, transfer, shape_.tensor_bytes,
             shape_.tensor_bytes / 10);
    const std::int64_t to = event(range::weights, transfer);
    synchronize(transfer, range::weights);
    values_[weights_bytes] += total;
    values_[weights_copies] += shape_.tensors;
    values_[weights_ns] += to - from;
    const double rate = static_cast<double>(total) * 1e9 / static_cast<double>(to - from);
    values_[weights_rate] = std::bit_cast<std::int64_t>(rate);
    drain();
    observe(weights_bytes, ASSAY_SOURCE_LEDGER, ASSAY_EQUAL, total);
    observe(weights_copies, ASSAY_SOURCE_LEDGER, ASSAY_EQUAL, shape_.tensors);
    observe(live_bytes, ASSAY_SOURCE_LEDGER, ASSAY_EQUAL, total);
    observe(peak_bytes, ASSAY_SOURCE_LEDGER, ASSAY_EQUAL, total);
    observe(frees, ASSAY_SOURCE_LEDGER, ASSAY_EQUAL, 0);
    snapshot(ASSAY_WINDOW_LOAD);
    window(ASSAY_WINDOW_END, ASSAY_WINDOW_LOAD, 0);
  }

  void forward(int kind, int index, int rows) {
    const std::int64_t outer = now_;
    window(ASSAY_WINDOW_BEGIN, kind, index);
    const std::int64_t entry = now_;
    if (shape_.disturbed_ratio > 0.0 &&
        std::uniform_real_distribution<double>(0.0, 1.0)(random_) < shape_.disturbed_ratio)
      disturb_ns_ = std::uniform_int_distribution<std::int64_t>(1'000'000, 10'000'000)(random_);
    std::int64_t from = event(range::inputs, stream);
    submit(ASSAY_OP_COPY, ASSAY_H2D, range::inputs, stream, 4 * rows, 12'000);
    std::int64_t to = event(range::inputs, stream);
    values_[inputs_bytes] += 4 * rows;
    values_[inputs_ns] += to - from;
    from = event(range::compute, stream);
    // The worker loses its core between the event's stamp and the first kernel.
    gap_ns_ = disturb_ns_;
    disturb_ns_ = 0;
    for (int i = 0; i < shape_.kernels; ++i)
      submit(ASSAY_OP_LAUNCH, 0, range::compute, stream, 0, shape_.kernel_ns, 4096);
    to = event(range::compute, stream);
    values_[compute_ns] += to - from;
    values_[launches] += shape_.kernels;
    values_[weight_reads] += 4096 * shape_.kernels;
    submit(ASSAY_OP_COPY, ASSAY_D2H, range::logits, stream, 2048, 900);
    values_[logits_bytes] += 2048;
    synchronize(stream);
    ++values_[tokens];
    values_[step_ns] += now_ - entry;
    drain();
    observe(step_ns, ASSAY_SOURCE_HOST_SPAN, ASSAY_NEAR, now_ - outer);
    observe(step_ns, ASSAY_SOURCE_HOST_SPAN, ASSAY_AT_MOST, now_ - outer);
    observe(step_ns, ASSAY_SOURCE_PROCESS, ASSAY_AT_MOST, now_ - outer + 1000);
    observe(step_ns, ASSAY_SOURCE_DEVICE_RECORDS, ASSAY_AT_LEAST, last_end_ - last_start_);
    snapshot(kind);
    window(ASSAY_WINDOW_END, kind, index);
  }

  void decode_request(int request) {
    window(ASSAY_WINDOW_BEGIN, ASSAY_WINDOW_REQUEST, request);
    const auto kept = values_;
    for (const row r : {inputs_bytes, inputs_ns, logits_bytes, compute_ns, launches, weight_reads,
                        step_ns, tokens})
      values_[r] = 0;
    for (const row r : told_.forgotten_resets) values_[r] = kept[r];
    forward(ASSAY_WINDOW_PREFILL, 0, 7);
    for (int step = 0; step < shape_.steps; ++step) forward(ASSAY_WINDOW_DECODE_STEP, step, 1);
    const std::int64_t passes = 1 + shape_.steps;
    observe(inputs_bytes, ASSAY_SOURCE_LEDGER, ASSAY_EQUAL, 4 * (7 + shape_.steps));
    observe(logits_bytes, ASSAY_SOURCE_LEDGER, ASSAY_EQUAL, 2048 * passes);
    observe(launches, ASSAY_SOURCE_LEDGER, ASSAY_EQUAL, passes * shape_.kernels);
    observe(weight_reads, ASSAY_SOURCE_LEDGER, ASSAY_EQUAL, passes * shape_.kernels * 4096);
    observe(syncs, ASSAY_SOURCE_LEDGER, ASSAY_EQUAL, passes);
    observe(tokens, ASSAY_SOURCE_LEDGER, ASSAY_EQUAL, passes);
    observe(tokens, ASSAY_SOURCE_CONTENT, ASSAY_EQUAL, passes);
    snapshot(ASSAY_WINDOW_REQUEST);
    window(ASSAY_WINDOW_END, ASSAY_WINDOW_REQUEST, request);
  }

  run_shape shape_;
  lie told_;
  std::mt19937_64 random_;
  test_trace trace_;
  std::vector<std::int64_t> values_;
  std::vector<assay_record> drained_;
  std::uint64_t correlation_ = 0;
  std::int64_t now_ = 1'000'000'000;
  std::int64_t stream_end_ = 0;
  std::int64_t transfer_end_ = 0;
  std::int64_t last_start_ = 0;
  std::int64_t last_end_ = 0;
  std::int64_t gap_ns_ = 0;
  std::int64_t disturb_ns_ = 0;
};

}  // namespace

std::vector<trace::contract_row> test_contract() {
  using enum counter_kind;
  using enum reset_scope;
  std::vector<trace::contract_row> rows(row_total);
  rows[weights_bytes] = claiming(plain("test.weights.h2d_bytes", unit::bytes, count, per_process),
                                 activity::copy, direction::h2d, range::weights, measure::bytes);
  rows[weights_copies] =
      claiming(plain("test.weights.copies_count", unit::count, count, per_process), activity::copy,
               direction::h2d, range::weights, measure::operations);
  rows[weights_ns] = paired(claiming(plain("test.weights.h2d_ns", unit::ns, duration, per_process),
                                     activity::copy, direction::h2d, range::weights, measure::span),
                            "test.weights.h2d_bytes");
  rows[weights_rate] =
      paired(claiming(plain("test.weights.h2d_bytes_per_s", unit::bytes_per_s, rate, never),
                      activity::copy, direction::h2d, range::weights, measure::bytes),
             "test.weights.h2d_bytes");
  rows[inputs_bytes] = claiming(plain("test.inputs.h2d_bytes", unit::bytes, count, per_request),
                                activity::copy, direction::h2d, range::inputs, measure::bytes);
  rows[inputs_ns] = claiming(plain("test.inputs.h2d_ns", unit::ns, duration, per_request),
                             activity::copy, direction::h2d, range::inputs, measure::span);
  rows[logits_bytes] = claiming(plain("test.logits.d2h_bytes", unit::bytes, count, per_request),
                                activity::copy, direction::d2h, range::logits, measure::bytes);
  rows[compute_ns] = claiming(plain("test.compute.device_ns", unit::ns, duration, per_request),
                              activity::launch, direction::any, range::compute, measure::span);
  rows[launches] = claiming(plain("test.compute.launches_count", unit::count, count, per_request),
                            activity::launch, direction::any, range::compute, measure::operations);
  rows[weight_reads] =
      claiming(plain("test.compute.weight_bytes", unit::bytes, count, per_request),
               activity::launch, direction::any, range::compute, measure::weight_bytes);
  rows[live_bytes] = claiming(plain("test.arena.live_bytes", unit::bytes, gauge, never),
                              activity::memory, direction::any, range::arena, measure::live_bytes);
  rows[peak_bytes] = claiming(plain("test.arena.peak_bytes", unit::bytes, peak, never),
                              activity::memory, direction::any, range::arena, measure::peak_bytes);
  rows[peak_bytes].limits.most = 1e9;
  rows[live_bytes].identity = "test.arena.live_bytes <= test.arena.peak_bytes";
  rows[frees] = claiming(plain("test.arena.frees_count", unit::count, count, per_process),
                         activity::memory, direction::any, range::arena, measure::frees);
  rows[syncs] = claiming(plain("test.device.syncs_count", unit::count, count, per_process),
                         activity::submission, direction::any, range::any, measure::sync_calls);
  rows[step_ns] = plain("test.engine.step_ns", unit::ns, duration, per_request);
  rows[tokens] = plain("test.engine.made_tokens", unit::tokens, count, per_request);
  rows[random_draws] = plain("test.sampling.random_count", unit::count, count, per_request);
  rows[graph_nodes] = plain("test.graph.nodes_count", unit::count, count, per_process);
  return rows;
}

void test_trace::feed(trace::sink& into) const {
  const auto must = [](const result<void>& done) {
    if (!done) throw std::runtime_error(done.error().message);
  };
  must(into.contract(trace::to_json(rows)));
  must(into.facts(trace::to_json(facts)));
  for (const piece& p : pieces) {
    if (const auto* record = std::get_if<assay_record>(&p))
      must(into.records(std::span(record, 1)));
    else
      must(into.snapshot(std::get<snapshot_piece>(p).at_ns, std::get<snapshot_piece>(p).readings));
  }
  must(into.end());
}

model::audit_report test_trace::audit(std::span<const audit::rule> with) const {
  audit::auditor auditor(with);
  feed(auditor);
  return auditor.finish().value();
}

assay_record* test_trace::find(const std::function<bool(const assay_record&)>& fits, int nth) {
  for (piece& p : pieces)
    if (auto* record = std::get_if<assay_record>(&p); record != nullptr && fits(*record))
      if (nth-- == 0) return record;
  return nullptr;
}

void test_trace::drop(const std::function<bool(const assay_record&)>& fits, int nth) {
  for (auto at = pieces.begin(); at != pieces.end(); ++at) {
    const auto* record = std::get_if<assay_record>(&*at);
    if (record == nullptr || !fits(*record) || nth-- != 0) continue;
    pieces.erase(at);
    return;
  }
}

lie scaling(row which, double factor) {
  return {[=](std::vector<assay_reading>& r, int) { scale(r[which], factor); }, {}};
}

test_trace simulate(const run_shape& shape, const lie& told) {
  return simulator(shape, told).run();
}

const model::counter_line& line_of(const model::audit_report& report, row which) {
  return report.counters.at(which);
}

std::string name_of(row which) {
  return test_contract().at(which).name;
}

std::vector<std::string> rules_on(const model::audit_report& report, const std::string& subject) {
  std::vector<std::string> ids;
  for (const model::finding& found : report.findings)
    if (found.subject == subject && std::find(ids.begin(), ids.end(), found.rule) == ids.end())
      ids.push_back(found.rule);
  return ids;
}

std::vector<audit::rule> all_but(std::string_view id) {
  std::vector<audit::rule> kept;
  for (const audit::rule& one : audit::rules())
    if (one.id != id) kept.push_back(one);
  return kept;
}

std::string text_of(const model::audit_report& report) {
  static constexpr const char* words[] = {"agree", "disagree", "undecided", "unmeasured"};
  std::string text;
  for (const model::counter_line& line : report.counters) {
    text += line.name + ": " + words[static_cast<std::size_t>(line.verdict)] + " " + line.reason;
    for (const model::reference& r : line.references)
      text += " [" + r.source + " " + r.relation + " " + std::to_string(r.observed.integer) +
              " of " + std::to_string(r.compared_windows) +
              (r.is_void ? " void: " + r.void_reason : "") + (r.holds ? " holds" : " fails") + "]";
    text += "\n";
  }
  for (const model::finding& f : report.findings)
    text += f.rule + " " + f.subject + ": " + f.message + " (" + f.likely_cause + ")\n";
  for (const model::gate_line& g : report.gates)
    text += g.id + (g.holds ? " holds: " : " fails: ") + g.detail + "\n";
  return text + report.incompleteness + "\n";
}

}  // namespace assay::audit_test
