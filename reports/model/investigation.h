// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Where the time of a run went, as plain structs. harness/attribution measures, reports/* render.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/model/audit_report.h"
#include "runtime/telemetry/planned_launch.h"

namespace assay::model {

/// What an instant of a pass was spent on. An instant that fits several belongs to the first: the
/// device at work hides the host, and a launch hides a copy that runs beside it.
enum class time_part : std::uint8_t {
  launch,  ///< a kernel ran
  h2d,     ///< no kernel ran, but a copy of this direction
  d2h,
  d2d,
  event,   ///< the device stamped an event
  gap,     ///< the device was idle although a call for work had returned
  submit,  ///< nothing was pending, and the host was inside a call that submits
  sync,    ///< nothing was pending, and the host was inside a call that waits
};
inline constexpr std::size_t time_part_count = 8;

constexpr std::string_view to_string(time_part part) {
  constexpr std::array<std::string_view, time_part_count> words{
      "compute", "h2d", "d2h", "d2d", "events", "launch gaps", "submission", "synchronisation"};
  return words[static_cast<std::size_t>(part)];
}

using part_times_ns = std::array<std::int64_t, time_part_count>;

/// Launches that are not told apart further.
struct launch_class {
  std::string op;                 ///< the operator; empty where no plan of the step names it
  std::string range;              ///< label open at the submission
  std::int64_t weight_bytes = 0;  ///< read by each
  bool reads_kv = false;
  std::int64_t blocks = 0;  ///< of each, where it read neither weights nor KV; else 0
  bool is_rest = false;     ///< all launches beyond the classes that are kept apart

