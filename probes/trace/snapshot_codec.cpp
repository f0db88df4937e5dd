// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/trace/snapshot_codec.h"

#include <utility>

#include <fmt/format.h>

namespace assay::trace {
namespace {

using telemetry::reading_state;

constexpr std::uint32_t number_of(reading_state state) {
  return static_cast<std::uint32_t>(state);
}
static_assert(number_of(reading_state::never_written) == ASSAY_NEVER_WRITTEN);
static_assert(number_of(reading_state::measured) == ASSAY_MEASURED);
static_assert(number_of(reading_state::zero) == ASSAY_ZERO);
static_assert(number_of(reading_state::not_applicable) == ASSAY_NOT_APPLICABLE);
static_assert(number_of(reading_state::lower_bound) == ASSAY_LOWER_BOUND);
static_assert(number_of(reading_state::lost) == ASSAY_LOST);

}  // namespace

std::uint32_t reason_table::index_of(std::string_view reason) {
  if (reason.empty()) return 0;
  if (const auto found = index_.find(reason); found != index_.end()) return found->second;
  reasons_.emplace_back(reason);
  const auto index = static_cast<std::uint32_t>(reasons_.size());
  index_.emplace(reason, index);
  return index;
}

assay_reading encode(const telemetry::reading& reading, reason_table& reasons) {
  return {reading.bits, number_of(reading.state), reasons.index_of(reading.reason)};
}

std::vector<assay_reading> encode(const telemetry::snapshot& snapshot, reason_table& reasons) {
  std::vector<assay_reading> readings;
  readings.reserve(snapshot.size());
  for (const telemetry::reading& one : snapshot) readings.push_back(encode(one, reasons));
  return readings;
}

result<telemetry::reading> decode(const assay_reading& from, std::span<const std::string> reasons) {
  if (from.state > ASSAY_LOST)
    return ASSAY_FAIL(unusable_input,
                      fmt::format("a reading has the unknown state {}; the last one known is {}",
                                  from.state, static_cast<int>(ASSAY_LOST)));
  telemetry::reading reading;
  reading.state = static_cast<reading_state>(from.state);
  reading.bits = from.bits;
  if (from.reason > reasons.size()) {
    reading.reason = "its reason is not in the trace";
  } else if (from.reason > 0) {
    reading.reason = reasons[from.reason - 1];
  }
  return reading;
}

result<void> snapshot_writer::write(std::int64_t at_ns, const telemetry::snapshot& snapshot) {
  readings_.clear();
  for (const telemetry::reading& one : snapshot) readings_.push_back(encode(one, reasons_));
  if (reasons_.reasons().size() != written_reasons_) {
    run_facts facts;
    facts.reasons = reasons_.reasons();
    ASSAY_TRY(into_.facts(to_json(facts)));
    written_reasons_ = reasons_.reasons().size();
  }
  return into_.snapshot(at_ns, readings_);
}

}  // namespace assay::trace
