// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda/pinned_staging.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/device/cuda/cuda_try.h"

namespace assay::device {

result<pinned_buffer> pinned_buffer::create(std::uint64_t bytes) {
  void* data = nullptr;
  ASSAY_CUDA_TRY(cudaHostAlloc(&data, bytes, cudaHostAllocDefault));
  return pinned_buffer(static_cast<std::byte*>(data), bytes);
}

pinned_buffer::~pinned_buffer() {
  if (data_ != nullptr) (void)cudaFreeHost(data_);
}

pinned_buffer::pinned_buffer(pinned_buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

pinned_buffer& pinned_buffer::operator=(pinned_buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

result<std::unique_ptr<pinned_staging>> pinned_staging::create() {
  ASSAY_TRY_ASSIGN(pinned_buffer memory, pinned_buffer::create(2 * piece_bytes));
  std::unique_ptr<pinned_staging> staging(new pinned_staging(std::move(memory)));
  for (cudaEvent_t& event : staging->sent_)
    ASSAY_CUDA_TRY(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return staging;
}

pinned_staging::~pinned_staging() {
  // The halves may not go while the link still reads them.
  for (cudaEvent_t event : sent_) {
    if (event == nullptr) continue;
    (void)cudaEventSynchronize(event);
    (void)cudaEventDestroy(event);
  }
}

result<void> pinned_staging::copy_to_device(cudaStream_t on, void* destination, const void* source,
                                            std::uint64_t bytes) {
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t piece = std::min(piece_bytes, bytes - done);
    std::byte* half = memory_.data() + next_ * piece_bytes;
    ASSAY_CUDA_TRY(cudaEventSynchronize(sent_[next_]));
    std::memcpy(half, static_cast<const std::byte*>(source) + done, piece);
    ASSAY_CUDA_TRY(cudaMemcpyAsync(static_cast<std::byte*>(destination) + done, half, piece,
                                   cudaMemcpyHostToDevice, on));
    ASSAY_CUDA_TRY(cudaEventRecord(sent_[next_], on));
    next_ ^= 1U;
    done += piece;
  }
  return {};
}

}  // namespace assay::device
