// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda/pinned_staging.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

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

namespace {

// Copied by the caller: sooner than another thread would notice.
constexpr std::uint64_t small_bytes = std::uint64_t{256} << 10;
constexpr unsigned most_threads = 7;

std::vector<std::byte*> pieces_in(const pinned_buffer& memory) {
  std::vector<std::byte*> pieces;
  for (std::uint64_t at = 0; at < memory.bytes(); at += pinned_staging::piece_bytes)
    pieces.push_back(memory.data() + at);
  return pieces;
}

}  // namespace

pinned_staging::pinned_staging(pinned_buffer memory, unsigned threads)
    : memory_(std::move(memory)), crew_(pieces_in(memory_), piece_bytes, threads) {}

unsigned pinned_staging::threads_here() {
  return std::min(std::thread::hardware_concurrency() / 2, most_threads);
}

result<std::unique_ptr<pinned_staging>> pinned_staging::create(unsigned threads) {
  ASSAY_TRY_ASSIGN(pinned_buffer memory, pinned_buffer::create(pieces * piece_bytes));
  std::unique_ptr<pinned_staging> staging(new pinned_staging(std::move(memory), threads));
  for (cudaEvent_t& event : staging->sent_)
    ASSAY_CUDA_TRY(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return staging;
}

pinned_staging::~pinned_staging() {
  // The pieces may not go while the link still reads them.
  for (cudaEvent_t event : sent_) {
    if (event == nullptr) continue;
    (void)cudaEventSynchronize(event);
    (void)cudaEventDestroy(event);
  }
}

result<void> pinned_staging::copy_small(cudaStream_t on, void* destination, const void* source,
                                        std::uint64_t bytes) {
  ASSAY_CUDA_TRY(cudaEventSynchronize(sent_[next_]));
  std::byte* piece = memory_.data() + next_ * piece_bytes;
  std::memcpy(piece, source, bytes);
  ASSAY_CUDA_TRY(cudaMemcpyAsync(destination, piece, bytes, cudaMemcpyHostToDevice, on));
  ASSAY_CUDA_TRY(cudaEventRecord(sent_[next_], on));
  next_ = (next_ + 1) % pieces;
  return {};
}

// Pieces come free in the order in which they were sent. Waits only where nothing else is open.
result<void> pinned_staging::open_what_is_free(std::uint64_t sent) {
  while (crew_.opened() < crew_.parts() && crew_.opened() - sent < pieces) {
    const cudaEvent_t event = sent_[(next_ + crew_.opened()) % pieces];
    if (crew_.opened() == sent) {
      ASSAY_CUDA_TRY(cudaEventSynchronize(event));
    } else if (const cudaError_t code = cudaEventQuery(event); code == cudaErrorNotReady) {
      return {};
    } else {
      ASSAY_CUDA_TRY(code);
    }
    crew_.open_next();
  }
  return {};
}

result<void> pinned_staging::send(cudaStream_t on, std::byte* destination, std::uint64_t part) {
  ASSAY_CUDA_TRY(cudaMemcpyAsync(destination + part * piece_bytes, crew_.piece_of(part),
                                 crew_.bytes_of(part), cudaMemcpyHostToDevice, on));
  ASSAY_CUDA_TRY(cudaEventRecord(sent_[(next_ + part) % pieces], on));
  return {};
}

result<void> pinned_staging::copy_to_device(cudaStream_t on, void* destination, const void* source,
                                            std::uint64_t bytes) {
  if (bytes <= small_bytes) return copy_small(on, destination, source, bytes);
  crew_.begin(static_cast<const std::byte*>(source), bytes, next_);
  result<void> outcome;
  for (std::uint64_t sent = 0; outcome && sent < crew_.parts();) {
    outcome = open_what_is_free(sent);
    if (outcome && sent < crew_.opened() && crew_.is_full(sent))
      outcome = send(on, static_cast<std::byte*>(destination), sent++);
    else if (!crew_.help())
      __builtin_ia32_pause();
  }
  // Also after an error: nobody may read the source once this has returned.
  while (crew_.help()) {
  }
  for (std::uint64_t part = 0; part < crew_.opened(); ++part)
    while (part + pieces >= crew_.opened() && !crew_.is_full(part)) __builtin_ia32_pause();
  next_ = (next_ + crew_.parts()) % pieces;
  return outcome;
}

}  // namespace assay::device
