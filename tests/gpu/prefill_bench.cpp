// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How fast a GPU takes in a prompt at three published shapes, beside the products alone.
//
//   prefill_bench FILE [SHAPE…]
//
// The yardstick of the same run: every matrix of every layer multiplied by one call of cublasGemmEx
// with the settings it has by default, bf16 in and out, in the same chunks, nothing in between.
// Passes by each way to attend and the yardstick take turns. Then the parts of a pass one by one.
// Writes JSON to FILE after each measurement, and a line to stdout. Base units: s, bytes.
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/graph/prefill_pass.h"
#include "tests/gpu/bench_model.h"
#include "tests/gpu/bench_report.h"

namespace assay::bench {
namespace {

using ops::cuda::cublas_library;
using ops::cuda::element;
using ops::cuda::matrix_products;
using ops::cuda::row_attention;

constexpr std::uint32_t chunk_tokens = 2048;
constexpr int warm_ups = 2;
constexpr int samples = 11;

/// Device memory of a shape's passes.
class scratch_memory {
 public:
  ~scratch_memory() {
    for (void* each : taken_) (void)cudaFree(each);
  }
  scratch_memory() = default;
  scratch_memory(const scratch_memory&) = delete;
  scratch_memory& operator=(const scratch_memory&) = delete;

  result<void> open(const graph::decode_shape& d) {
    const std::uint64_t tokens = chunk_tokens;
    const std::uint64_t q_rows = std::uint64_t{d.heads} * d.head_dim;
    ASSAY_TRY_ASSIGN(void* x, take(tokens * d.hidden * sizeof(float)));
    buffers.x = static_cast<float*>(x);
    ASSAY_TRY_ASSIGN(buffers.rows, take(tokens * std::max<std::uint64_t>(d.hidden, q_rows) * 2));
    ASSAY_TRY_ASSIGN(buffers.qkv, take(tokens * (d.heads + 2 * d.kv_heads) * d.head_dim * 2));
    ASSAY_TRY_ASSIGN(buffers.gate_up, take(tokens * 2 * d.intermediate * 2));
    ASSAY_TRY_ASSIGN(buffers.gated, take(tokens * d.intermediate * 2));
    ASSAY_TRY_ASSIGN(workspace, take(matrix_products::workspace_bytes));
    ASSAY_TRY_ASSIGN(plain_workspace, take(matrix_products::workspace_bytes));
    return {};
  }

  graph::prefill_buffers buffers;
  void* workspace = nullptr;
  void* plain_workspace = nullptr;

 private:
  result<void*> take(std::uint64_t bytes) {
    void* at = nullptr;
    ASSAY_CUDA_TRY(cudaMalloc(&at, bytes));
    taken_.push_back(at);
    return at;
  }
  std::vector<void*> taken_;
};

/// The products alone, by a handle that nothing of the runtime has touched.
class plain_products {
 public:
  ~plain_products() {
    if (handle_ != nullptr) (void)library_->destroy(handle_);
  }
  plain_products() = default;
  plain_products(const plain_products&) = delete;
  plain_products& operator=(const plain_products&) = delete;

  result<void> open(cudaStream_t stream, void* workspace) {
    ASSAY_TRY_ASSIGN(library_, cublas_library::load());
    ASSAY_TRY(library_->attempt(library_->create(&handle_), "cublasCreate"));
    ASSAY_TRY(library_->attempt(library_->set_stream(handle_, stream), "cublasSetStream"));
    return library_->attempt(
        library_->set_workspace(handle_, workspace, matrix_products::workspace_bytes),
        "cublasSetWorkspace");
  }

