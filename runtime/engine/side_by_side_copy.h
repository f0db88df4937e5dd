// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Many copies of host memory at once, cut so that threads end together whatever the sizes are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::engine {

struct copy_job {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::uint64_t bytes = 0;
};

/// The jobs in pieces of at most `most_bytes`, in their order. Pure.
std::vector<copy_job> pieces_of(std::span<const copy_job> jobs, std::uint64_t most_bytes);

/// Copies all of them by so many threads, the caller's among them, and returns when they lie there.
void copy_side_by_side(std::span<const copy_job> jobs, unsigned threads);

}  // namespace assay::engine
