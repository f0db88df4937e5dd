// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/buffer_pool.h"

#include <cstring>
#include <utility>

namespace assay::probes {

buffer_pool::buffer_pool(std::size_t count, std::size_t bytes)
    : bytes_(bytes / 8 * 8), memory_(std::make_unique<std::uint64_t[]>(count * (bytes / 8))) {
  // Room for all of them, so that the driver's callbacks never allocate.
  free_.reserve(count);
  filled_.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    free_.push_back(reinterpret_cast<std::uint8_t*>(memory_.get()) + i * bytes_);
}

std::uint8_t* buffer_pool::take() noexcept {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    ++denied_;
    return nullptr;
  }
  std::uint8_t* data = free_.back();
  free_.pop_back();
  return data;
}

void buffer_pool::fill(std::uint8_t* data, std::size_t valid_bytes) noexcept {
  if (data == nullptr) return;
  const std::lock_guard lock(mutex_);
  if (valid_bytes == 0)
    free_.push_back(data);
  else
    filled_.push_back({data, valid_bytes});
}

std::vector<filled_buffer> buffer_pool::filled() {
  std::vector<filled_buffer> taken;
  taken.reserve(filled_.capacity());
  const std::lock_guard lock(mutex_);
  std::swap(taken, filled_);
  return taken;
}

void buffer_pool::give_back(std::uint8_t* data) noexcept {
  // All of it: how far a driver wrote beyond its last whole record, it does not say.
  std::memset(data, 0, bytes_);
  const std::lock_guard lock(mutex_);
  free_.push_back(data);
}

std::uint64_t buffer_pool::denied_count() const noexcept {
  const std::lock_guard lock(mutex_);
  return denied_;
}

}  // namespace assay::probes
