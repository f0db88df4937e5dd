// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/audit/corpus.h"

#include <cmath>
#include <memory>
#include <vector>

#include "tests/audit/corpus_faults.h"
#include "tests/audit/shares.h"

namespace assay::audit_test {
namespace {

using readings = std::vector<assay_reading>;

// 12 calls of 300 ns a window, where the work takes 12 x 30 us.
constexpr double enqueue_share = 12 * 300.0 / (12 * 30'100.0 + 500.0);

template <row Which>
test_trace without_writer() {
  return simulate({}, {[](readings& r, int) { r[Which] = {0, ASSAY_NEVER_WRITTEN, 0}; }, {}});
}

template <row Which, int MegabytesPerS>
test_trace with_rate() {
  return simulate({}, {[](readings& r, int window) {
                         if (window != ASSAY_WINDOW_LOAD && r[Which].bits == 0) return;
                         set_real(r[Which], MegabytesPerS * 1e6);
                       },
                       {}});
}

test_trace enqueue_timed() {
  return simulate({}, {[](readings& r, int) { scale(r[compute_ns], enqueue_share); }, {}});
}

test_trace fence_timed() {
  return simulate({}, {[](readings& r, int) { scale(r[compute_ns], 1.2 * enqueue_share); }, {}});
}

test_trace phantom_bytes() {
  auto steps = std::make_shared<std::int64_t>(0);
  return simulate({}, {[=](readings& r, int window) {
                         if (window == ASSAY_WINDOW_DECODE_STEP) ++*steps;
                         r[weights_bytes].bits += 4096 * *steps;
                       },
                       {}});
}

test_trace frozen_launches() {
  auto seen = std::make_shared<int>(0);
  auto kept = std::make_shared<std::int64_t>(0);
  return simulate({}, {[=](readings& r, int) {
                         if ((*seen)++ < 5) *kept = r[launches].bits;
                         r[launches].bits = *kept;
                       },
                       {}});
}

test_trace swapped_directions() {
  return simulate({}, {[](readings& r, int) { std::swap(r[inputs_bytes], r[logits_bytes]); }, {}});
}

test_trace one_for_all_passes() {
  return simulate({}, {[](readings& r, int) { r[tokens].bits = r[tokens].bits > 0 ? 1 : 0; }, {}});
}

test_trace load_in_first_request() {
  auto requests = std::make_shared<int>(0);
  return simulate({}, {[=](readings& r, int window) {
                         if (window == ASSAY_WINDOW_PREFILL) ++*requests;
                         if (*requests == 1) r[inputs_bytes].bits += 8 * 1'000'003;
                       },
                       {}});
}

// Events here, a host clock there: every other window is timed by its calls alone.
test_trace mixed_writers() {
  auto last = std::make_shared<std::int64_t>(0);
  auto told = std::make_shared<std::int64_t>(0);
  auto pass = std::make_shared<int>(0);
  return simulate({}, {[=](readings& r, int window) {
                         if (window == ASSAY_WINDOW_PREFILL) *last = *told = 0;
                         const std::int64_t gained = r[compute_ns].bits - *last;
                         *last = r[compute_ns].bits;
                         *told += ++*pass % 2 == 0 ? gained : gained * 7 / 10;
                         r[compute_ns].bits = *told;
                       },
                       {}});
}

// What came since the last snapshot, published under the name of a counter.
test_trace interval_as_counter() {
  auto last = std::make_shared<std::int64_t>(0);
  return simulate({}, {[=](readings& r, int window) {
                         if (window == ASSAY_WINDOW_REQUEST || window == ASSAY_WINDOW_LOAD) {
                           r[inputs_bytes].bits = window == ASSAY_WINDOW_LOAD ? 0 : 4;
                           return;
                         }
                         if (window == ASSAY_WINDOW_PREFILL) *last = 0;
                         const std::int64_t gained = r[inputs_bytes].bits - *last;
                         *last = r[inputs_bytes].bits;
                         r[inputs_bytes].bits = gained;
                       },
                       {}});
}

test_trace no_lie() {
  return with_shares(simulate());
}

test_trace hits_never_counted() {
  return with_shares(simulate(), [](readings& r, std::int64_t nth) {
    set_integer(r[cache_hits], 0);
    set_integer(r[cache_misses], 5 * nth + 1);
    set_real(r[hit_ratio], 0.0);
  });
}

test_trace utilization_of_another_unit() {
  return with_shares(simulate(),
                     [](readings& r, std::int64_t) { set_real(r[hit_ratio], 808'334'905.0); });
}

test_trace recomputed_tokens_as_hits() {
  return with_shares(simulate(), [](readings& r, std::int64_t) { set_real(r[hit_ratio], 0.32); });
}

test_trace lookups_of_retries() {
  return with_shares(simulate(), [](readings& r, std::int64_t nth) {
    set_integer(r[cache_lookups], 7 * nth + 1);
    set_real(r[hit_ratio], static_cast<double>(3 * nth) / static_cast<double>(7 * nth + 1));
  });
}

test_trace rate_of_no_lookups() {
  test_trace run = with_shares(simulate(), [](readings& r, std::int64_t) {
    for (const auto which : {cache_hits, cache_misses, cache_lookups}) set_integer(r[which], 0);
    set_real(r[hit_ratio], 0.0);
  });
  // Nobody saw a lookup either.
  const auto is_of_hits = [](const assay_record& r) {
    return r.kind == ASSAY_OBSERVATION && r.stream == cache_hits;
  };
  while (run.find(is_of_hits) != nullptr) run.drop(is_of_hits);
  return run;
}

test_trace rate_of_no_time() {
  return with_shares(simulate(), [](readings& r, std::int64_t) {
    set_integer(r[read_bytes], 0);
    set_integer(r[read_ns], 0);
    set_real(r[read_rate], 0.0);
  });
}

test_trace another_accumulator() {
  return with_shares(simulate(), [](readings& r, std::int64_t) {
    set_real(r[read_rate], real_of(r[read_rate]) * 1.0001);
  });
}

test_trace shares_with_a_hole() {
  return with_shares(simulate(),
                     [](readings& r, std::int64_t) { set_real(r[compute_share], 0.14); });
}

test_trace shares_of_zero() {
  return with_shares(simulate(), [](readings& r, std::int64_t) {
    for (const auto which : {compute_share, copy_share}) set_real(r[which], 0.0);
  });
}

test_trace shares_not_written() {
  return with_shares(simulate(), [](readings& r, std::int64_t) {
    for (const auto which : {compute_share, copy_share}) r[which] = {0, ASSAY_NEVER_WRITTEN, 0};
  });
}

template <int Percent>
test_trace read_from_a_cache() {
  return with_shares(simulate(), [](readings& r, std::int64_t nth) {
    // The ceiling is 10 GB/s measured; the parts say the same, so that only the rate is impossible.
    set_integer(r[read_bytes], 100 * Percent * nth);
    set_integer(r[read_ns], 1'000 * nth);
    set_real(r[read_rate], Percent * 1e8);
  });
}

test_trace level_that_stands() {
  return with_shares(simulate(), [](readings& r, std::int64_t) { set_integer(r[live_pages], 1); });
}

test_trace level_that_adds_up() {
  return with_shares(simulate(), [](readings& r, std::int64_t nth) {
    set_integer(r[live_pages], nth * (nth + 1) / 2);
  });
}

test_trace over_the_steps_alone() {
  const run_shape shape{.steps = 8};
  const test_trace plain = simulate(shape);
  const double steps_ns = span_ns_of(plain, ASSAY_WINDOW_DECODE_STEP);
  const double factor = (steps_ns + span_ns_of(plain, ASSAY_WINDOW_PREFILL)) / steps_ns;
  return with_shares(simulate(shape), [=](readings& r, std::int64_t) {
    set_real(r[request_rate], real_of(r[request_rate]) * factor);
  });
}

using enum ending;

std::string extra(share_row which) {
  return with_shares(simulate()).rows[which].name;
}

std::vector<corpus_case> rates_and_units() {
  return {
      {"rate of an enqueue", "LMCache/LMCache#1755", "325.8 GB/s to a GPU", "about 0.8 GB/s", "R02",
       "", found, name_of(weights_rate), with_rate<weights_rate, 325'800>},
      {"stops behind the decode call", "ggml-org/llama.cpp#18713",
       "prompt time to the return of an asynchronous call", "the last batch runs on", "R01", "",
       found, name_of(compute_ns), enqueue_timed, "R05"},
      {"dispatch taken for work", "likejazz/llama3.cuda#4", "2,823 tokens a second",
       "time of the dispatch alone", "R01", "", found, name_of(compute_ns), fence_timed, "R05"},
      {"upload at write speed", "procrastineto/GPU-PCIe-Test#3", "above the link's raw rate",
       "the link is slower", "R02", "", found, name_of(weights_rate),
       with_rate<weights_rate, 41'000>},
      {"kernels that never ran", "ZaidQureshi/bam#66", "948 GB/s from one disk", "nothing was read",
       "R14", "", found, name_of(weights_bytes), phantom_bytes},
      {"written into a cache", "NVIDIA/nvbench#270", "bandwidth of 150 %",
       "part of the set stays in the cache", "R03", "", found, extra(read_rate),
       read_from_a_cache<150>},
      {"warm repeats", "NVIDIA/TileGym#118", "1.6 times the memory's rate", "a warm cache", "R03",
       "", found, extra(read_rate), read_from_a_cache<160>},
      {"model of bytes", "tracel-ai/cubek#611", "rows above the ceiling",
       "the clocks agree, the byte model does not", "R04", "", found, name_of(weight_reads),
       scaled<weight_reads, 1500>},
      {"one pass for all", "modelled on NVIDIA/nvbench#194", "a batch divided by another base",
       "off by the base", "R22", "R04", explained, name_of(tokens), one_for_all_passes},
      {"KB for bytes", "NVIDIA/nvidia-settings#114", "KB/s", "off by a thousand", "R10", "R04",
       explained, name_of(weights_bytes), scaled<weights_bytes, 1'000'000>},
      {"bits for bytes", "modelled on a network counter", "8 times too much", "bits", "R10", "R04",
       explained, name_of(weights_bytes), scaled<weights_bytes, 8'000>},
  };
}

std::vector<corpus_case> figures_of_the_field() {
  return {
      {"interval as a counter", "NVIDIA/dcgm-exporter#88; NVIDIA/deepops#810", "a counter of bytes",
       "what came in the last interval", "R11", "R16", explained, name_of(inputs_bytes),
       interval_as_counter},
      {"level that adds up", "the reverse of dcgm-exporter#88", "a level", "a sum of levels", "R11",
       "R04", explained, extra(live_pages), level_that_adds_up},
      {"always zero", "NVIDIA/dcgm-exporter#721", "0 bytes", "bytes move", "R13", "", found,
       name_of(inputs_bytes), never_counted<inputs_bytes>, "R04"},
      {"out of all bounds", "NVIDIA/dcgm-exporter#418", "utilization 808,334,905", "0 to 1", "R12",
       "", found, extra(hit_ratio), utilization_of_another_unit},
      {"sum over streams", "GindaChen/nsys-ai#574", "112.5 % busy", "98.5 %", "R06", "", found,
       name_of(compute_ns), scaled<compute_ns, 1994>, "R05"},
      {"parents with children", "pytorch/pytorch#60783, #130730", "totals above the wall",
       "annotations and what they hold, summed", "R06", "", found, name_of(compute_ns),
       scaled<compute_ns, 1990>, "R05"},
      {"idle time left out", "StanfordLegion/legion#691", "100 % of the busy ones",
       "idle ones belong to the denominator", "R19", "R05", explained, extra(request_rate),
       over_the_steps_alone},
      {"recompute as hits", "vllm-project/vllm#25780", "32 % hits", "0.2 %", "R08", "", found,
       extra(hit_ratio), recomputed_tokens_as_hits},
      {"lookups of retries", "vllm-project/vllm#43736", "lookups", "each retry looked up again",
       "R07", "", found,
       "test.cache.hits_count + test.cache.misses_count = test.cache.lookups_count",
       lookups_of_retries},
      {"hits stay 0", "vllm-project/vllm-ascend#16639", "0 hits", "TTFT falls from 5.5 s to 0.8 s",
       "R13", "", found, extra(cache_hits), hits_never_counted, "R04"},
      {"every TTFT 0", "vllm-project/vllm#6337", "0 s", "real latency", "R13", "", found,
       name_of(step_ns), never_counted<step_ns>, "R05"},
      {"warm-up misses", "NVIDIA/TensorRT-LLM#12132", "the load's copies in a request",
       "steady state", "R23", "R04", explained, name_of(inputs_bytes), load_in_first_request},
  };
}

std::vector<corpus_case> clocks_and_records() {
  return {
      {"divided by the batch", "openvinotoolkit/openvino.genai#4253", "11.94 ms", "23.88 ms", "R22",
       "R05", explained, name_of(compute_ns), scaled<compute_ns, 500>},
      {"another accumulator", "NVIDIA/nvbench 497eaed", "a figure around another mean",
       "its own parts give another", "R24", "", found, extra(read_rate), another_accumulator},
      {"clock that steps", "NVIDIA/nvbench#371", "negative times", "a steady clock", "R16", "",
       found, name_of(compute_ns), scaled<compute_ns, -1000>, "R05"},
      {"directions swapped", "NVIDIA/nvbandwidth 0.8", "device to device", "host to device", "R20",
       "R04", explained, name_of(inputs_bytes), swapped_directions},
      {"graphs not counted", "gwoltman/gpuowl#59", "one call", "nine tenths of the iteration",
       "R13", "", found, name_of(launches), frozen_launches, "R04"},
      {"re-registered timestamps", "pytorch/pytorch#192021", "kernels missing",
       "another clock for the first ones", "R17", "", undecided, name_of(compute_ns),
       shifted_first_records},
      {"unknown times", "tensorflow/tensorflow#20750; pytorch/kineto#109", "kernels at 0",
       "times unknown", "R18", "", undecided, name_of(compute_ns), zeroed_times, "R04 R05"},
      {"boot for Unix epoch", "pytorch/kineto#384, #1381", "years apart", "one run", "R17", "",
       undecided, name_of(compute_ns), other_epoch},
      {"first pass of a loop only", "pytorch/kineto#1062; wolfpld/tracy#1318", "one kernel",
       "work ran", "R18", "", undecided, name_of(launches), loop_bodies_lost, "R04 R05"},
      {"kernels filtered by name", "flashinfer-ai/flashinfer#2145; tile-ai/TileOPs#1576",
       "no kernel", "work ran", "R15", "", found, "device time", kernels_unclaimed},
      {"power every tenth time", "arXiv 2312.02741v2", "continuous",
       "sampled a quarter of the time", "R21", "R04", explained, extra(live_pages),
       level_that_stands},
      {"writer deleted", "defect a: a time whose only writer was deleted", "0", "the wait goes on",
       "R13", "", found, name_of(compute_ns), without_writer<compute_ns>, "R05"},
  };
}

std::vector<corpus_case> defects_and_mutants() {
  return {
      {"waits in secret", "defect b: an enqueue timer that polls", "enqueue only",
       "waits for the device", "R29", "", found, name_of(compute_ns), waits_between_kernels},
      {"its waits called the work's", "a profiler that is billed to the run",
       "as few waits as ever", "twice as many, all of them counted", "R29", "", found,
       name_of(compute_ns), waits_counted_as_work, "R04"},
      {"waits of the work", "control of R29", "-", "the work waits by itself, and says so", "", "",
       clean, "", waits_of_the_work},
      {"0 on the default path", "defect c: written on one path of two", "0", "time passes", "R13",
       "", found, name_of(weights_ns), never_counted<weights_ns>, "R05"},
      {"mixed writers", "defect d: event, wall and enqueue in one counter", "70 % of the truth",
       "the work's span", "R05", "", found, name_of(compute_ns), mixed_writers},
      {"us for ns", "a wait in another unit, which neither bytes nor calls bound", "32 ns a step",
       "32 us", "R05", "", found, name_of(step_ns), scaled<step_ns, 1>},
      {"rate of no lookups", "defect f: hit rate 0 without a lookup", "0", "there is none", "R08",
       "", found, extra(hit_ratio), rate_of_no_lookups},
      {"rate of no time", "defect f: 0.000 GB/s where nothing was measured", "0", "there is none",
       "R24", "", found, extra(read_rate), rate_of_no_time},
      {"remainder that hides", "defect h: shares that leave out 61 %", "shares", "39 %", "R09", "",
       found, "test.time.compute_ratio + test.time.copy_ratio = 1", shares_with_a_hole},
      {"0.00 in each row", "a cache report of zeros while there were lookups", "shares of 0",
       "one at least is not", "R09", "", found,
       "test.time.compute_ratio + test.time.copy_ratio = 1", shares_of_zero},
      {"shares not written yet", "control of R09", "-", "no shares", "", "", clean, "",
       shares_not_written},
      {"callbacks stolen", "written for R28", "counters go on", "no call, no record", "R28", "",
       undecided, name_of(launches), callbacks_stolen, "R04 R05 R07 R13 R14"},
      {"record dropped", "mutant of the ground truth", "-", "one record less", "R18", "", undecided,
       name_of(launches), record_dropped, "R04"},
      {"record twice", "mutant of the ground truth", "-", "one record more", "R18", "", undecided,
       name_of(launches), record_doubled, "R04"},
      {"clock shifted 50 ms", "mutant of the ground truth", "-", "device records 50 ms late", "R17",
       "", undecided, name_of(compute_ns), clock_shifted, "R05"},
      {"buffer denied", "mutant of the ground truth", "-", "records lost, by their own account",
       "R18", "", undecided, name_of(launches), buffer_denied, "R04"},
      {"no hits, and none to have", "vllm-project/vllm#54607", "0 hits", "0 hits", "", "", clean,
       "", no_lie},
  };
}

}  // namespace

// Made on the first call: other files' tests are named after it before this file's variables are.
std::span<const corpus_case> corpus() {
  static const std::vector<corpus_case> all = [] {
    std::vector<corpus_case> made;
    for (auto* part : {rates_and_units, figures_of_the_field, clocks_and_records,
                       defects_and_mutants, instruments})
      for (const corpus_case& each : part()) made.push_back(each);
    return made;
  }();
  return all;
}

}  // namespace assay::audit_test
