// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How fast a GPU decodes at three published shapes, beside what it can read.
//
//   decode_bench [--contexts] FILE [SHAPE…]
//
// --contexts: which attention is the fastest at which context, instead of what each part brings.
// Writes JSON to FILE after each measurement, and a line to stdout. Base units: s, bytes/s.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/device/cuda/cuda_try.h"
#include "runtime/graph/captured_step.h"
#include "tests/gpu/bench_kernels.h"
#include "tests/gpu/bench_model.h"
#include "tests/gpu/bench_report.h"

namespace assay::bench {
namespace {

constexpr std::uint32_t replays_a_sample = 100;
constexpr int samples = 7;
constexpr int samples_of_a_sweep = 3;

result<double> measure_read(const timer& clock, report& out) {
  constexpr std::uint64_t bytes = std::uint64_t{8} << 30;
  void* memory = nullptr;
  std::uint32_t* sink = nullptr;
  ASSAY_CUDA_TRY(cudaMalloc(&memory, bytes));
  ASSAY_CUDA_TRY(cudaMalloc(reinterpret_cast<void**>(&sink), sizeof *sink));
  ASSAY_CUDA_TRY(fill_random(clock.stream, memory, bytes, 1.0F, 1));
  double best = 0.0;
  for (const std::uint32_t threads : {256U, 512U, 1024U})
    for (const std::uint32_t a_multiprocessor : {1U, 2U, 4U, 8U, 64U}) {
      const read_shape shape{132 * a_multiprocessor, threads};
      ASSAY_CUDA_TRY(read_all(clock.stream, shape, memory, bytes, sink));
      std::vector<double> rates;
      for (int i = 0; i < samples; ++i) {
        ASSAY_TRY(clock.start());
        ASSAY_CUDA_TRY(read_all(clock.stream, shape, memory, bytes, sink));
        ASSAY_TRY_ASSIGN(const double seconds, clock.stop_s());
        rates.push_back(static_cast<double>(bytes) / seconds);
      }
      best = std::max(best, median(rates));
      out.add("read", {{"blocks", shape.blocks},
                       {"threads", threads},
                       {"bytes", bytes},
                       {"median_bytes_per_s", median(rates)}});
    }
  (void)cudaFree(memory);
  (void)cudaFree(sink);
  std::printf("read: %.3f TB/s\n", best * 1e-12);
  return best;
}

/// Time that a boundary between two kernels of a graph costs, with nothing in them.
result<void> measure_boundary(const timer& clock, bool may_overlap, report& out) {
  constexpr int kernels = 200;
  graph::captured_step step(clock.stream, [&]() -> result<void> {
    for (int i = 0; i < kernels; ++i)
      ASSAY_CUDA_TRY(do_nothing(clock.stream, 132, may_overlap && i > 0));
    return {};
  });
  std::vector<double> times;
  for (int i = 0; i < 20; ++i) {
    ASSAY_TRY(clock.start());
    ASSAY_TRY(step.run());
    ASSAY_TRY_ASSIGN(const double seconds, clock.stop_s());
    times.push_back(seconds / kernels);
  }
  out.add("boundary", {{"may_overlap", may_overlap}, {"median_s", median(times)}});
  std::printf("boundary (%s): %.3f us\n", may_overlap ? "overlapping" : "in order",
              median(times) * 1e6);
  return {};
}

/// One projection alone, out of memory that no cache holds.
result<void> measure_projection(const timer& clock, std::uint32_t columns, std::uint32_t ring_bytes,
                                report& out) {
  constexpr std::uint64_t bytes = std::uint64_t{1} << 30;
  const auto rows = static_cast<std::uint32_t>(bytes / 2 / columns);
  void* w = nullptr;
  float* x = nullptr;
  ASSAY_CUDA_TRY(cudaMalloc(&w, bytes));
  ASSAY_CUDA_TRY(cudaMalloc(reinterpret_cast<void**>(&x), (columns + rows) * sizeof(float)));
  ASSAY_CUDA_TRY(fill_random(clock.stream, w, bytes, 0.01F, 2));
  ASSAY_CUDA_TRY(cudaMemsetAsync(x, 0, (columns + rows) * sizeof(float), clock.stream));
  ops::cuda::launch_site site;
  site.stream = clock.stream;
  site.is_first = true;
  site.ring_bytes = ring_bytes;
  std::vector<double> rates;
  for (int i = 0; i < samples + 2; ++i) {
    ASSAY_TRY(clock.start());
    ASSAY_CUDA_TRY(
        ops::cuda::project_add(ops::cuda::element::bf16, site, {x, w, x + columns, rows, columns}));
    ASSAY_TRY_ASSIGN(const double seconds, clock.stop_s());
    if (i >= 2) rates.push_back(static_cast<double>(rows) * columns * 2 / seconds);
  }
  (void)cudaFree(w);
  (void)cudaFree(x);
  out.add("projection", {{"columns", columns},
                         {"rows", rows},
                         {"ring_bytes", ring_bytes},
                         {"median_bytes_per_s", median(rates)}});
  std::printf("projection %5u columns, ring %3u KiB: %.3f TB/s\n", columns, ring_bytes / 1024,
              median(rates) * 1e-12);
  return {};
}

// What is not named is what the runtime decodes with.
struct decode_setting {
  std::uint32_t context_tokens = 128;
  std::uint32_t ring_bytes = ops::cuda::launch_site{}.ring_bytes;
  std::uint32_t cluster_blocks = ops::cuda::launch_site{}.cluster_blocks;
  bool has_tensor_attention = ops::cuda::launch_site{}.has_tensor_attention;
  bool has_short_stages = ops::cuda::launch_site{}.has_short_stages;
  std::uint32_t prefetch_bytes = ops::cuda::launch_site{}.prefetch_bytes;
  bool may_overlap = true;
};

/// A setting's step, its graph, and what its turns took.
class decode_entry {
 public:
  decode_entry(const timer& clock, const bench_model& model, const decode_setting& setting)
      : clock_(clock),
        model_(model),
        setting_(setting),
        step_(model.step(site_of(clock, setting))),
        replayed_(clock.stream, [this] { return step_.submit(); }) {}

