// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda/copying_crew.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/telemetry/check.h"
#include "runtime/telemetry/clock.h"

namespace assay::device {
namespace {

// Longer than what lies between two tensors of a load, shorter than anybody would notice.
constexpr std::int64_t spin_ns = 50'000;

}  // namespace

copying_crew::copying_crew(std::vector<std::byte*> pieces, std::uint64_t piece_bytes,
                           unsigned threads)
    : pieces_(std::move(pieces)),
      piece_bytes_(piece_bytes),
      chunks_a_piece_(piece_bytes / chunk_bytes),
      copied_(pieces_.size()) {
  ASSAY_CHECK(piece_bytes % chunk_bytes == 0, "a piece is a number of chunks");
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

copying_crew::~copying_crew() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  work_.notify_all();
  for (std::thread& each : threads_) each.join();
}

void copying_crew::begin(const std::byte* source, std::uint64_t bytes, std::size_t first_piece) {
  ASSAY_CHECK(next_ == limit_, "a source is copied to its end before the next begins");
  // Chunks are numbered on and on: a thread that was held up over its look at the old source cannot
  // take its number for one of the new.
  base_ = next_;
  source_ = source;
  bytes_ = bytes;
  parts_ = (bytes + piece_bytes_ - 1) / piece_bytes_;
  first_piece_ = first_piece;
  opened_ = 0;
}

std::uint64_t copying_crew::bytes_of(std::uint64_t part) const {
  return std::min(piece_bytes_, bytes_ - part * piece_bytes_);
}

std::byte* copying_crew::piece_of(std::uint64_t part) const {
  return pieces_[(first_piece_ + part) % pieces_.size()];
}

std::uint64_t copying_crew::chunks_of(std::uint64_t part) const {
  return (bytes_of(part) + chunk_bytes - 1) / chunk_bytes;
}

void copying_crew::open_next() {
  ASSAY_CHECK(opened_ < parts_, "a source has no more parts");
  copied_[(first_piece_ + opened_) % pieces_.size()] = 0;
  limit_ = base_ + opened_ * chunks_a_piece_ + chunks_of(opened_);
  ++opened_;
  if (sleepers_ == 0) return;
  // Whoever is between its look and its sleep holds the mutex.
  { const std::lock_guard lock(mutex_); }
  work_.notify_all();
}

bool copying_crew::is_full(std::uint64_t part) const {
  return copied_[(first_piece_ + part) % pieces_.size()].load(std::memory_order_acquire) ==
         chunks_of(part);
}

bool copying_crew::take(std::uint64_t& chunk) {
  chunk = next_;
  while (chunk < limit_)
    if (next_.compare_exchange_weak(chunk, chunk + 1)) return true;
  return false;
}

void copying_crew::copy(std::uint64_t chunk) {
  const std::uint64_t of_source = chunk - base_;
  const std::uint64_t at = of_source * chunk_bytes;
  const std::uint64_t part = of_source / chunks_a_piece_;
  std::memcpy(piece_of(part) + (at - part * piece_bytes_), source_ + at,
              std::min(chunk_bytes, bytes_ - at));
  copied_[(first_piece_ + part) % pieces_.size()].fetch_add(1, std::memory_order_release);
}

bool copying_crew::help() {
  std::uint64_t chunk = 0;
  if (!take(chunk)) return false;
  copy(chunk);
  return true;
}

void copying_crew::run() {
  const auto has_work = [this] { return next_ < limit_; };
  while (!is_over_) {
    if (help()) continue;
    const std::int64_t until_ns = host_now().ns + spin_ns;
    while (!has_work() && !is_over_ && host_now().ns < until_ns) __builtin_ia32_pause();
    if (has_work()) continue;
    std::unique_lock lock(mutex_);
    ++sleepers_;
    work_.wait(lock, [&] { return has_work() || is_over_; });
    --sleepers_;
  }
}

}  // namespace assay::device
