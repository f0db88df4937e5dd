// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu_link/gpu_arithmetic_probe.h"

#include <algorithm>
#include <string>

namespace assay::probes {
namespace {

using telemetry::arithmetic;

// Some milliseconds on a GPU of 2024: the resolution of its events is half a microsecond.
constexpr std::uint32_t f32_rounds = 32'768;
constexpr std::uint32_t tensor_rounds = 8'192;

}  // namespace

result<std::unique_ptr<gpu_arithmetic_probe>> gpu_arithmetic_probe::create(int device) {
  ASSAY_CUDA_CALL(cudaSetDevice(device));
  int multiprocessors = 0;
  ASSAY_CUDA_CALL(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  std::unique_ptr<gpu_arithmetic_probe> made(new gpu_arithmetic_probe);
  ASSAY_TRY_ASSIGN(made->stream_, held_stream::create());
  ASSAY_TRY_ASSIGN(made->sum_, device_words::create(sizeof(std::uint64_t)));
  ASSAY_CUDA_CALL(
      cudaMemsetAsync(made->sum_.data(), 0, made->sum_.bytes(), made->stream_->native()));
  const auto count = static_cast<std::uint32_t>(multiprocessors);
  const arithmetic_work f32{f32_blocks(count), f32_rounds};
  const arithmetic_work tensor{tensor_blocks(count), tensor_rounds};
  made->kinds_ = {
      {arithmetic::f32_fma, "the fastest of f32 multiply-adds between registers of CUDA cores", f32,
       f32.f32_operations(), f32.f32_answer(), enqueue_multiply_adds},
      {arithmetic::bf16_tensor,
       "the fastest of dense bf16 products with sums in f32, by mma.sync.m16n8k16 between "
       "registers; a product that a warp group issues may be faster",
       tensor, tensor.tensor_operations(), tensor.tensor_answer(), enqueue_tensor_products}};
  for (const kind& each : made->kinds_) {
    ASSAY_TRY(made->enqueue(each));
    ASSAY_TRY(made->check(each));
  }
  return made;
}

result<void> gpu_arithmetic_probe::enqueue(const kind& what) {
  ASSAY_CUDA_CALL(what.enqueue(stream_->native(), what.work, sum_.data()));
  return {};
}

// And leaves a sum of 0 for the next one.
result<void> gpu_arithmetic_probe::check(const kind& what) {
  std::uint64_t total = 0;
  ASSAY_CUDA_CALL(cudaMemcpyAsync(&total, sum_.data(), sizeof total, cudaMemcpyDeviceToHost,
                                  stream_->native()));
  ASSAY_CUDA_CALL(cudaMemsetAsync(sum_.data(), 0, sum_.bytes(), stream_->native()));
  ASSAY_CUDA_CALL(cudaStreamSynchronize(stream_->native()));
  if (total != what.answer)
    return ASSAY_FAIL(internal, "GPU arithmetic probe, " + std::string(to_string(what.by)) +
                                    ": the results come to " + std::to_string(total) +
                                    " in place of " + std::to_string(what.answer) +
                                    "; their rate is no ceiling");
  return {};
}

result<void> gpu_arithmetic_probe::sample() {
  for (kind& each : kinds_) {
    ASSAY_TRY_ASSIGN(const held_span span, stream_->time([&] { return enqueue(each); }));
    ASSAY_TRY(check(each));
    if (span.took_ns <= 0)
      return ASSAY_FAIL(unavailable,
                        "GPU arithmetic probe: a kernel of no time; its events are "
                        "not to be believed");
    each.best_operations_per_s = std::max(
        each.best_operations_per_s, each.operations * 1e9 / static_cast<double>(span.took_ns));
    ++each.samples_count;
  }
  return {};
}

std::vector<trace::arithmetic_ceiling> gpu_arithmetic_probe::ceilings() const {
  std::vector<trace::arithmetic_ceiling> out;
  for (const kind& each : kinds_)
    out.push_back({each.by, each.best_operations_per_s, each.samples_count,
                   each.samples_count > 0 ? each.how : "nothing was measured yet"});
  return out;
}

}  // namespace assay::probes