  friend bool operator==(const launch_class&, const launch_class&) = default;
};

/// One class over the passes of one kind.
struct launch_line {
  launch_class which;
  std::uint64_t launches = 0;
  std::int64_t on_path_ns = 0;  ///< of the passes' time
  std::int64_t busy_ns = 0;     ///< sum over launches, also where they overlap
  std::int64_t weight_bytes = 0;
  std::int64_t kv_bytes = 0;
  std::int64_t planned_weight_bytes = 0;  ///< by the plan of the step, whatever the records tell
  bool has_planned_kv = false;            ///< the plan says that it reads KV, not how much
  std::uint64_t calls = 0;                ///< that submitted one of these and nothing else
  std::int64_t call_ns = 0;               ///< host time inside of them
  /// Of which the plan says what their products come to, the context included where they grow with
  /// it.
  std::uint64_t counted_launches = 0;
  std::int64_t operations = 0;  ///< of the products of those, two a multiply-add
  std::array<std::int64_t, telemetry::arithmetic_count> operations_by{};  ///< likewise, each kind's
  std::int64_t planned_kv_bytes = 0;                                      ///< likewise, by the plan
};

/// One prefill or decode step.
struct pass_line {
  std::uint64_t request = 0;
  std::uint64_t index = 0;
  std::int64_t begin_ns = 0;  ///< since the first pass of the trace
  std::int64_t wall_ns = 0;
  part_times_ns parts{};
  std::int64_t residual_ns = 0;  ///< wall less the union of everything recorded
  std::uint64_t launches = 0;
  /// Weights and KV by the records; where they tell nothing, weights by the plan. With the
  /// launches, what the pass did.
  std::int64_t read_bytes = 0;
  /// Length of its launches by class, in the order of launch_classes; where it was asked for.
  std::vector<std::int64_t> launch_busy_ns{};
};

/// The caller by the kernel's account, over those passes that lie between two readings of it: a
/// second way to divide them, which shares nothing with the first but the harness's stamps and the
/// spans of the calls that wait.
struct pass_account {
  std::uint64_t passes = 0;
  std::int64_t between_ns = 0;  ///< the readings: some microseconds more than the pass
  std::int64_t run_ns = 0;
  std::int64_t off_core_ns = 0;  ///< between_ns less run_ns
  std::int64_t wait_ns = 0;      ///< ready, no core free
  std::int64_t calls_ns = 0;     ///< inside its calls that wait, by the records
  std::int64_t residual_ns = 0;  ///< of these passes, by their records
  /// Passes in which it is known where the caller was off its core: never, or once and for longer
  /// than all calls that wait leave room for, so inside one of those. A thread goes on where it
  /// left its core: what began in a call ends in it.
  std::uint64_t settled_passes = 0;
  /// Outside of its calls that wait, at most: nothing in settled passes, in others all of its time
  /// off its core that fits there.
  std::int64_t off_core_outside_ns = 0;
  std::int64_t residual_run_ns = 0;       ///< of residual_ns, at least: less what it was off there
  std::int64_t residual_run_most_ns = 0;  ///< at most: no more than it ran in the pass
};

/// What a recorder or a driver did for itself, by kind: ASSAY_OVERHEAD_*.
inline constexpr std::size_t overhead_count = 10;
constexpr std::string_view overhead_word(std::size_t what) {
  constexpr std::array<std::string_view, overhead_count> words{
      "other",           "compiler",       "record buffer flushed",
      "instrumentation", "resources",      "module loading",
      "lazy loading",    "command buffer", "record buffer requested",
      "unified memory"};
  return words.at(what);
}

struct overhead_line {
  std::uint64_t spans = 0;
  std::int64_t busy_ns = 0;  ///< within the passes, one by one
};

/// Overheads by a GPU's recorder itself, over those passes of which all could be held: what of the
/// residual is the recorder's or the driver's, by records that are no part of the first account.
struct pass_overhead {
  std::uint64_t passes = 0;      ///< 0 also where nothing in the trace tells overheads
  std::int64_t caller_ns = 0;    ///< union of those on the caller's thread
  std::int64_t residual_ns = 0;  ///< of these, what no other record covers
  std::array<overhead_line, overhead_count> of_caller{};
  std::array<overhead_line, overhead_count> of_others{};  ///< other threads: not on the path
};

/// Calls that allocate or free, by the device's own span of each. Where the device was at work or
/// the caller inside of another call, that has the time; what only these cover is residual.
struct pass_memory {
  std::uint64_t calls = 0;          ///< with a length
  std::uint64_t untimed_calls = 0;  ///< without: of a trace that tells moments alone
  std::int64_t call_ns = 0;         ///< within the passes; of several at once, once
  std::int64_t residual_ns = 0;     ///< of call_ns, what no other record covers
};

/// All passes of one kind.
struct pass_total {
  std::uint64_t passes = 0;
  std::int64_t wall_ns = 0;
  part_times_ns parts{};
  part_times_ns busy_ns{};  ///< of each part, also where another hid it
  std::int64_t residual_ns = 0;
  std::int64_t closure_ns = 0;  ///< largest |parts + residual - wall| of a pass: two algorithms
  std::int64_t device_busy_ns = 0;
  std::uint64_t allocations = 0;  ///< of `memory`'s calls, those that allocate
  std::uint64_t copy_calls = 0;
  std::int64_t copy_call_ns = 0;  ///< inside of them: a device that stages bytes does it there
  /// Copies whose call is not in the trace, or has no length: copy_call_ns bounds nothing then.
  std::uint64_t unbounded_copies = 0;
  std::uint64_t graph_calls = 0;   ///< each submitted several launches at once
  std::int64_t graph_call_ns = 0;  ///< host time inside of them
  std::uint64_t named_passes = 0;  ///< whose launches the plan of a step names
  std::int64_t named_busy_ns = 0;  ///< of those passes, in which a kernel ran
  /// Of their launches within them, one by one: more than named_busy_ns where they overlap.
  std::int64_t named_lengths_ns = 0;
  pass_memory memory;
  pass_account caller;
  pass_overhead overhead;
  std::vector<launch_line> launches;  ///< most time first
};

/// Percentiles by nearest rank.
struct latency_line {
  std::string name;
  std::uint64_t samples = 0;
  std::int64_t least_ns = 0;
  std::int64_t p50_ns = 0;
  std::int64_t p90_ns = 0;
  std::int64_t p99_ns = 0;
  std::int64_t most_ns = 0;
  std::string absence;  ///< why there are no samples
};

/// A thread by the kernel's account, beside what the records say of it.
struct thread_line {
  std::uint32_t tid = 0;
  bool is_worker = false;
  std::uint64_t intervals = 0;  ///< between two readings
  std::int64_t wall_ns = 0;
  std::int64_t run_ns = 0;
  std::int64_t wait_ns = 0;      ///< ready, no core free
  std::int64_t asleep_ns = 0;    ///< the rest of wall_ns
  std::int64_t recorded_ns = 0;  ///< of a worker: its activities; of another: its calls that wait
  std::uint64_t records = 0;
  std::int64_t differs_ns = 0;  ///< of a worker: run_ns, of another: asleep_ns; less recorded_ns
};

enum class bandwidth_verdict : std::uint8_t { plausible, above_measured, impossible, unmeasured };

constexpr std::string_view to_string(bandwidth_verdict verdict) {
  switch (verdict) {
    case bandwidth_verdict::plausible:
      return "plausible";
    case bandwidth_verdict::above_measured:
      return "above the measured ceiling";
    case bandwidth_verdict::impossible:
      return "impossible";
    case bandwidth_verdict::unmeasured:
      return "unmeasured";
  }
  return "?";
}

/// Bytes over time, held against what carries them.
struct bandwidth_line {
  std::string subject;    ///< a transfer class, or a counter
  bool is_claim = false;  ///< by a counter; else observed by the device's records
  bool is_read = false;   ///< of what kernels read
  quantity bytes;
  quantity time_ns;
  quantity bytes_per_s;
  std::string link;  ///< empty where nothing names one
  double soft_bytes_per_s = 0.0;
  double hard_bytes_per_s = 0.0;
  bandwidth_verdict verdict = bandwidth_verdict::unmeasured;
  std::string reason;  ///< why unmeasured
};

/// The least and the most of a level over a stretch of the run.
struct level_stretch {
  std::int64_t begin_ns = 0;  ///< since the first snapshot
  std::int64_t least = 0;
  std::int64_t most = 0;
};

/// A level that the runtime published, over the run.
struct level_line {
  std::string name;
  std::string unit;
  std::string kind;
  std::uint64_t samples = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::vector<level_stretch> stretches;  ///< of equal numbers of samples, the last one shorter
};

/// What a cumulative counter grew by in each decode step.
struct flow_line {
  std::string name;
  std::string unit;
  std::uint64_t steps = 0;
  std::int64_t total = 0;
  std::int64_t least = 0;  ///< of a step
  std::int64_t most = 0;
  std::vector<level_stretch> stretches;  ///< of equal numbers of steps, the last one shorter
};

/// What a counter claimed less what a reference of the trace said of the same window, over the run.
struct deviation_line {
  std::string name;
  std::string unit;
  std::string against;   ///< who said it: ledger, events, …
  bool is_near = false;  ///< a time, equal within a tolerance; else exact
  std::uint64_t windows = 0;
  std::uint64_t unequal = 0;  ///< windows whose difference is not 0
  std::int64_t total = 0;
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::int64_t worst_at_ns = 0;  ///< end of the window with the largest difference either way
  std::vector<level_stretch> stretches;
};

/// What a link carried when it was probed, over the run.
struct link_line {
  std::string link;
  std::uint64_t samples = 0;
  double first_bytes_per_s = 0.0;
  double last_bytes_per_s = 0.0;
  double least_bytes_per_s = 0.0;
  double most_bytes_per_s = 0.0;
};

/// Where a step's reads come from: a weight is read again a step later, and what a step reads in
/// between is the set that a cache would have to hold.
enum class read_tier : std::uint8_t {
  unknown,  ///< nobody states the cache, or tells what a step reads
  cache,    ///< less than three times the largest cache: it may have served any of them
  memory,
};

/// The lower of two roofs over an operator.
enum class roof_bound : std::uint8_t { none, reads, arithmetic };

constexpr std::string_view to_string(read_tier tier) {
  constexpr std::array<std::string_view, 3> words{"unknown", "cache", "memory"};
  return words[static_cast<std::size_t>(tier)];
}

constexpr std::string_view to_string(roof_bound bound) {
  constexpr std::array<std::string_view, 3> words{"none", "reads", "arithmetic"};
  return words[static_cast<std::size_t>(bound)];
}

/// An operator of decode steps, all launches of those steps that the plan names, or all of
/// prefill's that one kind of arithmetic bounds.
struct roofline_point {
  launch_class which;
  bool is_prefill = false;
  bool is_total = false;        ///< of decode steps, or of prefill
  std::uint64_t launches = 0;   ///< of a total, passes
  std::uint64_t passes = 0;     ///< of a total: all of the trace, also those that no plan counts
  std::int64_t busy_ns = 0;     ///< of a total, time in which a kernel ran
  std::int64_t lengths_ns = 0;  ///< of the launches, one by one: more where they overlap
  telemetry::arithmetic by = telemetry::arithmetic::f32_fma;
  bool is_by_several = false;  ///< it uses several kinds: under the roof of reads alone
  std::array<std::int64_t, telemetry::arithmetic_count>
      operations_by{};        ///< of decode: each kind's
  quantity operations;        ///< of products, by the plan
  quantity ledger_bytes;      ///< read, by the plan: weights and KV
  quantity told_bytes;        ///< read, by the records
  quantity ledger_intensity;  ///< operations a byte
  quantity told_intensity;
  quantity operations_per_s;
  /// At the records' intensity, where they tell one, else at the ledger's.
  quantity roof_operations_per_s;
  quantity roof_ratio;  ///< achieved, of the roof
  roof_bound bound = roof_bound::none;

