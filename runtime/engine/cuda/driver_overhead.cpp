// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/cuda/driver_overhead.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "runtime/device/cuda/cuda_try.h"
#include "runtime/engine/cuda/gpu_plan.h"
#include "runtime/engine/cuda/gpu_prefill.h"
#include "runtime/engine/cuda/gpu_shape.h"

namespace assay::engine {
namespace {

// Eight allocations and two streams of at most a granule of 2 MiB each that is not filled, and 24
// MiB for code that the measured lengths did not bring.
constexpr std::uint64_t unmeasured_bytes = (std::uint64_t{8 * 2 + 2 * 2 + 24}) << 20;

struct stream_end {
  void operator()(cudaStream_t of) const { (void)cudaStreamDestroy(of); }
};
using owned_stream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, stream_end>;

// Past the device, whose allocations are the runtime's: those who observe it would see a buffer
// that no counter has.
struct memory_end {
  void operator()(std::byte* of) const { (void)cudaFree(of); }
};
using owned_memory = std::unique_ptr<std::byte, memory_end>;

result<owned_memory> take(std::uint64_t bytes) {
  void* at = nullptr;
  ASSAY_CUDA_TRY(cudaMalloc(&at, bytes));
  return owned_memory(static_cast<std::byte*>(at));
}

result<void> load_executable(cudaGraph_t graph, cudaStream_t on) {
  cudaGraphExec_t executable = nullptr;
  ASSAY_CUDA_TRY(cudaGraphInstantiate(&executable, graph, 0));
  const cudaError_t loaded = cudaGraphUpload(executable, on);
  const cudaError_t waited = cudaStreamSynchronize(on);
  (void)cudaGraphExecDestroy(executable);
  ASSAY_CUDA_TRY(loaded);
  ASSAY_CUDA_TRY(waited);
  return {};
}

result<void> load_captured(cudaStream_t on, const std::function<result<void>()>& submit) {
  // Relaxed: another thread of the process may allocate meanwhile.
  ASSAY_CUDA_TRY(cudaStreamBeginCapture(on, cudaStreamCaptureModeRelaxed));
  const result<void> submitted = submit();
  cudaGraph_t graph = nullptr;
  // The capture ends in any case: a stream left capturing refuses everything else.
  const cudaError_t ended = cudaStreamEndCapture(on, &graph);
  const auto done = [&]() -> result<void> {
    ASSAY_TRY(submitted);
    ASSAY_CUDA_TRY(ended);
    return load_executable(graph, on);
  }();
  if (graph != nullptr) (void)cudaGraphDestroy(graph);
  return done;
}

/// A model of one layer whose every weight lies at `at`: kernels differ by shape, not by address.
/// But for those that one product takes together where they lie one behind the other, as they do in
/// a run.
graph::decode_weights weights_at(std::byte* at, const graph::decode_shape& shape,
                                 const checkpoint::model_config& config) {
  graph::decode_weights made;
  made.embedding = made.final_norm = made.head = at;
  graph::decode_layer layer;
  for (const void** each : {&layer.input_norm, &layer.q, &layer.k, &layer.v, &layer.o,
                            &layer.mlp_norm, &layer.gate, &layer.up, &layer.down})
    *each = at;
  const std::uint64_t row_bytes = std::uint64_t{shape.hidden} * ops::cuda::bytes_of(shape.type);
  const std::uint64_t head_bytes = shape.head_dim * row_bytes;
  layer.k = at + shape.heads * head_bytes;
  layer.v = at + (shape.heads + shape.kv_heads) * head_bytes;
  layer.up = at + shape.intermediate * row_bytes;
  if (config.has_qk_norm) layer.q_norm = layer.k_norm = at;
  layer.pages = at;
  made.layers.push_back(layer);
  return made;
}

}  // namespace

result<device::device_memory> measure_driver(const checkpoint::checkpoint& from,
                                             device::cuda_device& gpu,
                                             const engine_options& options,
                                             const gpu_engine_options& gpu_options) {
  ASSAY_TRY_ASSIGN(const device::device_memory has, gpu.memory());
  ASSAY_TRY_ASSIGN(gpu_plan plan, plan_gpu(from, options, gpu_options, has.total_bytes));
  plan.shape.layers = 1;
  cudaStream_t made = nullptr;
  ASSAY_CUDA_TRY(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
  const owned_stream stream(made);
  gpu_prefill::parts parts;
  const std::uint64_t step_bytes = carve(nullptr, plan.shape, parts.buffers);
  const std::uint64_t pass_bytes =
      gpu_prefill::needed_bytes(plan.shape, plan.context_tokens, plan.prefill);
  ASSAY_TRY_ASSIGN(owned_memory memory, take(step_bytes + pass_bytes));
  carve(memory.get(), plan.shape, parts.buffers);
  parts.shape = plan.shape;
  parts.weights = weights_at(memory.get(), plan.shape, from.config());
  parts.site.stream = stream.get();
  parts.site.blocks = static_cast<std::uint32_t>(gpu.multiprocessors());
  parts.site.has_tensor_attention = takes_tensor_attention(plan.shape);
  parts.context_tokens = plan.context_tokens;
  const graph::decode_step step(parts.shape, parts.weights, parts.buffers, parts.site);
  ASSAY_TRY(load_captured(stream.get(), [&] { return step.submit(); }));
  // The handle of cuBLAS stays for the question: a run has one, too.
  gpu_prefill pass;
  if (pass_bytes > 0) {
    pass = gpu_prefill::on_memory(memory.get() + step_bytes, std::move(parts), plan.prefill);
    const std::uint32_t chunk = pass.chunk_tokens();
    if (pass.takes(chunk))
      ASSAY_TRY(load_captured(stream.get(), [&] { return pass.run(0, chunk); }));
  }
  memory.reset();
  return gpu.memory();
}

std::uint64_t reserved_for(const device::device_memory& taken) {
  return taken.taken_bytes + unmeasured_bytes;
}

}  // namespace assay::engine
