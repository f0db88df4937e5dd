// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// oneDNN's product, version 2. Its weights are brought into the order that it asks for beforehand.
#include <string>

#include "tests/campaigns/product.h"

#if defined(ASSAY_HAS_ONEDNN)

#include <algorithm>
#include <bit>
#include <unordered_map>

#include <omp.h>
#include <oneapi/dnnl/dnnl.hpp>

namespace assay::campaigns {
namespace {

using dnnl::memory;

constexpr std::size_t line_bytes = 64;

std::size_t in_lines(std::size_t bytes) {
  return (bytes + line_bytes - 1) / line_bytes * line_bytes;
}

// out (tokens, rows) = x (tokens, columns) · weights (columns, rows). With bf16 the activations are
// rounded by a reorder of the library's, in each call.
class onednn_product final : public product {
 public:
  onednn_product(const product_problem& of, std::uint32_t threads, memory::data_type type)
      : of_(of), threads_(static_cast<int>(threads)), type_(type) {
    omp_set_num_threads(threads_);
    const memory::dims x_dims{of.tokens, of.columns};
    const memory::dims out_dims{of.tokens, of.rows};
    const memory::dims weight_dims{of.columns, of.rows};
    const memory::desc x_type(x_dims, type, memory::format_tag::ab);
    const memory::desc out_type(out_dims, memory::data_type::f32, memory::format_tag::ab);
    const memory::desc any(weight_dims, type, memory::format_tag::any);
    chosen_ = dnnl::matmul::primitive_desc(dnnl::matmul::desc(x_type, any, out_type), engine_);
    matmul_ = dnnl::matmul(chosen_);
    x_ = memory({x_dims, memory::data_type::f32, memory::format_tag::ab}, engine_,
                const_cast<float*>(of.x.data()));
    out_ = memory(out_type, engine_, DNNL_MEMORY_NONE);
    rounded_ = memory(x_type, engine_);
    keep_weights(weight_dims);
  }

  void run(float* out, int calls) override {
    omp_set_num_threads(threads_);
    out_.set_data_handle(out);
    for (int i = 0; i < calls; ++i) run_once();
    stream_.wait();
  }

  double bytes() const override {
    return static_cast<double>(chosen_.weights_desc().get_size() + of_.x.size_bytes()) +
           4.0 * of_.tokens * of_.rows;
  }

  std::string detail() const override { return chosen_.impl_info_str(); }

 private:
  void run_once() {
    const bool is_rounded = type_ != memory::data_type::f32;
    if (is_rounded) dnnl::reorder(x_, rounded_).execute(stream_, x_, rounded_);
    matmul_.execute(stream_, {{DNNL_ARG_SRC, is_rounded ? rounded_ : x_},
                              {DNNL_ARG_WEIGHTS, copies_[next_]},
                              {DNNL_ARG_DST, out_}});
    next_ = (next_ + 1) % of_.copies;
  }

  // Stored with a row's columns beside each other: to the library, a matrix in column order.
  void keep_weights(const memory::dims& dims) {
    const std::size_t bytes = in_lines(chosen_.weights_desc().get_size());
    weights_ = std::make_unique<huge_block>(bytes * of_.copies);
    memory stored({dims, memory::data_type::bf16, memory::format_tag::ba}, engine_,
                  const_cast<std::uint16_t*>(of_.weights.data()));
    for (std::uint32_t copy = 0; copy < of_.copies; ++copy) {
      copies_.emplace_back(chosen_.weights_desc(), engine_,
                           weights_->as<std::byte>() + copy * bytes);
      dnnl::reorder(stored, copies_.back()).execute(stream_, stored, copies_.back());
    }
    stream_.wait();
  }

  product_problem of_;
  int threads_;
  memory::data_type type_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  dnnl::matmul::primitive_desc chosen_;
  dnnl::matmul matmul_;
  memory x_;
  memory rounded_;
  memory out_;
  std::unique_ptr<huge_block> weights_;
  std::vector<memory> copies_;
  std::uint32_t next_ = 0;
};

template <memory::data_type Type>
result<std::unique_ptr<product>> make(const product_problem& of, std::uint32_t threads) {
  try {
    return std::make_unique<onednn_product>(of, threads, Type);
  } catch (const dnnl::error& refused) {
    return ASSAY_FAIL(unavailable, std::string("oneDNN refuses: ") + refused.what());
  }
}

}  // namespace

std::vector<product_maker> onednn_makers() {
  return {{"oneDNN f32, packed before", false, false, make<memory::data_type::f32>},
          {"oneDNN bf16, packed before", true, false, make<memory::data_type::bf16>}};
}

}  // namespace assay::campaigns

#else

namespace assay::campaigns {
namespace {

result<std::unique_ptr<product>> absent(const product_problem&, std::uint32_t) {
  return ASSAY_FAIL(
      unavailable,
      "built without oneDNN 2 or OpenMP; apt-get install libdnnl-dev, configure again");
}

}  // namespace

std::vector<product_maker> onednn_makers() {
  return {{"oneDNN f32, packed before", false, false, absent},
          {"oneDNN bf16, packed before", true, false, absent}};
}

}  // namespace assay::campaigns

#endif
