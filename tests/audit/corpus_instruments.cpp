// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Lies of clocks, profilers and benchmarks, in the shape that a runtime's counter gives them.
#include <memory>
#include <string>
#include <vector>

#include "tests/audit/corpus.h"
#include "tests/audit/corpus_faults.h"
#include "tests/audit/shares.h"

namespace assay::audit_test {
namespace {

using readings = std::vector<assay_reading>;
using enum ending;

// The facts name the clock whose ticks were published as ns.
test_trace ticks_for_ns() {
  test_trace run = scaled<compute_ns, 2450>();
  run.facts.clocks.push_back({"processor's counter", 2.45e9});
  return run;
}

test_trace isolated_for_batched() {
  test_trace run = scaled<compute_ns, 1500>();
  run.facts.bases.push_back({"isolated over batched", 1.5});
  return run;
}

test_trace every_layer_the_whole() {
  test_trace run = scaled<weight_reads, 28'000>();
  run.facts.bases.push_back({"layers", 28.0});
  return run;
}

// 2^20 for 10^6.
test_trace mebibytes_for_megabytes() {
  return simulate({}, {[](readings& r, int) { scale(r[weights_bytes], 1.048576); }, {}});
}

test_trace kibibytes_for_kilobytes() {
  return simulate({}, {[](readings& r, int) {
                         if (r[weights_rate].bits != 0)
                           set_real(r[weights_rate], real_of(r[weights_rate]) / 1.024);
                       },
                       {}});
}

test_trace mapped_pages_counted() {
  return simulate({}, {[](readings& r, int) {
                         if (r[live_bytes].bits != 0) r[live_bytes].bits -= 3'400'000;
                       },
                       {}});
}

test_trace capture_frozen_at_zero() {
  return simulate({}, {[](readings& r, int) { r[launches] = {0, ASSAY_ZERO, 0}; }, {}});
}

}  // namespace

std::vector<corpus_case> instruments() {
  return {
      {"ticks for ns", "pytorch/kineto#993", "bytes over raw ticks", "ticks are not ns", "R10",
       "R05", explained, name_of(compute_ns), ticks_for_ns},
      {"MiB for MB", "gem5/gem5#3227", "MiByte/s", "MB/s", "R10", "R04", explained,
       name_of(weights_bytes), mebibytes_for_megabytes},
      {"KiB/s for kB/s", "NVIDIA/deepops#810; KempnerInstitute/kempnerpulse#11", "KiB/s", "kB/s",
       "R10", "R05", explained, name_of(weights_rate), kibibytes_for_kilobytes},
      {"isolated for batched", "NVIDIA/nvbench#194", "a rate from isolated time",
       "1.5 times the batch's", "R22", "R05", explained, name_of(compute_ns), isolated_for_batched},
      {"each layer the whole", "a load of 28 layers", "weights read, 28 times too much",
       "every layer adds the model's bytes", "R22", "R04", explained, name_of(weight_reads),
       every_layer_the_whole},
      {"known answer missed", "ROCm/rocm-systems#3828: SQ_WAVES of 0, 2 or 4", "4",
       "a copy of known size says otherwise", "G2", "", undecided, name_of(launches),
       sentinel_doubled, "R18"},
      {"cycles always 0", "ROCm/rocm-systems#8523", "SQ_WAVE_CYCLES 0", "not 0", "R13", "", found,
       name_of(weight_reads), never_counted<weight_reads>, "R04"},
      {"captured kernels unseen", "a tracer at graph level: the GPU \"96 % idle\"",
       "kernels of the first replay", "every replay ran", "R18", "", undecided, name_of(compute_ns),
       replays_unseen, "R04 R05 R13 R14"},
      {"host gaps in the bracket", "one launch timed at a time: 28 GB/s of 214",
       "24 us of host beside 4.6 us of kernel", "the kernel's own time", "R05", "", found,
       name_of(compute_ns), scaled<compute_ns, 1'600>},
      {"part longer than the whole", "a drain folded into a free: 2,450 ms within 101",
       "a span above the one that holds it", "a part of it", "R05", "", found, name_of(step_ns),
       scaled<step_ns, 1'500>},
      {"mapped pages counted", "a working set with the mapped file in it", "other bytes live",
       "what was allocated", "R04", "", found, name_of(live_bytes), mapped_pages_counted},
      {"captures stay 0", "a configuration read once and kept", "0 captures", "4", "R13", "", found,
       name_of(launches), capture_frozen_at_zero, "R04"},
      {"load read as steps", "calls of the load phase per token", "7,998 calls at any length",
       "the load's", "R23", "R04", explained, name_of(syncs), load_counted_in_a_request},
  };
}

}  // namespace assay::audit_test
