// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/embed.h"

#include <cmath>

#include "runtime/ops/dot.h"

namespace assay::ops {
namespace {

// Angles are rounded to f32, as Hugging Face rounds them.
void rotary_row(const embed_arguments& a, std::uint32_t token) {
  const std::uint32_t half = a.head_dim / 2;
  const auto position = static_cast<float>(a.start + token);
  float* row = a.rotary + std::size_t{token} * a.head_dim;
  for (std::uint32_t i = 0; i < half; ++i) {
    const float angle = position * rotary_frequency(i, a.head_dim, a.rope_theta, a.scaling);
    row[i] = std::cos(angle);
    row[half + i] = std::sin(angle);
  }
}

void embed_body(const embed_arguments& a, device::block_context& context) {
  const std::uint32_t token = context.block;
  const auto id = static_cast<std::uint32_t>(a.ids[token]);
  float* row = a.x + std::size_t{token} * a.table.columns;
  widen(a.table.type, a.table.row(id), a.table.columns, row);
  context.weight_bytes += a.table.row_bytes();
  rotary_row(a, token);
}

}  // namespace

device::kernel embed(const embed_arguments& arguments) {
  return device::kernel::bind<embed_arguments, embed_body>("embed", arguments, arguments.tokens);
}

}  // namespace assay::ops
