// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/bandwidth.h"

#include <algorithm>

#include "harness/attribution/launch_book.h"
#include "probes/trace/bounded.h"
#include "runtime/telemetry/catalog.h"

namespace assay::attribution {
namespace {

using trace::sum;

using model::bandwidth_line;
using model::bandwidth_verdict;

model::quantity integer(std::int64_t value) {
  return {.is_present = true, .is_real = false, .integer = value, .real = 0.0, .absence = {}};
}

double number_of(const model::quantity& from) {
  return from.is_real ? from.real : static_cast<double>(from.integer);
}

std::string link_word(telemetry::link_class link) {
  if (link == telemetry::link_class::none) return {};
  return std::string(telemetry::to_string(link));
}

std::string direction_word(std::uint8_t direction) {
  if (direction == ASSAY_H2D) return "h2d";
  if (direction == ASSAY_D2H) return "d2h";
  return direction == ASSAY_D2D ? "d2d" : "copy without a direction";
}

bool fits(telemetry::direction claimed, std::uint8_t copied) {
  return claimed == telemetry::direction::any || static_cast<std::uint8_t>(claimed) == copied;
}

// The counter that claims exactly this range speaks for it, before one that claims any.
std::string link_of(const std::vector<trace::contract_row>& contract, telemetry::activity kind,
                    std::uint8_t direction, std::uint16_t range) {
  std::string found;
  for (const trace::contract_row& row : contract) {
    const bool is_same = row.claims.kind == kind &&
                         (kind != telemetry::activity::copy || fits(row.claims.dir, direction)) &&
                         row.pairs_with.link != telemetry::link_class::none;
    if (!is_same) continue;
    if (static_cast<std::uint16_t>(row.claims.range) == range)
      return link_word(row.pairs_with.link);
    if (found.empty()) found = link_word(row.pairs_with.link);
  }
  return found;
}

const model::counter_line* line_of(const model::audit_report& audit, const std::string& name) {
  const auto at = std::find_if(audit.counters.begin(), audit.counters.end(),
                               [&](const model::counter_line& each) { return each.name == name; });
  return at == audit.counters.end() ? nullptr : &*at;
}

bandwidth_line claim_of(const trace::contract_row& row, const model::counter_line& counter,
                        const model::audit_report& audit) {
  bandwidth_line line;
  line.subject = row.name;
  line.is_claim = true;
  line.link = link_word(row.pairs_with.link);
  if (row.kind == telemetry::counter_kind::rate) {
    line.bytes.absence = line.time_ns.absence = "a rate, published as it is";
    line.bytes_per_s = counter.claimed;
    return line;
  }
  line.time_ns = counter.claimed;
  const model::counter_line* bytes = line_of(audit, row.pairs_with.bytes_counter);
  if (bytes != nullptr)
    line.bytes = bytes->claimed;
  else
    line.bytes.absence = row.pairs_with.bytes_counter + " is not in the contract";
  return line;
}

bool is_a_claim(const trace::contract_row& row) {
  if (row.pairs_with.link == telemetry::link_class::none) return false;
  return row.kind == telemetry::counter_kind::duration || row.unit == unit::bytes_per_s;
}

}  // namespace

void judge(bandwidth_line& line, const std::vector<model::ceiling_line>& ceilings) {
  const auto open = [&](std::string reason) {
    line.verdict = bandwidth_verdict::unmeasured;
    line.reason = std::move(reason);
  };
  if (!line.bytes_per_s.is_present && line.bytes.is_present && line.time_ns.is_present) {
    if (number_of(line.time_ns) > 0.0)
      line.bytes_per_s = {.is_present = true,
                          .is_real = true,
                          .integer = 0,
                          .real = number_of(line.bytes) * 1e9 / number_of(line.time_ns),
                          .absence = {}};
    else
      line.bytes_per_s.absence = "the time is 0";
  }
  for (const model::ceiling_line& each : ceilings) {
    if (each.link != line.link) continue;
    line.soft_bytes_per_s = each.soft_bytes_per_s;
    line.hard_bytes_per_s = each.hard_bytes_per_s;
  }
  if (!line.bytes_per_s.is_present) {
    if (line.bytes_per_s.absence.empty())
      line.bytes_per_s.absence = !line.bytes.is_present ? line.bytes.absence : line.time_ns.absence;
    return open(line.bytes_per_s.absence);
  }
  if (line.link.empty()) return open("no counter of the contract names the link");
  if (line.soft_bytes_per_s <= 0.0 && line.hard_bytes_per_s <= 0.0)
    return open("the run has no ceiling of " + line.link);
  const double rate = number_of(line.bytes_per_s);
  if (line.hard_bytes_per_s > 0.0 && rate > line.hard_bytes_per_s)
    line.verdict = bandwidth_verdict::impossible;
  else if (line.soft_bytes_per_s > 0.0 && rate > line.soft_bytes_per_s)
    line.verdict = bandwidth_verdict::above_measured;
  else
    line.verdict = bandwidth_verdict::plausible;
}

std::vector<bandwidth_line> bandwidths_of(const std::vector<copy_total>& copies,
                                          const read_total& reads,
                                          const std::vector<trace::contract_row>& contract,
                                          const model::audit_report& audit) {
  std::vector<bandwidth_line> out;
  for (const copy_total& each : copies) {
    bandwidth_line line;
    line.subject = direction_word(each.direction) + " " + range_word(each.range);
    line.bytes = integer(each.bytes);
    line.time_ns = integer(each.busy_ns);
    line.link = link_of(contract, telemetry::activity::copy, each.direction, each.range);
    out.push_back(std::move(line));
  }
  if (reads.launches > 0) {
    bandwidth_line line;
    line.subject = "weights and KV read by kernels";
    line.is_read = true;
    line.link = link_of(contract, telemetry::activity::launch, 0, 0);
    const std::int64_t bytes = sum(reads.weight_bytes, reads.kv_bytes);
    if (bytes > 0)
      line.bytes = integer(bytes);
    else
      line.bytes.absence = "no launch tells what it read";
    line.time_ns = integer(reads.busy_ns);
    out.push_back(std::move(line));
  }
  for (const trace::contract_row& row : contract)
    if (const auto* counter = line_of(audit, row.name); counter != nullptr && is_a_claim(row))
      out.push_back(claim_of(row, *counter, audit));
  for (bandwidth_line& line : out) judge(line, audit.ceilings);
  return out;
}

}  // namespace assay::attribution
