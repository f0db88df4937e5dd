// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/block_shares.h"

namespace assay::device {
namespace {

struct block_run {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool is_empty() const { return begin == end; }
};

std::uint64_t word_of(block_run run) {
  return std::uint64_t{run.begin} << 32 | run.end;
}

block_run run_of(std::uint64_t word) {
  return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word)};
}

// What stays in front when a thread takes one block of its own, or another the rear half.
std::uint32_t after_first(block_run run) {
  return run.begin + 1;
}

std::uint32_t before_rear_half(block_run run) {
  return run.begin + (run.end - run.begin) / 2;
}

// Takes the front or the rear of what is there; an empty run where nothing is.
template <std::uint32_t (*Cut)(block_run), bool IsFront>
block_run cut(std::atomic<std::uint64_t>& from) {
  std::uint64_t word = from.load(std::memory_order_acquire);
  for (;;) {
    const block_run there = run_of(word);
    if (there.is_empty()) return {};
    const std::uint32_t at = Cut(there);
    const block_run front{there.begin, at};
    const block_run rear{at, there.end};
    if (from.compare_exchange_weak(word, word_of(IsFront ? rear : front), std::memory_order_acq_rel,
                                   std::memory_order_acquire))
      return IsFront ? front : rear;
  }
}

}  // namespace

block_shares::block_shares(std::uint32_t threads)
    : threads_(threads), shares_(std::make_unique<share[]>(threads)) {}

void block_shares::deal(std::uint32_t blocks) {
  shares_[0].run.store(word_of({0, blocks}), std::memory_order_release);
}

std::uint32_t block_shares::first_block_of(std::uint32_t thread, std::uint32_t blocks) {
  block_run left{0, blocks};
  std::uint32_t first = 0;
  for (std::uint32_t i = 0; i < thread && !left.is_empty(); ++i)
    first = left.end = before_rear_half(left);
  return first;
}

// A run that was taken from another is put down where others may take from it in turn. Nobody but
// its thread ever adds to a share: to deal into those of others could overwrite such a run.
std::optional<std::uint32_t> block_shares::take(std::uint32_t thread) {
  std::atomic<std::uint64_t>& own = shares_[thread].run;
  if (const block_run next = cut<after_first, true>(own); !next.is_empty()) return next.begin;
  for (std::uint32_t other = 0; other < threads_; ++other) {
    if (other == thread) continue;
    const block_run taken = cut<before_rear_half, false>(shares_[other].run);
    if (taken.is_empty()) continue;
    own.store(word_of({taken.begin + 1, taken.end}), std::memory_order_release);
    return taken.begin;
  }
  return {};
}

}  // namespace assay::device
