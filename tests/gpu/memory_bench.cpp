// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How fast a GPU decodes a model that does not fit its limit, beside what its link and its memory
// carry, measured by turns in the same run.
//
//   memory_bench FILE CHECKPOINT STEPS LIMIT_GIB…
//
// Ids must be those that come out without a limit.
// Writes JSON to FILE after each limit, and a line to stdout. Base units: s, bytes, bytes/s.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device/cuda/cuda_device.h"
#include "runtime/device/cuda/pinned_staging.h"
#include "runtime/engine/cuda/driver_overhead.h"
#include "runtime/engine/cuda/gpu_engine.h"
#include "runtime/telemetry/registry.h"
#include "tests/gpu/bench_kernels.h"
#include "tests/gpu/bench_report.h"

namespace assay::bench {
namespace {

using id = telemetry::counter_id;

constexpr std::uint64_t mib = std::uint64_t{1} << 20;
constexpr std::uint64_t gib = std::uint64_t{1} << 30;
constexpr std::uint64_t probe_bytes = 512 * mib;
constexpr int copies_a_probe = 4;
constexpr std::uint32_t context_tokens = 512;
constexpr std::uint32_t prompt_tokens = 16;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Copies and a read of memory of the bench's own.
class ceilings {
 public:
  result<void> open() {
    ASSAY_TRY(clock_.open());
    ASSAY_TRY_ASSIGN(host_, device::pinned_buffer::create(probe_bytes));
    ASSAY_CUDA_TRY(cudaMalloc(&device_, probe_bytes));
    ASSAY_CUDA_TRY(cudaMalloc(reinterpret_cast<void**>(&sink_), sizeof *sink_));
    return {};
  }
  result<double> copy_bytes_per_s() {
    ASSAY_TRY(clock_.start());
    for (int i = 0; i < copies_a_probe; ++i)
      ASSAY_CUDA_TRY(cudaMemcpyAsync(device_, host_->data(), probe_bytes, cudaMemcpyHostToDevice,
                                     clock_.stream));
    ASSAY_TRY_ASSIGN(const double seconds, clock_.stop_s());
    return copies_a_probe * static_cast<double>(probe_bytes) / seconds;
  }
  result<double> read_bytes_per_s() {
    ASSAY_TRY(clock_.start());
    for (int i = 0; i < 8; ++i)
      ASSAY_CUDA_TRY(read_all(clock_.stream, {132 * 8, 512}, device_, probe_bytes, sink_));
    ASSAY_TRY_ASSIGN(const double seconds, clock_.stop_s());
    return 8 * static_cast<double>(probe_bytes) / seconds;
  }

 private:
  timer clock_;
  std::optional<device::pinned_buffer> host_;
  void* device_ = nullptr;
  std::uint32_t* sink_ = nullptr;
};

struct samples {
  std::vector<double> step_s, copy_bytes_per_s, read_bytes_per_s;
  std::vector<double> event_step_s, event_copy_s, event_stall_s;
};

std::vector<std::int32_t> some_prompt() {
  std::vector<std::int32_t> prompt(prompt_tokens);
  std::iota(prompt.begin(), prompt.end(), 100);
  return prompt;
}

result<std::vector<std::int32_t>> ids_without_limit(const std::string& checkpoint, int steps) {
  telemetry::registry counters;
  ASSAY_TRY_ASSIGN(auto gpu, device::cuda_device::create({}));
  ASSAY_TRY_ASSIGN(
      auto made, engine::gpu_engine::load(checkpoint, *gpu, *gpu, counters, {context_tokens, 16}));
  ASSAY_TRY(made->begin_request(some_prompt(), {static_cast<std::uint32_t>(steps), 0.0, 0, false}));
  ASSAY_TRY_ASSIGN(const auto first, made->prefill());
  std::vector<std::int32_t> ids{first.token};
  while (ids.size() < static_cast<std::size_t>(steps)) {
    ASSAY_TRY_ASSIGN(const auto step, made->decode_step());
    ids.push_back(step.token);
  }
  ASSAY_TRY(made->end_request());
  return ids;
}

class limited_run {
 public:
  limited_run(std::string checkpoint, ceilings& probe, report& out)
      : checkpoint_(std::move(checkpoint)), probe_(probe), out_(out) {}

