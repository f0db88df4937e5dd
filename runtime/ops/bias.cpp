// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/bias.h"

#include <algorithm>
#include <array>

#include "runtime/ops/dot.h"

namespace assay::ops {

void add_bias(const weight& bias, row_range range, std::uint32_t tokens, float* out,
              device::block_context& context) {
  constexpr std::uint32_t tile_elements = 1024;
  if (bias.data == nullptr) return;
  const std::uint64_t element = checkpoint::bytes_of(bias.type);
  for (std::uint32_t from = range.begin; from < range.end; from += tile_elements) {
    std::array<float, tile_elements> values;
    const std::uint32_t part = std::min(tile_elements, range.end - from);
    widen(bias.type, bias.data + from * element, part, values.data());
    context.weight_bytes += part * element;
    for (std::uint32_t t = 0; t < tokens; ++t) {
      float* to = out + std::size_t{t} * bias.columns + from;
      for (std::uint32_t i = 0; i < part; ++i) to[i] += values[i];
    }
  }
}

}  // namespace assay::ops
