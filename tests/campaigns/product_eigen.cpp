// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Eigen's f32 product. Built for the processor at hand: Eigen takes its loops when it is compiled.
// Never its bf16 product, which rounds its running sum to bf16.
#include <string>

#include "tests/campaigns/product.h"

#if defined(ASSAY_HAS_EIGEN)

#include <algorithm>
#include <bit>

#include <omp.h>
#include <Eigen/Core>

namespace assay::campaigns {
namespace {

using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using strided = Eigen::Map<matrix, Eigen::Unaligned, Eigen::OuterStride<>>;

void widen(const std::uint16_t* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; ++i)
    to[i] = std::bit_cast<float>(static_cast<std::uint32_t>(from[i]) << 16);
}

double activation_bytes(const product_problem& of) {
  return static_cast<double>(of.x.size_bytes()) + 4.0 * of.tokens * of.rows;
}

// Weights that were widened once and stay so: twice the memory.
class widened_before final : public product {
 public:
  widened_before(const product_problem& of, std::uint32_t threads)
      : of_(of), threads_(static_cast<int>(threads)), weights_(weight_bytes() * of.copies) {
    for (std::uint32_t copy = 0; copy < of.copies; ++copy)
      widen(of.weights.data(), of.weights.size(), at(copy));
  }

  void run(float* out, int calls) override {
    Eigen::setNbThreads(threads_);
    for (int i = 0; i < calls; ++i) run_once(out);
  }

  double bytes() const override {
    return static_cast<double>(weight_bytes()) + activation_bytes(of_);
  }

 private:
  void run_once(float* out) {
    const Eigen::Map<const matrix> w(at(next_), of_.rows, of_.columns);
    const Eigen::Map<const matrix> x(of_.x.data(), of_.tokens, of_.columns);
    Eigen::Map<matrix>(out, of_.tokens, of_.rows).noalias() = x * w.transpose();
    next_ = (next_ + 1) % of_.copies;
  }

  std::size_t weight_bytes() const { return 4 * of_.weights.size(); }
  float* at(std::uint32_t copy) const { return weights_.as<float>() + copy * of_.weights.size(); }

  product_problem of_;
  int threads_;
  huge_block weights_;
  std::uint32_t next_ = 0;
};

// Weights that stay bf16: some rows at a time are widened into a buffer and multiplied from there.
// Threads take such blocks of rows, each with Eigen's product on one thread.
class widened_each_call final : public product {
 public:
  widened_each_call(const product_problem& of, std::uint32_t threads)
      : of_(of),
        threads_(static_cast<int>(threads)),
        block_rows_(std::clamp(buffer_floats / of.columns, 128U, 1024U)),
        weights_(of.weights.size_bytes() * of.copies),
        buffers_(std::size_t{threads} * block_rows_ * of.columns * 4) {
    for (std::uint32_t copy = 0; copy < of.copies; ++copy)
      std::copy(of.weights.begin(), of.weights.end(), at(copy));
  }

  void run(float* out, int calls) override {
    Eigen::setNbThreads(1);
    for (int i = 0; i < calls; ++i) run_once(out);
  }

  double bytes() const override {
    return static_cast<double>(of_.weights.size_bytes()) + activation_bytes(of_);
  }

 private:
  static constexpr std::uint32_t buffer_floats = 256 * 1024;  // 1 MiB, a second-level cache

  void run_once(float* out) {
    const auto blocks = static_cast<int>((of_.rows + block_rows_ - 1) / block_rows_);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_)
    for (int block = 0; block < blocks; ++block)
      run_block(static_cast<std::uint32_t>(block) * block_rows_,
                static_cast<std::size_t>(omp_get_thread_num()), out);
    next_ = (next_ + 1) % of_.copies;
  }

  void run_block(std::uint32_t row, std::size_t thread, float* out) {
    const std::uint32_t rows = std::min(block_rows_, of_.rows - row);
    float* buffer = buffers_.as<float>() + thread * block_rows_ * of_.columns;
    widen(at(next_) + std::size_t{row} * of_.columns, std::size_t{rows} * of_.columns, buffer);
    const Eigen::Map<const matrix> w(buffer, rows, of_.columns);
    const Eigen::Map<const matrix> x(of_.x.data(), of_.tokens, of_.columns);
    strided(out + row, of_.tokens, rows, Eigen::OuterStride<>(of_.rows)).noalias() =
        x * w.transpose();
  }

  std::uint16_t* at(std::uint32_t copy) const {
    return weights_.as<std::uint16_t>() + copy * of_.weights.size();
  }

  product_problem of_;
  int threads_;
  std::uint32_t block_rows_;
  huge_block weights_;
  huge_block buffers_;
  std::uint32_t next_ = 0;
};

template <class Product>
result<std::unique_ptr<product>> make(const product_problem& of, std::uint32_t threads) {
  return std::make_unique<Product>(of, threads);
}

}  // namespace

std::vector<product_maker> eigen_makers() {
  return {{"Eigen f32, widened before", false, false, make<widened_before>},
          {"Eigen f32, widened each call", false, false, make<widened_each_call>}};
}

}  // namespace assay::campaigns

#else

namespace assay::campaigns {
namespace {

result<std::unique_ptr<product>> absent(const product_problem&, std::uint32_t) {
  return ASSAY_FAIL(
      unavailable, "built without Eigen or OpenMP; apt-get install libeigen3-dev, configure again");
}

}  // namespace

std::vector<product_maker> eigen_makers() {
  return {{"Eigen f32, widened before", false, false, absent},
          {"Eigen f32, widened each call", false, false, absent}};
}

}  // namespace assay::campaigns

#endif
