// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A weight tensor as operators see it: where it lies in the arena, and what type it has.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/checkpoint/safetensors.h"

namespace assay::ops {

/// Shape: (rows, columns) row-major in the checkpoint's own type; a vector is one row.
/// `data` is null where an architecture does not have the weight.
struct weight {
  const std::byte* data = nullptr;
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  checkpoint::dtype type = checkpoint::dtype::f32;

  std::uint64_t row_bytes() const { return columns * checkpoint::bytes_of(type); }
  std::uint64_t bytes() const { return rows * row_bytes(); }
  const std::byte* row(std::uint32_t index) const { return data + index * row_bytes(); }
};

}  // namespace assay::ops