  result<void> multiply(const void* w, std::uint32_t rows, std::uint32_t columns,
                        std::uint32_t tokens, const void* in, void* out) const {
    const float one = 1.0F;
    const float none = 0.0F;
    const auto m = static_cast<int>(rows);
    const auto k = static_cast<int>(columns);
    return library_->attempt(
        library_->gemm(handle_, CUBLAS_OP_T, CUBLAS_OP_N, m, static_cast<int>(tokens), k, &one, w,
                       CUDA_R_16BF, k, in, CUDA_R_16BF, k, &none, out, CUDA_R_16BF, m,
                       CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
  }

  result<void> multiply_all(const bench_model& model, const graph::decode_shape& d,
                            const scratch_memory& memory, std::uint32_t tokens) const {
    const graph::prefill_buffers& b = memory.buffers;
    const std::uint32_t q_rows = d.heads * d.head_dim;
    const std::uint32_t kv_rows = d.kv_heads * d.head_dim;
    for (std::uint32_t done = 0; done < tokens; done += chunk_tokens) {
      const std::uint32_t n = std::min(chunk_tokens, tokens - done);
      for (const graph::decode_layer& layer : model.weights().layers) {
        ASSAY_TRY(multiply(layer.q, q_rows, d.hidden, n, b.rows, b.qkv));
        ASSAY_TRY(multiply(layer.k, kv_rows, d.hidden, n, b.rows, b.qkv));
        ASSAY_TRY(multiply(layer.v, kv_rows, d.hidden, n, b.rows, b.qkv));
        ASSAY_TRY(multiply(layer.o, d.hidden, q_rows, n, b.rows, b.qkv));
        ASSAY_TRY(multiply(layer.gate, d.intermediate, d.hidden, n, b.rows, b.gate_up));
        ASSAY_TRY(multiply(layer.up, d.intermediate, d.hidden, n, b.rows, b.gate_up));
        ASSAY_TRY(multiply(layer.down, d.hidden, d.intermediate, n, b.gated, b.rows));
      }
    }
    return {};
  }

 private:
  const cublas_library* library_ = nullptr;
  cublasHandle_t handle_ = nullptr;
};

using work = std::function<result<void>()>;

result<double> seconds_of(const timer& clock, const work& what) {
  ASSAY_TRY(clock.start());
  ASSAY_TRY(what());
  return clock.stop_s();
}

double product_flops(const graph::decode_shape& d, std::uint32_t tokens) {
  const double q_rows = double{1} * d.heads * d.head_dim;
  const double kv_rows = double{1} * d.kv_heads * d.head_dim;
  const double layer = d.hidden * (2 * q_rows + 2 * kv_rows + 3.0 * d.intermediate);
  return 2.0 * tokens * layer * d.layers;
}

/// What one shape is measured on.
struct bench_run {
  const timer& clock;
  const model_shape& shape;
  const bench_model& model;
  const scratch_memory& memory;
  const plain_products& plain;
  matrix_products& products;
  report& out;
};

/// A way to attend, and what its passes took beside the yardstick's next to them.
struct attention_way {
  row_attention kind;
  const char* name;
  std::vector<double> pass_s, plain_s, ratios;
};

result<void> check_state(const bench_run& on, std::uint32_t tokens) {
  ASSAY_TRY_ASSIGN(const ops::cuda::decode_state state, on.model.state());
  if (state.position != static_cast<std::int32_t>(tokens) || state.token < 0)
    return ASSAY_FAIL(internal, "a pass of " + std::to_string(tokens) + " tokens left position " +
                                    std::to_string(state.position) + ", token " +
                                    std::to_string(state.token));
  return {};
}

void report_pass(const bench_run& on, std::uint32_t tokens, const attention_way& way) {
  const auto& [kind, name, pass_s, plain_s, ratios] = way;
  const double flops = product_flops(on.shape.decode, tokens);
  on.out.add("prefill", {{"shape", on.shape.name},
                         {"tokens", tokens},
                         {"attention", name},
                         {"chunk_tokens", chunk_tokens},
                         {"product_flops", flops},
                         {"pass_s", pass_s},
                         {"plain_s", plain_s},
                         {"median_pass_s", median(pass_s)},
                         {"median_plain_s", median(plain_s)},
                         {"median_ratio", median(ratios)},
                         {"tokens_per_s", tokens / median(pass_s)},
                         {"pass_flops_per_s", flops / median(pass_s)},
                         {"plain_flops_per_s", flops / median(plain_s)},
                         {"cublas_version", on.products.version()}});
  std::printf(
      "%-13s %4u tokens, %-9s: %8.3f ms = %8.0f tok/s, %5.1f TFLOP/s; products alone %8.3f ms, "
      "%5.1f TFLOP/s; ratio %.3f\n",
      on.shape.name.c_str(), tokens, name, median(pass_s) * 1e3, tokens / median(pass_s),
      flops / median(pass_s) * 1e-12, median(plain_s) * 1e3, flops / median(plain_s) * 1e-12,
      median(ratios));
  std::fflush(stdout);
}

result<void> measure_pass(const bench_run& on, graph::prefill_pass& pass, std::uint32_t tokens) {
  std::vector<attention_way> ways{{row_attention::by_shape, "by shape", {}, {}, {}},
                                  {row_attention::warps, "warps", {}, {}, {}}};
  if (tokens < 512) ways.resize(1);
  for (int i = 0; i < warm_ups + samples; ++i)
    for (attention_way& way : ways) {
      pass.attend_by(way.kind);
      ASSAY_TRY(on.model.seek(on.clock.stream, 0));
      ASSAY_TRY_ASSIGN(const double mine,
                       seconds_of(on.clock, [&] { return pass.submit(0, tokens); }));
      ASSAY_TRY_ASSIGN(const double plain, seconds_of(on.clock, [&] {
                         return on.plain.multiply_all(on.model, on.shape.decode, on.memory, tokens);
                       }));
      ASSAY_TRY(check_state(on, tokens));
      if (i < warm_ups) continue;
      way.pass_s.push_back(mine);
      way.plain_s.push_back(plain);
      way.ratios.push_back(plain / mine);
    }
  for (const attention_way& way : ways) report_pass(on, tokens, way);
  return {};
}

/// Ten times the same, one after the other: a part's share of a layer.
result<void> measure_part(const bench_run& on, const char* part, const work& what) {
  constexpr int times = 10;
  std::vector<double> each_s;
  for (int i = 0; i < 6; ++i) {
    ASSAY_TRY_ASSIGN(const double seconds, seconds_of(on.clock, [&]() -> result<void> {
                       for (int j = 0; j < times; ++j) ASSAY_TRY(what());
                       return {};
                     }));
    if (i > 0) each_s.push_back(seconds / times);
  }
  on.out.add("part", {{"shape", on.shape.name},
                      {"part", part},
                      {"tokens", chunk_tokens},
                      {"s", each_s},
                      {"median_s", median(each_s)}});
  std::printf("%-13s %-14s %8.1f us\n", on.shape.name.c_str(), part, median(each_s) * 1e6);
  std::fflush(stdout);
  return {};
}

result<void> measure_kernels(const bench_run& on) {
  const graph::decode_shape& d = on.shape.decode;
  const graph::prefill_buffers& b = on.memory.buffers;
  const graph::decode_layer& layer = on.model.weights().layers[0];
  const graph::decode_buffers& steps = on.model.buffers();
  const ops::cuda::pass_site site{on.clock.stream, 0, chunk_tokens};
  const auto kernel = [](cudaError_t code) {
    return device::cuda_try(code, "a kernel of prefill", __FILE__, __LINE__);
  };
  ASSAY_TRY(measure_part(on, "embed", [&] {
    return kernel(ops::cuda::embed_rows(
        d.type, site, {on.model.weights().embedding, steps.forced, b.x, steps.state, d.hidden}));
  }));
  ASSAY_TRY(measure_part(on, "norm", [&] {
    return kernel(
        ops::cuda::norm_rows(d.type, site, {b.x, layer.input_norm, b.rows, d.hidden, d.eps}));
  }));
  ASSAY_TRY(measure_part(on, "append", [&] {
    return kernel(ops::cuda::append_rows(
        d.type, site,
        {b.qkv, nullptr, nullptr, nullptr, layer.q_norm, layer.k_norm, steps.frequencies,
         layer.pages, steps.table, d.page_tokens, d.heads, d.kv_heads, d.head_dim, d.eps}));
  }));
  const std::pair<row_attention, const char*> ways[] = {{row_attention::warps, "attend, warps"},
                                                        {row_attention::pipelined, "attend, pipe"}};
  for (const auto& [kind, part] : ways)
    ASSAY_TRY(measure_part(on, part, [&, kind = kind] {
      return kernel(ops::cuda::attend_rows(d.type, site,
                                           {b.qkv, layer.pages, steps.table, b.rows, d.page_tokens,
                                            d.heads, d.kv_heads, d.head_dim, kind}));
    }));
  return measure_part(on, "gate", [&] {
    return kernel(ops::cuda::gate_rows(d.type, site, {b.gate_up, b.gated, d.intermediate}));
  });
}

result<void> measure_products(const bench_run& on) {
  const graph::decode_shape& d = on.shape.decode;
  const graph::prefill_buffers& b = on.memory.buffers;
  const graph::decode_layer& layer = on.model.weights().layers[0];
  const std::uint32_t n = chunk_tokens;
  const std::uint32_t q_rows = d.heads * d.head_dim;
  const std::uint32_t kv_rows = d.kv_heads * d.head_dim;
  struct one {
    const char* part;
    ops::cuda::product_arguments what;
    bool is_added;
  };
  const one all[] = {
      {"q, k and v",
       {layer.q, nullptr, b.rows, b.qkv, n, q_rows + 2 * kv_rows, d.hidden, q_rows + 2 * kv_rows},
       false},
      {"q", {layer.q, nullptr, b.rows, b.qkv, n, q_rows, d.hidden, q_rows + 2 * kv_rows}, false},
      {"k and v",
       {layer.k, layer.v, b.rows, b.qkv, n, kv_rows, d.hidden, q_rows + 2 * kv_rows},
       false},
      {"o, added", {layer.o, nullptr, b.rows, b.x, n, d.hidden, q_rows, d.hidden}, true},
      {"gate and up",
       {layer.gate, layer.up, b.rows, b.gate_up, n, d.intermediate, d.hidden, 2 * d.intermediate},
       false},
      {"down, added",
       {layer.down, nullptr, b.gated, b.x, n, d.hidden, d.intermediate, d.hidden},
       true}};
  for (const one& each : all)
    ASSAY_TRY(measure_part(on, each.part, [&] {
      return each.is_added ? on.products.multiply_add(d.type, each.what)
                           : on.products.multiply(d.type, each.what);
    }));
  struct plain_one {
    const char* part;
    const void* w;
    std::uint32_t rows, columns;
  };
  const plain_one plains[] = {{"plain q", layer.q, q_rows, d.hidden},
                              {"plain k", layer.k, kv_rows, d.hidden},
                              {"plain o", layer.o, d.hidden, q_rows},
                              {"plain gate", layer.gate, d.intermediate, d.hidden},
                              {"plain down", layer.down, d.hidden, d.intermediate}};
  for (const plain_one& each : plains)
    ASSAY_TRY(measure_part(on, each.part, [&] {
      return on.plain.multiply(each.w, each.rows, each.columns, n, b.gated, b.gate_up);
    }));
  return {};
}

result<void> run_shape(const timer& clock, const model_shape& shape, report& out) {
  ASSAY_TRY_ASSIGN(const bench_model model, bench_model::create(clock.stream, shape));
  scratch_memory memory;
  ASSAY_TRY(memory.open(shape.decode));
  plain_products plain;
  ASSAY_TRY(plain.open(clock.stream, memory.plain_workspace));
  ASSAY_TRY_ASSIGN(auto products, matrix_products::create(clock.stream, memory.workspace));
  ASSAY_TRY_ASSIGN(auto for_pass, matrix_products::create(clock.stream, memory.workspace));
  ops::cuda::launch_site site;
  site.stream = clock.stream;
  graph::prefill_pass pass(shape.decode, model.weights(), model.buffers(), memory.buffers,
                           chunk_tokens, site, std::move(for_pass));
  const bench_run on{clock, shape, model, memory, plain, products, out};
  for (const std::uint32_t tokens : {4U, 8U, 16U, 32U, 128U, 512U, 2048U, 4096U})
    ASSAY_TRY(measure_pass(on, pass, tokens));
  ASSAY_TRY(measure_kernels(on));
  return measure_products(on);
}

result<void> run(const std::string& path, const std::vector<std::string>& wanted) {
  ASSAY_TRY(device::find_cuda_device(0));
  timer clock;
  ASSAY_TRY(clock.open());
  report out(path);
  for (const model_shape& shape : published_shapes())
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), shape.name) != wanted.end())
      ASSAY_TRY(run_shape(clock, shape, out));
  return {};
}

}  // namespace
}  // namespace assay::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: prefill_bench FILE [SHAPE…]\n");
    return 2;
  }
  const auto ran = assay::bench::run(argv[1], {argv + 2, argv + argc});
  if (ran) return 0;
  std::fprintf(stderr, "prefill_bench: %s\n", ran.error().message.c_str());
  return 3;
}
