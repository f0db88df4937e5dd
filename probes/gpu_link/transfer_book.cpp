// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu_link/transfer_book.h"

#include <algorithm>
#include <utility>

namespace assay::probes {
namespace {

using telemetry::link_class;

// Two stamps of two clocks, as everywhere; an event's resolution is half a microsecond.
constexpr std::int64_t clock_slack_ns = 2'000;
// A run samples for hours; the median of the first so many is the median.
constexpr std::size_t most_rates = 4096;

double median(std::vector<double> rates) {
  const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
  std::nth_element(rates.begin(), middle, rates.end());
  return *middle;
}

std::string whole(double bytes_per_s) {
  return std::to_string(static_cast<std::int64_t>(bytes_per_s));
}

}  // namespace

result<assay_record> transfer_book::take(const gpu_transfer& moved) {
  const std::string what(moved.way);
  const std::int64_t span_ns = moved.done - moved.released;
  if (moved.bytes == 0 || moved.took_ns < least_transfer_ns)
    return ASSAY_FAIL(unavailable, "GPU link: " + what + " of " + std::to_string(moved.bytes) +
                                       " bytes took " + std::to_string(moved.took_ns) +
                                       " ns, too short to be timed; move more");
  if (moved.took_ns > span_ns + clock_slack_ns)
    return ASSAY_FAIL(unavailable, "GPU link: " + what + " took " + std::to_string(moved.took_ns) +
                                       " ns by its events, in a host span of " +
                                       std::to_string(span_ns) +
                                       " ns; one of the clocks is wrong, and no rate follows");
  measured_link& link = of(static_cast<link_class>(moved.link));
  auto way = std::ranges::find(link.ways, moved.way, &measured_way::way);
  if (way == link.ways.end()) way = link.ways.insert(way, {moved.way, moved.working_set_bytes, {}});
  const double rate = static_cast<double>(moved.bytes) * 1e9 / static_cast<double>(moved.took_ns);
  if (way->rates.size() < most_rates) way->rates.push_back(rate);
  link.fastest_bytes_per_s = std::max(link.fastest_bytes_per_s, rate);
  ++link.samples;
  assay_record record{};
  record.kind = ASSAY_LINK_SAMPLE;
  record.direction = static_cast<std::uint8_t>(moved.link);
  record.start_ns = moved.done.ns - moved.took_ns;
  record.end_ns = moved.done.ns;
  record.amount = static_cast<std::int64_t>(moved.bytes);
  record.extra[0] = static_cast<std::int64_t>(moved.working_set_bytes);
  return record;
}

void transfer_book::set_hard(link_class link, double bytes_per_s, std::string how) {
  of(link).hard_bytes_per_s = bytes_per_s;
  of(link).hard_words = std::move(how);
}

void transfer_book::set_no_hard(link_class link, std::string why) {
  set_hard(link, 0.0, std::move(why));
}

void transfer_book::set_no_soft(link_class link, std::string why) {
  of(link).why_not = std::move(why);
}

trace::link_ceiling transfer_book::ceiling(link_class which) const {
  const measured_link& link = links_[static_cast<std::size_t>(which)];
  trace::link_ceiling made{which, 0.0, link.hard_bytes_per_s, link.samples, {}};
  const double fastest = link.fastest_bytes_per_s;
  std::string soft_words;
  for (const measured_way& way : link.ways) {
    soft_words += (soft_words.empty() ? "" : ", ") + std::string(way.way) + " median " +
                  whole(median(way.rates)) + " bytes/s over " +
                  std::to_string(way.working_set_bytes) + " bytes";
  }
  std::string hard_words = link.hard_words;
  if (made.hard_bytes_per_s == 0.0) {
    hard_words = "unknown, " + hard_words;
  } else if (fastest > made.hard_bytes_per_s) {
    made.hard_bytes_per_s = 0.0;
    hard_words = "unknown, the probe itself was faster than " + hard_words;
  }
  made.soft_bytes_per_s = fastest * soft_margin;
  if (made.hard_bytes_per_s > 0.0)
    made.soft_bytes_per_s = std::min(made.soft_bytes_per_s, made.hard_bytes_per_s);
  made.reason = (link.ways.empty() ? "soft: unknown, " + link.why_not
                                   : "soft: 1.05 x the fastest; " + soft_words) +
                "; hard: " + hard_words;
  return made;
}

std::vector<trace::link_ceiling> transfer_book::ceilings() const {
  return {ceiling(link_class::pcie), ceiling(link_class::pcie_pageable),
          ceiling(link_class::device_read), ceiling(link_class::device_copy)};
}

}  // namespace assay::probes
