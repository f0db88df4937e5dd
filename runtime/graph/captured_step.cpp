// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/graph/captured_step.h"

#include <utility>
#include <vector>

#include "runtime/device/cuda/cuda_try.h"

namespace assay::graph {

captured_step::~captured_step() {
  drop();
}

void captured_step::drop() {
  if (executable_ != nullptr) (void)cudaGraphExecDestroy(executable_);
  executable_ = nullptr;
  tally_.nodes = 0;
  tally_.kernel_nodes = 0;
}

void captured_step::run_eagerly(std::string reason) {
  drop();
  tally_.eager_reason = std::move(reason);
}

result<void> captured_step::run() {
  if (executable_ == nullptr && tally_.eager_reason.empty())
    if (const auto captured = capture(); !captured) run_eagerly(captured.error().message);
  if (executable_ == nullptr) {
    ASSAY_TRY(submit_());
    ++tally_.eager_steps;
    return {};
  }
  ASSAY_CUDA_TRY(cudaGraphLaunch(executable_, stream_));
  ++tally_.replays;
  return {};
}

result<void> captured_step::capture() {
  ++tally_.captures;
  // Relaxed: another thread of the process may allocate meanwhile; the step itself does not.
  ASSAY_CUDA_TRY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
  const result<void> submitted = submit_();
  cudaGraph_t graph = nullptr;
  // The capture ends in any case: a stream left capturing refuses everything else.
  const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
  result<void> done = submitted;
  if (done) done = device::cuda_try(ended, "cudaStreamEndCapture", __FILE__, __LINE__);
  if (done) done = instantiate(graph);
  if (graph != nullptr) (void)cudaGraphDestroy(graph);
  (void)cudaGetLastError();
  return done;
}

result<void> captured_step::instantiate(cudaGraph_t graph) {
  std::size_t count = 0;
  ASSAY_CUDA_TRY(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  ASSAY_CUDA_TRY(cudaGraphGetNodes(graph, nodes.data(), &count));
  std::uint64_t kernel_nodes = 0;
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    ASSAY_CUDA_TRY(cudaGraphNodeGetType(node, &type));
    if (type == cudaGraphNodeTypeKernel) ++kernel_nodes;
  }
  ASSAY_CUDA_TRY(cudaGraphInstantiate(&executable_, graph, 0));
  ASSAY_CUDA_TRY(cudaGraphUpload(executable_, stream_));
  ++tally_.instantiations;
  tally_.nodes = count;
  tally_.kernel_nodes = kernel_nodes;
  return {};
}

}  // namespace assay::graph
