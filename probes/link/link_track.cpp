// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/link/link_track.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace assay::probes {

namespace {

// Between two pieces the clock is read (25 ns): 0.5 % of the time that a piece takes in the fastest
// cache, and pieces are short enough to stop close to what was asked.
constexpr std::size_t piece_bytes = 256 << 10;

std::uint64_t round_up(std::uint64_t bytes) {
  const std::uint64_t least = std::max<std::uint64_t>(bytes, link_block_bytes);
  return (least + link_block_bytes - 1) / link_block_bytes * link_block_bytes;
}

std::size_t piece_count(const link_memory& memory) {
  return (memory.size() + piece_bytes - 1) / piece_bytes;
}

std::span<std::byte> piece(const link_memory& memory, std::size_t index) {
  const std::size_t at = index * piece_bytes;
  return {memory.data() + at, std::min(piece_bytes, memory.size() - at)};
}

/// A set smaller than a piece is passed over several times between two clock reads.
std::size_t passes_a_piece(const link_memory& memory) {
  return std::max<std::size_t>(1, piece_bytes / memory.size());
}

void fill(const link_memory& memory) {
  std::uint64_t word = 0x9e3779b97f4a7c15;
  for (std::size_t at = 0; at < memory.size(); at += sizeof word) {
    word = word * 6364136223846793005 + 1442695040888963407;  // Knuth's MMIX constants
    std::memcpy(memory.data() + at, &word, sizeof word);
  }
}

}  // namespace

result<link_memory> link_memory::create(std::size_t bytes) {
  link_memory memory;
  memory.bytes_.reset(static_cast<std::byte*>(::operator new[](bytes, page, std::nothrow)));
  if (!memory.bytes_)
    return ASSAY_FAIL(out_of_memory, "link probe: no " + std::to_string(bytes) +
                                         " bytes for a working set; sample a smaller one");
  memory.size_ = bytes;
  std::memset(memory.bytes_.get(), 0, bytes);
  return memory;
}

result<read_track> read_track::create(std::uint64_t working_set_bytes) {
  read_track track;
  ASSAY_TRY_ASSIGN(track.memory_, link_memory::create(round_up(working_set_bytes)));
  fill(track.memory_);
  for (std::size_t i = 0; i < piece_count(track.memory_); ++i) {
    std::uint64_t sum = 0;  // not by a variant: it will judge them
    const auto words = piece(track.memory_, i);
    for (std::size_t at = 0; at < words.size(); at += sizeof sum) {
      std::uint64_t word;
      std::memcpy(&word, &words[at], sizeof word);
      sum += word;
    }
    track.sums_.push_back(sum);
  }
  return track;
}

result<link_measurement> read_track::measure(const read_variant& by, std::int64_t least_ns) {
  link_measurement measured;
  measured.working_set_bytes = memory_.size();
  const std::size_t passes = passes_a_piece(memory_);
  std::uint64_t sum = 0;
  std::uint64_t expected = 0;
  measured.start = measured.end = host_now();
  while (measured.end - measured.start < least_ns) {
    const auto words = piece(memory_, next_piece_);
    for (std::size_t pass = 0; pass < passes; ++pass) sum += by.sum(words.data(), words.size());
    measured.end = host_now();
    measured.bytes += words.size() * passes;
    expected += sums_[next_piece_] * passes;
    next_piece_ = (next_piece_ + 1) % sums_.size();
  }
  if (sum != expected)
    return ASSAY_FAIL(internal, "link probe: reading '" + std::string(by.name) +
                                    "' did not read every byte; its rate is no ceiling");
  return measured;
}

result<copy_track> copy_track::create(std::uint64_t working_set_bytes) {
  copy_track track;
  ASSAY_TRY_ASSIGN(track.from_, link_memory::create(round_up(working_set_bytes)));
  ASSAY_TRY_ASSIGN(track.to_, link_memory::create(round_up(working_set_bytes)));
  fill(track.from_);
  return track;
}

/// Changes a word in each half of each block of the next pieces of the source, each time another
/// one, so that nothing of an earlier copy passes for this one. Returns how many pieces it changed.
std::size_t copy_track::mark_source() {
  // More than a measurement of 1 ms copies from beyond the caches; marking costs as much as
  // copying.
  constexpr std::size_t most_pieces = (16 << 20) / piece_bytes;
  ++mark_;
  const std::size_t count = std::min(piece_count(from_), most_pieces);
  constexpr std::size_t half_bytes = link_block_bytes / 2;
  const std::size_t word = mark_ * sizeof mark_ % half_bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const auto source = piece(from_, (next_piece_ + i) % piece_count(from_));
    for (std::size_t at = word; at < source.size(); at += half_bytes)
      std::memcpy(&source[at], &mark_, sizeof mark_);
  }
  return count;
}

result<link_measurement> copy_track::measure(const copy_variant& by, std::int64_t least_ns) {
  const std::size_t marked = mark_source();
  const std::size_t most = marked < piece_count(from_) ? marked : SIZE_MAX;
  link_measurement measured;
  measured.working_set_bytes = from_.size();
  const std::size_t passes = passes_a_piece(from_);
  const std::size_t first = next_piece_;
  std::size_t copied = 0;
  measured.start = measured.end = host_now();
  while (measured.end - measured.start < least_ns && copied < most) {
    const auto source = piece(from_, next_piece_);
    const auto target = piece(to_, next_piece_);
    for (std::size_t pass = 0; pass < passes; ++pass)
      by.copy(target.data(), source.data(), source.size());
    measured.end = host_now();
    measured.bytes += source.size() * passes;
    next_piece_ = (next_piece_ + 1) % piece_count(from_);
    ++copied;
  }
  ASSAY_TRY(verify(by, first, std::min(copied, piece_count(from_))));
  return measured;
}

result<void> copy_track::verify(const copy_variant& by, std::size_t first_piece,
                                std::size_t count) const {
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = (first_piece + i) % piece_count(from_);
    const auto source = piece(from_, index);
    if (std::memcmp(source.data(), piece(to_, index).data(), source.size()) != 0)
      return ASSAY_FAIL(internal, "link probe: copying '" + std::string(by.name) +
                                      "' did not move every byte; its rate is no ceiling");
  }
  return {};
}

}  // namespace assay::probes