  /// One turn: as many replays as a sample has, around the context's length.
  result<void> take_turn(bool is_kept) {
    ASSAY_TRY(model_.seek(clock_.stream, setting_.context_tokens - replays_a_sample / 2));
    ASSAY_TRY(clock_.start());
    for (std::uint32_t r = 0; r < replays_a_sample; ++r) ASSAY_TRY(replayed_.run());
    ASSAY_TRY_ASSIGN(const double seconds, clock_.stop_s());
    if (is_kept) step_s_.push_back(seconds / replays_a_sample);
    ASSAY_TRY_ASSIGN(const ops::cuda::decode_state state, model_.state());
    if (state.steps == replays_a_sample && state.token >= 0) return {};
    return ASSAY_FAIL(internal, "the device counted " + std::to_string(state.steps) + " steps of " +
                                    std::to_string(replays_a_sample) + ", last token " +
                                    std::to_string(state.token));
  }

  void write(const model_shape& shape, double read_bytes_per_s, report& out) const {
    const std::uint64_t bytes =
        step_weight_bytes(shape) + step_kv_bytes(shape, setting_.context_tokens);
    const double step_s = median(step_s_);
    const double rate = static_cast<double>(bytes) / step_s;
    const graph::graph_tally& tally = replayed_.tally();
    out.add("decode", {{"shape", shape.name},
                       {"context_tokens", setting_.context_tokens},
                       {"ring_bytes", setting_.ring_bytes},
                       {"cluster_blocks", setting_.cluster_blocks},
                       {"has_tensor_attention", setting_.has_tensor_attention},
                       {"has_short_stages", setting_.has_short_stages},
                       {"may_overlap", setting_.may_overlap},
                       {"prefetch_bytes", setting_.prefetch_bytes},
                       {"kernels_per_step", tally.kernel_nodes},
                       {"replays", tally.replays},
                       {"eager_reason", tally.eager_reason},
                       {"step_bytes", bytes},
                       {"step_s", step_s_},
                       {"median_step_s", step_s},
                       {"tokens_per_s", 1.0 / step_s},
                       {"bytes_per_s", rate},
                       {"read_ratio", rate / read_bytes_per_s}});
    std::printf(
        "%-13s context %4u ring %3u cluster %2u %s %s prefetch %3u %s: %7.1f tok/s  %6.1f us  "
        "%.3f TB/s = %4.1f %% of read, %llu kernels%s%s\n",
        shape.name.c_str(), setting_.context_tokens, setting_.ring_bytes / 1024,
        setting_.cluster_blocks, setting_.has_tensor_attention ? "tensor" : "plain ",
        setting_.has_short_stages ? "short" : "long ", setting_.prefetch_bytes / 1024,
        setting_.may_overlap ? "overlap" : "inorder", 1.0 / step_s, step_s * 1e6, rate * 1e-12,
        100.0 * rate / read_bytes_per_s, static_cast<unsigned long long>(tally.kernel_nodes),
        tally.eager_reason.empty() ? "" : " EAGER: ", tally.eager_reason.c_str());
    std::fflush(stdout);
  }

