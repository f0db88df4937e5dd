// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Looks for weights that are no numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/checkpoint/safetensors.h"

namespace assay::checkpoint {

/// Index of the first element that is NaN or infinite, if any. Every byte is read; `bytes` may lie
/// at any address and holds whole elements.
std::optional<std::uint64_t> first_non_finite(std::span<const std::byte> bytes, dtype type);

}  // namespace assay::checkpoint
