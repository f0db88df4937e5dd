// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "scenarios/kernels/operands.h"

#include <bit>
#include <cstring>
#include <string>

namespace assay::scenarios {
namespace {

// A prime, so that no row of a power of two begins like the one before.
constexpr std::uint64_t period = 31;

float value_at(std::uint64_t index) {
  return static_cast<float>(static_cast<int>(index % period) - 16) / 8.0F;
}

// Of a multiple of 1/8 below 2: at most four bits of mantissa, none of which is lost.
std::uint16_t half_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  if ((bits & 0x7fffffffU) == 0) return static_cast<std::uint16_t>(sign);
  const std::uint32_t exponent = (bits >> 23 & 0xffU) - 127 + 15;
  return static_cast<std::uint16_t>(sign | exponent << 10 | (bits & 0x7fffffU) >> 13);
}

void store(checkpoint::dtype type, float value, std::byte* to) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (type == checkpoint::dtype::f32) {
    std::memcpy(to, &bits, sizeof bits);
    return;
  }
  const auto half =
      type == checkpoint::dtype::bf16 ? static_cast<std::uint16_t>(bits >> 16) : half_bits(value);
  std::memcpy(to, &half, sizeof half);
}

}  // namespace

std::string_view name_of(checkpoint::dtype type) {
  return type == checkpoint::dtype::f32 ? "f32" : type == checkpoint::dtype::f16 ? "f16" : "bf16";
}

result<operand_memory> operand_memory::create(std::uint64_t bytes) {
  operand_memory made;
  made.bytes_.reset(static_cast<std::byte*>(::operator new[](bytes, line, std::nothrow)));
  if (!made.bytes_)
    return ASSAY_FAIL(out_of_memory, "no memory for " + std::to_string(bytes) +
                                         " bytes of operands; leave the row out with a filter");
  return made;
}

result<stored_operand> stored_matrix(checkpoint::dtype type, std::uint32_t rows,
                                     std::uint32_t columns) {
  const std::uint64_t element = checkpoint::bytes_of(type);
  const std::uint64_t count = std::uint64_t{rows} * columns;
  stored_operand made;
  ASSAY_TRY_ASSIGN(made.memory, operand_memory::create(count * element));
  for (std::uint64_t i = 0; i < count; ++i)
    store(type, value_at(i), made.memory.data() + i * element);
  made.as_weight = {made.memory.data(), rows, columns, type};
  return made;
}

result<operand_memory> float_matrix(std::uint64_t count) {
  ASSAY_TRY_ASSIGN(operand_memory made, operand_memory::create(count * sizeof(float)));
  for (std::uint64_t i = 0; i < count; ++i) made.floats()[i] = value_at(i);
  return made;
}

}  // namespace assay::scenarios
