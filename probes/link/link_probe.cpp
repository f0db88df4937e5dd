// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/link/link_probe.h"

#include <algorithm>
#include <span>
#include <utility>

#include "probes/link/core_clock.h"

namespace assay::probes {

namespace {

constexpr int widest_store_bytes = 64;
constexpr int widest_loads_bytes = 128;

assay_record link_sample(assay_link link, const link_measurement& measured) {
  assay_record record{};
  record.kind = ASSAY_LINK_SAMPLE;
  record.direction = static_cast<std::uint8_t>(link);
  record.start_ns = measured.start.ns;
  record.end_ns = measured.end.ns;
  record.amount = static_cast<std::int64_t>(measured.bytes);
  record.extra[0] = static_cast<std::int64_t>(measured.working_set_bytes);
  return record;
}

}  // namespace

result<std::unique_ptr<link_probe>> link_probe::create(const link_options& options) {
  std::unique_ptr<link_probe> probe(new link_probe);
  probe->reading_threads_ = std::max(options.reading_threads, 1U);
  const auto& copies = options.copy_working_sets_bytes;
  if (options.read_working_set_bytes == 0 || copies.empty() || std::ranges::count(copies, 0u) != 0)
    return ASSAY_FAIL(usage, "link probe: a working set of 0 bytes; give the sizes of the run");
  ASSAY_TRY_ASSIGN(auto reads,
                   read_track::create(std::min(options.read_working_set_bytes, largest_set_bytes)));
  probe->reads_.push_back({std::move(reads), &read_variants().front()});
  for (const std::uint64_t bytes : copies) {
    ASSAY_TRY_ASSIGN(auto track, copy_track::create(std::min(bytes, largest_set_bytes)));
    probe->copies_.push_back({std::move(track), &copy_variants().front()});
  }
  return probe;
}

template <class Track, class Variant>
result<double> link_probe::measure(Track& track, const Variant& by, best& so_far, assay_link link,
                                   trace::sink& to) {
  ASSAY_TRY_ASSIGN(const link_measurement measured, track.measure(by, least_sample_ns));
  const double bytes_per_s = measured.bytes_per_s();
  ++so_far.samples_count;
  if (bytes_per_s > so_far.bytes_per_s) {
    so_far.bytes_per_s = bytes_per_s;
    so_far.working_set_bytes = measured.working_set_bytes;
    so_far.variant = by.name;
  }
  const assay_record record = link_sample(link, measured);
  ASSAY_TRY(to.records(std::span(&record, 1)));
  return bytes_per_s;
}

template <class Set, class Variants>
result<void> link_probe::calibrate(Set& set, const Variants& variants, best& so_far,
                                   assay_link link, trace::sink& to) {
  constexpr int rounds = 2;  // the first one also warms
  for (int round = 0; round < rounds; ++round) {
    for (const auto& variant : variants) {
      ASSAY_TRY_ASSIGN(const double rate, measure(set.track, variant, so_far, link, to));
      if (rate > set.bytes_per_s) {
        set.bytes_per_s = rate;
        set.fastest = &variant;
      }
    }
  }
  return {};
}

result<void> link_probe::calibrate(trace::sink& to) {
  for (auto& set : reads_)
    ASSAY_TRY(calibrate(set, read_variants(), best_read_, ASSAY_LINK_HOST_READ, to));
  for (auto& set : copies_)
    ASSAY_TRY(calibrate(set, copy_variants(), best_copy_, ASSAY_LINK_HOST_MEMCPY, to));
  count_cycles();
  return {};
}

result<void> link_probe::sample(trace::sink& to) {
  const std::size_t turn = next_set_;
  next_set_ = (next_set_ + 1) % (reads_.size() + copies_.size());
  count_cycles();
  if (turn < reads_.size()) {
    auto& set = reads_[turn];
    ASSAY_TRY(measure(set.track, *set.fastest, best_read_, ASSAY_LINK_HOST_READ, to));
  } else {
    auto& set = copies_[turn - reads_.size()];
    ASSAY_TRY(measure(set.track, *set.fastest, best_copy_, ASSAY_LINK_HOST_MEMCPY, to));
  }
  return {};
}

void link_probe::count_cycles() {
  const auto counted = core_cycles_per_s();
  if (counted)
    cycles_per_s_ = std::max(cycles_per_s_, *counted);
  else
    why_no_cycles_ = counted.error().message;
}

std::vector<trace::link_ceiling> link_probe::ceilings() const {
  using telemetry::link_class;
  return {ceiling(link_class::host_read, best_read_, widest_loads_bytes, reading_threads_),
          ceiling(link_class::host_memcpy, best_copy_, widest_store_bytes, 1)};
}

trace::link_ceiling link_probe::ceiling(telemetry::link_class link, const best& so_far,
                                        int widest_move_bytes, std::uint32_t threads) const {
  if (so_far.samples_count == 0)
    return {link, 0.0, 0.0, 0, "soft and hard unknown: nothing was sampled yet"};
  const std::string bound = std::to_string(widest_move_bytes) + " bytes a cycle at " +
                            std::to_string(static_cast<std::int64_t>(cycles_per_s_)) + " Hz";
  double hard = widest_move_bytes * cycles_per_s_;
  std::string why_hard = bound;
  if (cycles_per_s_ == 0) {
    why_hard = "unknown, " + why_no_cycles_;
  } else if (so_far.bytes_per_s > hard) {  // the derivation is wrong here: nothing may rest on it
    hard = 0;
    why_hard = "unknown, the probe itself was faster than " + bound;
  }
  double soft = so_far.bytes_per_s * soft_margin;
  if (hard > 0) soft = std::min(soft, hard);
  const std::string each = threads == 1 ? "" : std::to_string(threads) + " threads x ";
  return {link, soft * threads, hard * threads, so_far.samples_count,
          "soft: " + each + "1.05 x the fastest measurement, '" + std::string(so_far.variant) +
              "' over " + std::to_string(so_far.working_set_bytes) + " bytes; hard: " + each +
              why_hard};
}

}  // namespace assay::probes
