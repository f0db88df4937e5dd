// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/read_ahead.h"

#include <algorithm>

#include "runtime/device/block_shares.h"

namespace assay::device {
namespace {

constexpr std::uint64_t line_bytes = 64;
constexpr std::uint64_t lines_at_once = 8;  // at each place

// Into the second-level cache: the first has room for less than what comes while one waits.
// An address is a number here: it may lie past the end of what it came from.
void ask_for(std::uintptr_t address) {
  for (std::uint64_t line = 0; line < lines_at_once; ++line)
    __builtin_prefetch(reinterpret_cast<const void*>(address + line * line_bytes), 0, 2);
}

}  // namespace

read_ahead::read_ahead(std::uint32_t threads)
    : threads_(threads), plans_(std::make_unique<plan[]>(threads)) {}

// Several launches may lie between this and `next`, and each announces it again: who has asked for
// it has done so.
void read_ahead::announce(const kernel* next) {
  if (next == nullptr) return;
  for (std::uint32_t thread = 0; thread < threads_; ++thread) {
    const std::uint32_t block = block_shares::first_block_of(thread, next->blocks);
    const first_reads reads = next->reads(next->arguments.data(), block);
    plan& to = plans_[thread];
    if (reads.places[0] == to.places[0].load(std::memory_order_relaxed)) continue;
    for (std::size_t i = 0; i < reads.places.size(); ++i)
      to.places[i].store(reads.places[i], std::memory_order_relaxed);
    to.bytes.store(std::min(reads.bytes, bytes_a_place), std::memory_order_relaxed);
    to.number.fetch_add(1, std::memory_order_release);
  }
}

bool read_ahead::ask_some(std::uint32_t thread) {
  plan& mine = plans_[thread];
  const std::uint64_t number = mine.number.load(std::memory_order_acquire);
  if (number != mine.asked_number) {
    mine.asked_number = number;
    mine.asked_bytes = 0;
  }
  if (mine.asked_bytes >= mine.bytes.load(std::memory_order_relaxed)) return false;
  for (const auto& each : mine.places)
    if (const std::byte* place = each.load(std::memory_order_relaxed); place != nullptr)
      ask_for(reinterpret_cast<std::uintptr_t>(place) + mine.asked_bytes);
  mine.asked_bytes += lines_at_once * line_bytes;
  return true;
}

}  // namespace assay::device