  /// What the roof was taken at.
  const quantity& intensity() const {
    return told_intensity.is_present ? told_intensity : ledger_intensity;
  }
};

/// What was measured of one kind of arithmetic, and the intensity above which it binds.
struct arithmetic_line {
  telemetry::arithmetic by = telemetry::arithmetic::f32_fma;
  quantity operations_per_s;
  std::uint64_t samples = 0;
  std::string how;           ///< by what it was measured
  quantity ridge_intensity;  ///< operations a byte
};

struct roofline {
  double read_bytes_per_s = 0.0;  ///< measured; 0 where nobody did
  read_tier tier = read_tier::unknown;
  std::vector<arithmetic_line> arithmetic;
  std::vector<roofline_point> points;  ///< most time first, then decode as a whole, prefill last
};

/// What state the machine was in, over the run. A level has first, last, least and most; of what is
/// counted since long ago it has what was gained, and the least and the most between two samples.
struct condition_line {
  std::string name;
  std::string unit;
  std::string kind;  ///< level, total or bits
  bool is_of_gpu = false;
  std::uint64_t samples = 0;
  std::uint64_t samples_in_passes = 0;  ///< taken while a pass was timed
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::int64_t gained = 0;
  bool has_bound = false;   ///< somebody says how much it may change, and there is more than one
  bool is_flagged = false;  ///< it changed by more than it should
  std::string reads_as;     ///< what the samples say
  std::string absence;      ///< why there are none
  std::vector<level_stretch> stretches;
};

struct investigation {
  audit_report audit;
  pass_total decode;
  pass_total prefill;
  std::vector<launch_class> launch_classes;  ///< where launches of each step were asked for
  std::vector<pass_line> steps;              ///< decode steps in the order of the trace
  std::vector<latency_line> latencies;       ///< TTFT, ITL
  quantity tokens_per_s;                     ///< decode only
  std::uint64_t planned_launches = 0;        ///< of a decode step; 0: the trace has no plan of one
  std::int64_t cache_bytes = 0;  ///< the largest before the memory of weights; 0 unknown
  roofline roof;
  std::vector<thread_line> threads;
  std::vector<bandwidth_line> bandwidths;
  std::vector<link_line> links;
  std::vector<level_line> levels;
  std::vector<flow_line> flows;
  std::vector<deviation_line> deviations;
  std::vector<condition_line> conditions;
  std::vector<std::string> blind_spots;  ///< what this report cannot tell, and why
};

}  // namespace assay::model