 private:
  static ops::cuda::launch_site site_of(const timer& clock, const decode_setting& setting) {
    ops::cuda::launch_site site;
    site.stream = clock.stream;
    site.ring_bytes = setting.ring_bytes;
    site.cluster_blocks = setting.cluster_blocks;
    site.has_tensor_attention = setting.has_tensor_attention;
    site.has_short_stages = setting.has_short_stages;
    site.prefetch_bytes = setting.prefetch_bytes;
    site.is_first = !setting.may_overlap;
    return site;
  }

  const timer& clock_;
  const bench_model& model_;
  decode_setting setting_;
  graph::decode_step step_;
  graph::captured_step replayed_;
  std::vector<double> step_s_;
};

constexpr std::uint32_t kib = 1024;
const decode_setting settings[] = {
    {128},
    {128, 160 * kib, 4},
    {128, 160 * kib, 2},
    {128, 160 * kib, 1},
    {128, 160 * kib, 8, true},
    {128, 160 * kib, 4, true},
    {128, 160 * kib, 2, true},
    {128, 160 * kib, 1, true},
    {128, 96 * kib, 8, true, true},
    {128, 96 * kib, 4, true, true},
    {128, 96 * kib, 2, true, true},
    {128, 160 * kib, 8, false, false, 32 * kib},
    {128, 160 * kib, 8, false, false, 0, false},
    {4096},
    {4096, 160 * kib, 16},
    {4096, 160 * kib, 8, true},
    {4096, 160 * kib, 16, true},
};

/// From which context on another attention is the faster one: each kind at each of these.
std::vector<decode_setting> context_sweep() {
  std::vector<decode_setting> all;
  for (const std::uint32_t context : {128U, 256U, 512U, 1024U, 2048U, 4096U})
    for (const bool is_tensor : {false, true})
      for (const std::uint32_t cluster : {2U, 4U, 8U, 16U})
        all.push_back({context, 160 * kib, cluster, is_tensor});
  return all;
}

/// All settings take turns, so that a drift of the clock falls on each alike.
result<void> measure_decode(const timer& clock, const bench_model& model, const model_shape& shape,
                            std::span<const decode_setting> of, int kept, double read_bytes_per_s,
                            report& out) {
  std::vector<std::unique_ptr<decode_entry>> entries;
  for (const decode_setting& setting : of)
    entries.push_back(std::make_unique<decode_entry>(clock, model, setting));
  for (int round = 0; round <= kept; ++round)
    for (const auto& entry : entries) ASSAY_TRY(entry->take_turn(round > 0));
  for (const auto& entry : entries) entry->write(shape, read_bytes_per_s, out);
  return {};
}

result<void> run(const std::string& path, const std::vector<std::string>& wanted, bool is_sweep) {
  ASSAY_TRY(device::find_cuda_device(0));
  timer clock;
  ASSAY_TRY(clock.open());
  report out(path);
  ASSAY_TRY_ASSIGN(const double read, measure_read(clock, out));
  for (const bool may_overlap : {false, true}) ASSAY_TRY(measure_boundary(clock, may_overlap, out));
  for (const std::uint32_t columns : {1024U, 2048U, 3072U, 4096U, 8192U, 14336U})
    for (const std::uint32_t ring : {160U})
      ASSAY_TRY(measure_projection(clock, columns, ring * 1024, out));
  for (const model_shape& shape : published_shapes()) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), shape.name) == wanted.end())
      continue;
    ASSAY_TRY_ASSIGN(const bench_model model, bench_model::create(clock.stream, shape));
    ASSAY_TRY(is_sweep ? measure_decode(clock, model, shape, context_sweep(), samples_of_a_sweep,
                                        read, out)
                       : measure_decode(clock, model, shape, settings, samples, read, out));
  }
  return {};
}

}  // namespace
}  // namespace assay::bench

int main(int argc, char** argv) {
  const bool is_sweep = argc > 1 && std::string_view(argv[1]) == "--contexts";
  char** const given = argv + (is_sweep ? 2 : 1);
  if (given >= argv + argc) {
    std::fprintf(stderr, "usage: decode_bench [--contexts] FILE [SHAPE…]\n");
    return 2;
  }
  const auto ran = assay::bench::run(given[0], {given + 1, argv + argc}, is_sweep);
  if (ran) return 0;
  std::fprintf(stderr, "decode_bench: %s\n", ran.error().message.c_str());
  return 3;
}
