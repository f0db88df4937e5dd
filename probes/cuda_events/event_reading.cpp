// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cuda_events/event_reading.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace assay::probes {
namespace {

constexpr double resolution_ns = 500.0;  // CUDA's documentation: "around 0.5 microseconds"
constexpr double ns_per_ms = 1e6;

}  // namespace

result<event_reading> read_between(event_source& events, std::size_t from, std::size_t to) {
  ASSAY_TRY_ASSIGN(const float ms, events.elapsed_ms(from, to));
  if (!std::isfinite(ms) || ms < 0.0F)
    return ASSAY_FAIL(
        internal, "CUDA gives " + std::to_string(ms) + " ms between two events; no time follows");
  const float next = std::nextafter(ms, std::numeric_limits<float>::infinity());
  const double rounding_ns = (static_cast<double>(next) - static_cast<double>(ms)) / 2 * ns_per_ms;
  return event_reading{std::llround(static_cast<double>(ms) * ns_per_ms),
                       static_cast<std::int64_t>(std::ceil(resolution_ns + rounding_ns))};
}

std::optional<assay_record> read_span(event_source& events, const event_places& around) {
  if (!around.is_whole()) return std::nullopt;
  const auto is_reached = events.is_reached(around.after);
  if (!is_reached || !*is_reached) return std::nullopt;
  const auto most = read_between(events, around.before, around.after);
  const auto least = read_between(events, around.first, around.last);
  if (!most || !least) return std::nullopt;
  assay_record record{};
  record.kind = ASSAY_EVENT_SPAN;
  record.amount = most->took_ns;
  record.extra[0] = least->took_ns;
  record.extra[1] = std::max(most->error_ns, least->error_ns);
  return record;
}

}  // namespace assay::probes
