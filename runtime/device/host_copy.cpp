// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/host_copy.h"

#include <algorithm>
#include <cstring>

namespace assay::device {

std::uint64_t copy_in_chunks(std::byte* destination, const std::byte* source,
                             std::uint64_t bytes) noexcept {
  std::uint64_t moved_bytes = 0;
  while (moved_bytes < bytes) {
    const std::uint64_t chunk_bytes = std::min(copy_chunk_bytes, bytes - moved_bytes);
    std::memcpy(destination + moved_bytes, source + moved_bytes, chunk_bytes);
    moved_bytes += chunk_bytes;
  }
  return moved_bytes;
}

}  // namespace assay::device
