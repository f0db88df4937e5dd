// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Registers that every 64-bit processor has, by the compilers' own vector types.
#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "runtime/ops/stored_element.h"
#include "runtime/ops/vector_sets.h"

namespace assay::ops {
namespace {

struct lanes {
  static constexpr std::size_t width = 4;
  static constexpr std::uint32_t most_tokens = 6;  // 12 sums, 2 weights, a token and a product
  using reg = float __attribute__((vector_size(16)));
  using words = std::uint32_t __attribute__((vector_size(16)));
  using halves = std::uint16_t __attribute__((vector_size(8)));

  static reg zero() { return reg{}; }
  static reg set(float value) { return reg{value, value, value, value}; }
  static reg load(const float* from) { return loaded<reg>(from); }
  static void store(float* to, reg value) { std::memcpy(to, &value, sizeof value); }
  static reg add(reg a, reg b) { return a + b; }
  static reg multiply_add(reg a, reg b, reg c) { return a * b + c; }

  static reg widen(const float* from) { return load(from); }
  // Interleaved with zeros: on little-endian processors, whose order a checkpoint has, the second
  // of two halves is the upper one.
  static reg widen(const stored_bf16* from) {
    const halves bits = loaded<halves>(from);
    return reg(__builtin_shufflevector(halves{}, bits, 0, 4, 1, 5, 2, 6, 3, 7));
  }
  // As widened() in stored_element.h does it.
  static reg widen(const stored_f16* from) {
    const words bits = wide(from);
    const reg magnitude = reg((bits & 0x7fffU) << 13) * 0x1p112F;
    return reg(words(magnitude) | (bits & 0x8000U) << 16);
  }

  static reg load_pairs(const stored_bf16* from) { return loaded<reg>(from); }
  static reg first_of_pairs(reg pairs) { return reg(words(pairs) << 16); }
  static reg second_of_pairs(reg pairs) { return reg(words(pairs) & 0xffff0000U); }

  static void sum_quad(reg a, reg b, reg c, reg d, float* out) {
    reg m[width] = {a, b, c, d};
    transpose(m);
    store(out, (m[0] + m[1]) + (m[2] + m[3]));
  }

  static void transpose(reg (&m)[width]) {
    const reg low01 = __builtin_shufflevector(m[0], m[1], 0, 4, 1, 5);
    const reg high01 = __builtin_shufflevector(m[0], m[1], 2, 6, 3, 7);
    const reg low23 = __builtin_shufflevector(m[2], m[3], 0, 4, 1, 5);
    const reg high23 = __builtin_shufflevector(m[2], m[3], 2, 6, 3, 7);
    m[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
    m[1] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
    m[2] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
    m[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
  }

 private:
  template <class Register>
  static Register loaded(const void* from) {
    Register value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  static words wide(const void* from) {
    return words(__builtin_shufflevector(loaded<halves>(from), halves{}, 0, 4, 1, 5, 2, 6, 3, 7));
  }
};

#include "runtime/ops/vector_loops.inc"

}  // namespace

const vector_kernels& portable_kernels() noexcept {
  static constexpr vector_kernels set{dot_rows, fill_panel, multiply_panel, score_rows, mix_rows};
  return set;
}

}  // namespace assay::ops
