// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Memory that operators read, filled with numbers that all three stored types hold exactly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string_view>

#include "runtime/checkpoint/safetensors.h"
#include "runtime/ops/weight.h"
#include "runtime/telemetry/result.h"

namespace assay::scenarios {

inline constexpr std::array stored_types{checkpoint::dtype::f32, checkpoint::dtype::f16,
                                         checkpoint::dtype::bf16};
std::string_view name_of(checkpoint::dtype type);

/// Bytes that begin on a cache line, all of them written before anybody times a read.
class operand_memory {
 public:
  operand_memory() = default;
  /// Errors: out_of_memory.
  static result<operand_memory> create(std::uint64_t bytes);
  std::byte* data() const { return bytes_.get(); }
  float* floats() const { return reinterpret_cast<float*>(bytes_.get()); }

 private:
  static constexpr std::align_val_t line{64};
  struct release {
    void operator()(std::byte* what) const { ::operator delete[](what, line); }
  };
  std::unique_ptr<std::byte[], release> bytes_;
};

/// Multiples of 1/8 in [-2, 2) in a row that repeats after 31. Shape: (rows, columns) of `type`.
struct stored_operand {
  operand_memory memory;
  ops::weight as_weight;
};
result<stored_operand> stored_matrix(checkpoint::dtype type, std::uint32_t rows,
                                     std::uint32_t columns);
/// The same as f32.
result<operand_memory> float_matrix(std::uint64_t count);

}  // namespace assay::scenarios