  /// `beside_bytes`: taken of the GPU by the bench itself.
  const std::vector<std::int32_t>& ids() const { return ids_; }
  result<void> go(std::uint64_t limit_bytes, int steps, std::uint64_t beside_bytes) {
    ASSAY_TRY_ASSIGN(auto gpu, device::cuda_device::create({}));
    engine::engine_options options{context_tokens, 16};
    options.memory_limit_bytes = limit_bytes;
    ASSAY_TRY_ASSIGN(const auto seen, checkpoint::checkpoint::open_unread(checkpoint_));
    ASSAY_TRY_ASSIGN(const device::device_memory driver,
                     engine::measure_driver(seen, *gpu, options, {}));
    options.reserved_bytes = engine::reserved_for(driver) - beside_bytes;
    const double begin = now_s();
    ASSAY_TRY_ASSIGN(auto made,
                     engine::gpu_engine::load(checkpoint_, *gpu, *gpu, counters_, options));
    load_s_ = now_s() - begin;
    ASSAY_TRY_ASSIGN(const device::device_memory loaded, gpu->memory());
    ASSAY_TRY(
        made->begin_request(some_prompt(), {static_cast<std::uint32_t>(steps) + 3, 0.0, 0, false}));
    ASSAY_TRY_ASSIGN(const auto first, made->prefill());
    ids_.push_back(first.token);
    ASSAY_TRY_ASSIGN(const auto second, made->decode_step());
    ids_.push_back(second.token);
    for (int i = 0; i < steps; ++i) ASSAY_TRY(sample(*made));
    ASSAY_TRY_ASSIGN(const device::device_memory after, gpu->memory());
    ASSAY_TRY(made->end_request());
    write(limit_bytes, options.reserved_bytes, loaded.taken_bytes - beside_bytes,
          after.taken_bytes - beside_bytes, *made);
    return {};
  }

 private:
  std::int64_t of(id counter) const { return counters_.read(counter).integer(); }

  result<void> sample(engine::gpu_engine& made) {
    ASSAY_TRY_ASSIGN(const double copied, probe_.copy_bytes_per_s());
    ASSAY_TRY_ASSIGN(const double read, probe_.read_bytes_per_s());
    const std::int64_t step_ns = of(id::compute_device_ns);
    const std::int64_t copy_ns = of(id::paging_h2d_ns);
    const std::int64_t stall_ns = of(id::paging_stall_ns);
    const double begin = now_s();
    ASSAY_TRY_ASSIGN(const auto step, made.decode_step());
    s_.step_s.push_back(now_s() - begin);
    ids_.push_back(step.token);
    s_.copy_bytes_per_s.push_back(copied);
    s_.read_bytes_per_s.push_back(read);
    const auto since = [&](id counter, std::int64_t before) {
      return static_cast<double>(of(counter) - before) * 1e-9;
    };
    s_.event_step_s.push_back(since(id::compute_device_ns, step_ns));
    s_.event_copy_s.push_back(since(id::paging_h2d_ns, copy_ns));
    s_.event_stall_s.push_back(since(id::paging_stall_ns, stall_ns));
    return {};
  }

