// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How fast memory can be read and copied on this machine, measured beside the run with copies of
// its own: what no counter of the run may exceed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "probes/link/link_track.h"
#include "probes/trace/run_facts.h"
#include "probes/trace/sink.h"
#include "runtime/telemetry/contract.h"
#include "runtime/telemetry/result.h"

namespace assay::probes {

struct link_options {
  /// What the run reads again and again: the bytes of its weights. A larger set than
  /// link_probe::largest_set_bytes is measured at that size.
  std::uint64_t read_working_set_bytes = 0;
  /// Sizes of the run's copies. A small copy stays in a near cache and is rightly faster than a
  /// large one: by default one set in the first cache, one in the second, one beyond.
  std::vector<std::uint64_t> copy_working_sets_bytes = {8 << 10, 512 << 10, 16 << 20};
  /// That read weights at once in the run: as many times one thread's rate is what all can reach.
  std::uint32_t reading_threads = 1;
};

/// Measures the links host_read and host_memcpy with one thread. Where the run reads with several,
/// both bounds of host_read are multiplied by their number: caches are shared or each core's own,
/// never faster together than apart.
///
/// HARD: no x86-64 core stores more than 64 bytes or loads more than 128 bytes a cycle (one
/// 64-byte store, two 64-byte loads: Intel from Skylake-SP to Granite Rapids, AMD Zen 5; all others
/// less), and a copy stores each byte once. Cycles a second are counted (core_clock.h) at each
/// sample; the largest count stands.
///
/// SOFT: 1.05 × the fastest measurement over all sets and variants. Generous: a large copy is held
/// against the rate of a small one.
///
/// Threads: one at a time, the one that the run is driven by.
/// Overhead: 1 to 3 ms a sample, of which 1 ms is measured; calibrate() 0.2 s with sets of 7 MiB
/// and less (AMD EPYC 4th generation under KVM, loaded, 2026-12-01).
class link_probe {
 public:
  static constexpr std::uint64_t largest_set_bytes = std::uint64_t{256} << 20;
  static constexpr std::int64_t least_sample_ns = 1'000'000;
  static constexpr double soft_margin = 1.05;

  /// Errors: out_of_memory; usage, where a set is empty.
  static result<std::unique_ptr<link_probe>> create(const link_options& options);

  /// Measures each set with each variant and keeps the fastest for sample(). Once, before the run.
  result<void> calibrate(trace::sink& to);

  /// Measures the next set in turn and writes its ASSAY_LINK_SAMPLE. To be called between the steps
  /// of the run, so that a machine that changes its pace changes both.
  /// Errors: internal, where a variant did not move its bytes.
  result<void> sample(trace::sink& to);

  /// One entry a link, as of now, for the facts of the trace. A rate is 0 where nobody has it, and
  /// the reason says why: nothing measured yet, cycles that cannot be counted here, or a probe that
  /// was itself faster than the bound.
  std::vector<trace::link_ceiling> ceilings() const;

 private:
  template <class Track, class Variant>
  struct measured_set {
    Track track;
    const Variant* fastest;
    double bytes_per_s = 0;  ///< of the fastest, at calibration
  };
  struct best {
    double bytes_per_s = 0;
    std::uint64_t working_set_bytes = 0;
    std::string_view variant;
    std::uint64_t samples_count = 0;  ///< measured so far, this one and all slower ones
  };

  explicit link_probe() = default;

  template <class Set, class Variants>
  result<void> calibrate(Set& set, const Variants& variants, best& so_far, assay_link link,
                         trace::sink& to);
  template <class Track, class Variant>
  result<double> measure(Track& track, const Variant& by, best& so_far, assay_link link,
                         trace::sink& to);
  void count_cycles();
  trace::link_ceiling ceiling(telemetry::link_class link, const best& so_far, int widest_move_bytes,
                              std::uint32_t threads) const;

  std::vector<measured_set<read_track, read_variant>> reads_;  // one
  std::vector<measured_set<copy_track, copy_variant>> copies_;
  std::size_t next_set_ = 0;
  std::uint32_t reading_threads_ = 1;
  best best_read_;
  best best_copy_;
  double cycles_per_s_ = 0;  ///< 0 until counted
  std::string why_no_cycles_ = "the cycles of the core were not counted yet";
};

}  // namespace assay::probes
