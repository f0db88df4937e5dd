// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Several arrays in one allocation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::engine {

/// Carves one allocation; a first pass with no address only adds up.
class carver {
 public:
  explicit carver(std::byte* base) : base_(base) {}
  /// `count` values, 256-byte aligned as cudaMalloc aligns; null in a pass that adds up.
  template <class T>
  T* take(std::uint64_t count) {
    std::byte* at = base_ == nullptr ? nullptr : base_ + used_bytes_;
    used_bytes_ += (count * sizeof(T) + 255) / 256 * 256;
    return reinterpret_cast<T*>(at);
  }
  std::uint64_t used_bytes() const { return used_bytes_; }

 private:
  std::byte* base_;
  std::uint64_t used_bytes_ = 0;
};

}  // namespace assay::engine
