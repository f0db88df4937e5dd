// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Canonical decomposition, composition and ordering of single scalar values, Hangul excepted.
#pragma once

#include <cstdint>
#include <span>

namespace assay::tokenizer {

/// The full canonical decomposition; empty where the scalar stands for itself.
std::span<const char32_t> decomposition_of(char32_t scalar);

/// What two scalars compose to, or 0.
char32_t composition_of(char32_t first, char32_t second);

/// The canonical combining class; 0 for a starter. Asked of decomposed scalars only: one that
/// decomposes has no entry.
std::uint8_t combining_class_of(char32_t scalar);

}  // namespace assay::tokenizer
