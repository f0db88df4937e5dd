// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One product of a prefill, made by different programs from the same stored weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/telemetry/result.h"

namespace assay::campaigns {

/// Memory that begins where a huge page may, as the device's arena does.
class huge_block {
 public:
  explicit huge_block(std::size_t bytes);
  ~huge_block();
  huge_block(const huge_block&) = delete;
  huge_block& operator=(const huge_block&) = delete;
  huge_block(huge_block&& other) noexcept;
  huge_block& operator=(huge_block&&) = delete;

  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(first_);
  }

 private:
  void* raw_ = nullptr;
  std::byte* first_ = nullptr;
  std::size_t mapped_bytes_ = 0;
};

/// Shapes: weights (rows, columns) bf16, x (tokens, columns) f32, both row-major. Not owned.
struct product_problem {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::uint32_t tokens = 0;
  std::span<const std::uint16_t> weights;
  std::span<const float> x;
  /// So many copies of the weights in turn, one a call: together they are larger than a cache, as
  /// the weights of the layers between two calls are.
  std::uint32_t copies = 1;

  double flops() const { return 2.0 * rows * columns * tokens; }
};

class product {
 public:
  virtual ~product() = default;
  /// out[t][r] = weights[r] · x[t], `calls` times, as the layers of a model follow each other.
  /// Shape: (tokens, rows) f32.
  virtual void run(float* out, int calls) = 0;
  /// Bytes that a call cannot avoid: its weights as it keeps them, x and out, each once.
  virtual double bytes() const = 0;
  /// What a library says that it chose; empty where it says nothing.
  virtual std::string detail() const { return {}; }
};

struct product_maker {
  std::string_view name;
  /// Activations are rounded to bf16 too: a result that is only as good as that.
  bool is_rounded = false;
  /// What a lesser processor would do: measured on one model's shapes alone.
  bool is_lesser = false;
  /// Errors: unavailable, where the library was not there when this was built.
  result<std::unique_ptr<product>> (*make)(const product_problem& of, std::uint32_t threads);
};

/// Ours first, which the others stand beside.
std::vector<product_maker> product_makers();

// By library, each in a file of its own.
std::vector<product_maker> own_makers();
std::vector<product_maker> eigen_makers();
std::vector<product_maker> onednn_makers();

}  // namespace assay::campaigns
