// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/roofline.h"

#include <limits>
#include <string>
#include <utility>

#include "probes/trace/bounded.h"
#include "reports/model/step_reads.h"

namespace assay::attribution {
namespace {

using model::quantity;
using model::roof_bound;

quantity whole(std::int64_t value) {
  return {true, false, value, 0.0, {}};
}

quantity real(double value) {
  return {true, true, 0, value, {}};
}

quantity absent(std::string why) {
  return {false, false, 0, 0.0, std::move(why)};
}

double number_of(const quantity& value) {
  return value.is_real ? value.real : static_cast<double>(value.integer);
}

// What reached the end of the range is no sum any more.
quantity counted(std::int64_t operations) {
  return operations == std::numeric_limits<std::int64_t>::max()
             ? absent("the plan has more than is counted")
             : whole(operations);
}

// Whatever one of the two lacks, the quotient lacks.
quantity quotient(const quantity& above, const quantity& below, const char* why_zero) {
  if (!above.is_present) return absent(above.absence);
  if (!below.is_present) return absent(below.absence);
  if (number_of(below) <= 0.0) return absent(why_zero);
  return real(number_of(above) / number_of(below));
}

quantity operations_of(const model::launch_line& line) {
  if (line.counted_launches > 0 && line.counted_launches == line.launches)
    return counted(line.operations);
  if (line.which.op.empty()) return absent("no plan names this launch");
  if (line.counted_launches > 0) return absent("the plan counts the operations of some alone");
  return absent(line.has_planned_kv ? "the trace plans no operations, or tells no context"
                                    : "the trace plans no operations");
}

quantity ledger_bytes_of(const model::launch_line& line) {
  if (line.which.op.empty()) return absent("no plan names this launch");
  if (line.has_planned_kv && line.planned_kv_bytes == 0)
    return absent("the plan does not say how many bytes of KV it reads");
  return whole(trace::sum(line.planned_weight_bytes, line.planned_kv_bytes));
}

quantity told_bytes_of(std::int64_t weight_bytes, std::int64_t kv_bytes) {
  const std::int64_t bytes = trace::sum(weight_bytes, kv_bytes);
  return bytes > 0 ? whole(bytes) : absent("no record tells what it read");
}

quantity ceiling_of(const model::roofline& roof, telemetry::arithmetic by) {
  for (const model::arithmetic_line& each : roof.arithmetic)
    if (each.by == by) return each.operations_per_s;
  return absent("the run has no ceiling of this arithmetic");
}

void add_kinds(model::roofline_point& to, const model::launch_line& line) {
  std::size_t kinds = 0;
  for (std::size_t kind = 0; kind < to.operations_by.size(); ++kind) {
    std::int64_t& operations = to.operations_by[kind];
    operations = trace::sum(operations, line.operations_by[kind]);
    if (operations > 0 && kinds++ == 0) to.by = static_cast<telemetry::arithmetic>(kind);
  }
  to.is_by_several = kinds > 1;
}

// What several kinds of arithmetic come to, one after the other at their ceilings. Kinds that run
// beside each other come to more: it tells whether reads outlast all of them, and is no roof.
quantity ceiling_by_turns(const model::roofline& roof, const model::roofline_point& point) {
  double all = 0.0;
  double took_s = 0.0;
  for (std::size_t kind = 0; kind < point.operations_by.size(); ++kind) {
    const auto operations = static_cast<double>(point.operations_by[kind]);
    if (operations <= 0.0) continue;
    const quantity ceiling = ceiling_of(roof, static_cast<telemetry::arithmetic>(kind));
    if (!ceiling.is_present) return ceiling;
    all += operations;
    took_s += operations / number_of(ceiling);
  }
  return quotient(real(all), real(took_s), "the time is 0");
}

void raise_roof(model::roofline_point& point, const model::roofline& roof) {
  const quantity ceiling =
      point.is_by_several ? ceiling_by_turns(roof, point) : ceiling_of(roof, point.by);
  point.ledger_intensity = quotient(point.operations, point.ledger_bytes, "it reads nothing");
  point.told_intensity = quotient(point.operations, point.told_bytes, "it reads nothing");
  point.operations_per_s =
      quotient(point.operations, real(static_cast<double>(point.busy_ns) / 1e9), "the time is 0");
  const auto open = [&](const std::string& why) {
    point.roof_operations_per_s = point.roof_ratio = absent(why);
  };
  if (!point.operations.is_present) return open(point.operations.absence);
  if (number_of(point.operations) <= 0.0) {
    point.ledger_intensity = point.told_intensity = point.operations_per_s =
        absent("it has no products");
    return open("it has no products");
  }
  if (!ceiling.is_present) return open(ceiling.absence);
  if (!point.intensity().is_present) return open(point.intensity().absence);
  if (roof.read_bytes_per_s <= 0.0) return open("the run has no ceiling of reads");
  const roof_height height =
      roof_at(number_of(point.intensity()), roof.read_bytes_per_s, number_of(ceiling));
  if (point.is_by_several && height.bound != roof_bound::reads)
    return open("it uses several kinds of arithmetic, which reads do not outlast");
  point.bound = height.bound;
  point.roof_operations_per_s = real(height.operations_per_s);
  point.roof_ratio = quotient(point.operations_per_s, point.roof_operations_per_s, "the roof is 0");
}

model::roofline_point point_of(const model::launch_line& line) {
  model::roofline_point point;
  point.which = line.which;
  point.launches = line.launches;
  point.busy_ns = point.lengths_ns = line.busy_ns;
  add_kinds(point, line);
  point.operations = operations_of(line);
  point.ledger_bytes = ledger_bytes_of(line);
  point.told_bytes = told_bytes_of(line.weight_bytes, line.kv_bytes);
  return point;
}

void add(quantity& to, const quantity& more) {
  if (!to.is_present) return;
  to = more.is_present ? whole(trace::sum(to.integer, more.integer)) : more;
}

// What the records tell of all of them: a part of it would pass for less than was read.
quantity told_bytes_of(const model::pass_total& decode) {
  std::int64_t weight_bytes = 0;
  std::int64_t kv_bytes = 0;
  bool is_partial = false;
  for (const model::launch_line& each : decode.launches) {
    if (each.which.op.empty()) continue;
    is_partial = is_partial || (each.planned_weight_bytes > 0 && each.weight_bytes <= 0) ||
                 (each.has_planned_kv && each.kv_bytes <= 0);
    weight_bytes = trace::sum(weight_bytes, each.weight_bytes);
    kv_bytes = trace::sum(kv_bytes, each.kv_bytes);
  }
  const quantity told = told_bytes_of(weight_bytes, kv_bytes);
  return told.is_present && is_partial ? absent("records tell what some of its launches read alone")
                                       : told;
}

// Of those steps that the plan names: their launches alone have an operator.
model::roofline_point point_of(const model::pass_total& decode) {
  model::roofline_point point;
  point.is_total = true;
  point.launches = decode.named_passes;
  point.passes = decode.passes;
  point.busy_ns = decode.named_busy_ns;
  point.lengths_ns = decode.named_lengths_ns;
  point.operations = point.ledger_bytes = whole(0);
  for (const model::launch_line& each : decode.launches) {
    if (each.which.is_rest)
      add(point.operations, absent("more kinds of launches than are kept apart"));
    if (each.which.op.empty()) continue;
    add(point.operations, operations_of(each));
    add(point.ledger_bytes, ledger_bytes_of(each));
    add_kinds(point, each);
  }
  point.told_bytes = told_bytes_of(decode);
  return point;
}

// What launches of prefill read, where all of it is one point's.
quantity prefill_bytes(const model::pass_total& prefill, std::uint64_t passes) {
  if (prefill.passes != passes) return absent("no record tells what these passes alone read");
  std::int64_t weight_bytes = 0;
  std::int64_t kv_bytes = 0;
  for (const model::launch_line& each : prefill.launches) {
    weight_bytes = trace::sum(weight_bytes, each.weight_bytes);
    kv_bytes = trace::sum(kv_bytes, each.kv_bytes);
  }
  return told_bytes_of(weight_bytes, kv_bytes);
}

model::roofline_point point_of(const planned_prefills& planned, const model::pass_total& prefill) {
  model::roofline_point point;
  point.is_prefill = point.is_total = true;
  point.launches = planned.passes;
  point.passes = prefill.passes;
  point.busy_ns = planned.busy_ns;
  point.lengths_ns = planned.lengths_ns;
  point.by = planned.by;
  point.operations = counted(planned.operations);
  point.ledger_bytes = whole(planned.bytes);
  point.told_bytes = prefill_bytes(prefill, planned.passes);
  return point;
}

}  // namespace

roof_height roof_at(double intensity, double read_bytes_per_s, double operations_per_s) {
  if (!(intensity > 0.0) || !(read_bytes_per_s > 0.0) || !(operations_per_s > 0.0)) return {};
  const double by_reads = read_bytes_per_s * intensity;
  if (by_reads <= operations_per_s) return {by_reads, roof_bound::reads};
  return {operations_per_s, roof_bound::arithmetic};
}

double ridge_of(double read_bytes_per_s, double operations_per_s) {
  if (!(read_bytes_per_s > 0.0) || !(operations_per_s > 0.0)) return 0.0;
  return operations_per_s / read_bytes_per_s;
}

model::roofline roofline_of(const model::investigation& report,
                            const std::vector<trace::arithmetic_ceiling>& ceilings,
                            const std::vector<planned_prefills>& prefills) {
  model::roofline roof;
  for (const model::bandwidth_line& each : report.bandwidths)
    if (each.is_read) roof.read_bytes_per_s = each.soft_bytes_per_s;
  roof.tier = model::tier_of(model::step_reads(report.decode).bytes, report.cache_bytes);
  for (const trace::arithmetic_ceiling& each : ceilings) {
    const bool is_known = each.operations_per_s > 0.0;
    const double ridge = ridge_of(roof.read_bytes_per_s, each.operations_per_s);
    roof.arithmetic.push_back({each.by,
                               is_known ? real(each.operations_per_s) : absent(each.reason),
                               each.samples, is_known ? each.reason : std::string(),
                               ridge > 0.0 ? real(ridge)
                               : is_known  ? absent("the run has no ceiling of reads")
                                           : absent(each.reason)});
  }
  for (const model::launch_line& each : report.decode.launches)
    roof.points.push_back(point_of(each));
  if (report.decode.named_passes > 0) roof.points.push_back(point_of(report.decode));
  for (const planned_prefills& each : prefills)
    roof.points.push_back(point_of(each, report.prefill));
  for (model::roofline_point& each : roof.points) raise_roof(each, roof);
  return roof;
}

}  // namespace assay::attribution