  void write(std::uint64_t limit_bytes, std::uint64_t reserved_bytes, std::uint64_t loaded_bytes,
             std::uint64_t taken_bytes, const engine::gpu_engine& made) {
    const auto passes = static_cast<double>(2 + s_.step_s.size());
    const double missed = static_cast<double>(of(id::paging_h2d_bytes)) / passes;
    const auto resident = static_cast<double>(of(id::paging_resident_bytes));
    const double step_s = median(s_.step_s);
    const double link = median(s_.copy_bytes_per_s);
    const double memory = median(s_.read_bytes_per_s);
    const double bound_s = std::max(resident / memory, missed / link);
    json facts;
    for (const engine::engine_fact& each : made.facts()) facts[each.name] = each.words;
    out_.add("limits", {{"limit_bytes", limit_bytes},
                        {"reserved_bytes", reserved_bytes},
                        {"taken_bytes_loaded", loaded_bytes},
                        {"taken_bytes_at_end", taken_bytes},
                        {"load_s", load_s_},
                        {"resident_bytes", resident},
                        {"missed_bytes_a_step", missed},
                        {"staging_bytes", of(id::paging_staging_bytes)},
                        {"step_s", s_.step_s},
                        {"event_step_s", s_.event_step_s},
                        {"event_copy_s", s_.event_copy_s},
                        {"event_stall_s", s_.event_stall_s},
                        {"copy_ceiling_bytes_per_s", s_.copy_bytes_per_s},
                        {"read_ceiling_bytes_per_s", s_.read_bytes_per_s},
                        {"overlap_ratio", counters_.read(id::paging_overlap_ratio).real()},
                        {"median_step_s", step_s},
                        {"streamed_bytes_per_s", missed / step_s},
                        {"link_ratio", missed / step_s / link},
                        {"bound_s", bound_s},
                        {"bound_ratio", step_s / bound_s},
                        {"facts", facts}});
    std::printf(
        "limit %.1f GiB: R %.3f GB, missed %.3f GB a step, step %.2f ms (events %.2f, copies "
        "%.2f), %.2f GB/s = %.1f %% of %.2f GB/s; %.3f x the bound of %.2f ms; taken %.3f GiB "
        "loaded, %.3f at the end; load %.1f s\n",
        static_cast<double>(limit_bytes) / gib, resident * 1e-9, missed * 1e-9, step_s * 1e3,
        median(s_.event_step_s) * 1e3, median(s_.event_copy_s) * 1e3, missed / step_s * 1e-9,
        100.0 * missed / step_s / link, link * 1e-9, step_s / bound_s, bound_s * 1e3,
        static_cast<double>(loaded_bytes) / gib, static_cast<double>(taken_bytes) / gib, load_s_);
    for (const engine::engine_fact& each : made.facts())
      std::printf("  %s: %s\n", each.name.c_str(), each.words.c_str());
    std::fflush(stdout);
  }

  std::string checkpoint_;
  ceilings& probe_;
  report& out_;
  telemetry::registry counters_;
  samples s_;
  std::vector<std::int32_t> ids_;
  double load_s_ = 0.0;
};

result<void> run(const std::string& path, const std::string& checkpoint, int steps,
                 const std::vector<std::string>& limits) {
  ASSAY_TRY_ASSIGN(auto gpu, device::cuda_device::create({}));
  ASSAY_TRY_ASSIGN(const device::device_memory bare, gpu->memory());
  report out(path);
  ceilings probe;
  ASSAY_TRY(probe.open());
  ASSAY_TRY_ASSIGN(const double link, probe.copy_bytes_per_s());
  ASSAY_TRY_ASSIGN(const double read, probe.read_bytes_per_s());
  ASSAY_TRY_ASSIGN(const device::device_memory probed, gpu->memory());
  std::printf(
      "taken by driver and context %.3f GiB, with the bench's own %.3f; link %.2f GB/s, "
      "memory %.3f TB/s\n",
      static_cast<double>(bare.taken_bytes) / gib, static_cast<double>(probed.taken_bytes) / gib,
      link * 1e-9, read * 1e-12);
  ASSAY_TRY_ASSIGN(const auto wanted, ids_without_limit(checkpoint, steps + 2));
  bool is_same = true;
  for (const std::string& limit : limits) {
    limited_run one(checkpoint, probe, out);
    const auto limit_bytes = static_cast<std::uint64_t>(std::atof(limit.c_str()) * gib);
    ASSAY_TRY(one.go(limit_bytes, steps, probed.taken_bytes - bare.taken_bytes));
    is_same = is_same && one.ids() == wanted;
    std::printf("  ids %s those without a limit\n", one.ids() == wanted ? "equal" : "DIFFER from");
    out.add("ids", {{"limit", limit}, {"are_those_without_limit", one.ids() == wanted}});
  }
  if (!is_same) return ASSAY_FAIL(internal, "ids differ from those without a limit");
  return {};
}

}  // namespace
}  // namespace assay::bench

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: memory_bench FILE CHECKPOINT STEPS LIMIT_GIB…\n");
    return 2;
  }
  const auto ran = assay::bench::run(argv[1], argv[2], std::atoi(argv[3]), {argv + 4, argv + argc});
  if (ran) return 0;
  std::fprintf(stderr, "memory_bench: %s\n", ran.error().message.c_str());
  return 3;
}
