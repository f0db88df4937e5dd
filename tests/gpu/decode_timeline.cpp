// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Where the time of a decode step goes, kernel by kernel, from CUPTI's records of graph replays.
//
//   decode_timeline [SHAPE…]
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "probes/cupti/cupti_probe.h"
#include "runtime/device/cuda/cuda_try.h"
#include "runtime/graph/captured_step.h"
#include "tests/gpu/bench_model.h"

namespace assay::bench {
namespace {

constexpr int replays = 40;
constexpr std::array names = {"norm_qkv", "attention", "output", "gated_mlp", "down", "head"};

class launch_list final : public trace::sink {
 public:
  result<void> contract(std::string_view) override { return {}; }
  result<void> facts(std::string_view) override { return {}; }
  result<void> records(std::span<const assay_record> more) override {
    for (const assay_record& each : more)
      if (each.kind == ASSAY_ACTIVITY && each.op == ASSAY_OP_LAUNCH) all.push_back(each);
    return {};
  }
  result<void> snapshot(std::int64_t, std::span<const assay_reading>) override { return {}; }
  result<void> end() override { return {}; }
  std::vector<assay_record> all;
};

std::int64_t median(std::vector<std::int64_t>& values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Start of a kernel after the end of the one before it (below 0: they overlap), its span, and from
/// end to end: the last adds up to the step.
struct kernel_times {
  std::vector<std::int64_t> lead_ns, span_ns, step_ns;
};

void print(const model_shape& shape, std::uint32_t context, std::vector<assay_record> launches,
           std::uint32_t per_step) {
  std::sort(launches.begin(), launches.end(),
            [](const auto& a, const auto& b) { return a.end_ns < b.end_ns; });
  std::array<kernel_times, names.size()> times;
  for (std::size_t i = 1; i < launches.size(); ++i) {
    const std::size_t in_step = i % per_step;
    if (in_step == 0) continue;
    kernel_times& into = times[in_step == per_step - 1 ? names.size() - 1 : in_step % 5];
    into.lead_ns.push_back(launches[i].start_ns - launches[i - 1].end_ns);
    into.span_ns.push_back(launches[i].end_ns - launches[i].start_ns);
    into.step_ns.push_back(launches[i].end_ns - launches[i - 1].end_ns);
  }
  std::printf("%s, context %u: kernel, start after previous end, span, end to end (median ns)\n",
              shape.name.c_str(), context);
  for (std::size_t k = 0; k < names.size(); ++k)
    std::printf("  %-10s %8lld %8lld %8lld\n", names[k],
                static_cast<long long>(median(times[k].lead_ns)),
                static_cast<long long>(median(times[k].span_ns)),
                static_cast<long long>(median(times[k].step_ns)));
  std::fflush(stdout);
}

result<void> run_shape(cudaStream_t stream, probes::cupti_probe& probe, const model_shape& shape) {
  ASSAY_TRY_ASSIGN(const bench_model model, bench_model::create(stream, shape));
  for (const std::uint32_t context : {128U, 4096U}) {
    ops::cuda::launch_site site;
    site.stream = stream;
    const graph::decode_step step = model.step(site);
    graph::captured_step replayed(stream, [&] { return step.submit(); });
    ASSAY_TRY(model.seek(stream, context - replays));
    ASSAY_TRY(replayed.run());
    ASSAY_CUDA_TRY(cudaStreamSynchronize(stream));
    launch_list before;
    ASSAY_TRY(probe.drain(before));
    for (int i = 1; i < replays; ++i) ASSAY_TRY(replayed.run());
    ASSAY_CUDA_TRY(cudaStreamSynchronize(stream));
    launch_list seen;
    ASSAY_TRY(probe.drain(seen));
    print(shape, context, seen.all, step.launches());
  }
  return {};
}

result<void> run(const std::vector<std::string>& wanted) {
  ASSAY_TRY(device::find_cuda_device(0));
  ASSAY_TRY_ASSIGN(const auto probe, probes::cupti_probe::open());
  cudaStream_t stream = nullptr;
  ASSAY_CUDA_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (const model_shape& shape : published_shapes())
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), shape.name) != wanted.end())
      ASSAY_TRY(run_shape(stream, *probe, shape));
  std::printf("records lost: %llu\n", static_cast<unsigned long long>(probe->lost_count()));
  return {};
}

}  // namespace
}  // namespace assay::bench

int main(int argc, char** argv) {
  const auto ran = assay::bench::run({argv + 1, argv + argc});
  if (ran) return 0;
  std::fprintf(stderr, "decode_timeline: %s\n", ran.error().message.c_str());
  return 3;
}
