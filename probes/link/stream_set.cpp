// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/link/stream_set.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstring>
#include <string>
#include <thread>

namespace assay::probes {
namespace {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

// Fills and sums in one go, by no variant: this sum will judge them.
std::uint64_t fill(std::byte* to, std::size_t bytes) {
  std::uint64_t word = 0x9e3779b97f4a7c15;
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < bytes; at += sizeof word) {
    word = word * 6364136223846793005 + 1442695040888963407;  // Knuth's MMIX constants
    std::memcpy(to + at, &word, sizeof word);
    sum += word;
  }
  return sum;
}

// What one thread read, and when.
struct reader {
  std::uint64_t sum = 0;
  host_time start;
  host_time end;
};

}  // namespace

std::string_view to_string(page_kind pages) {
  return pages == page_kind::huge ? "huge" : "small";
}

void stream_set::unmap::operator()(std::byte* base) const {
  munmap(base, mapped_bytes);
}

result<stream_set> stream_set::create(std::uint64_t bytes, page_kind pages) {
  if (bytes == 0) return ASSAY_FAIL(usage, "stream set: 0 bytes; give the bytes that a step reads");
  stream_set set;
  set.piece_count_ = (bytes + piece_bytes - 1) / piece_bytes;
  const std::size_t mapped_bytes = set.bytes() + huge_page_bytes;
  void* base =
      mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED)
    return ASSAY_FAIL(out_of_memory, "stream set: the system maps no " +
                                         std::to_string(mapped_bytes) +
                                         " bytes; read a smaller set");
  set.mapping_ = {static_cast<std::byte*>(base), unmap{mapped_bytes}};
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  set.first_ = set.mapping_.get() + (huge_page_bytes - address % huge_page_bytes) % huge_page_bytes;
  // A refusal leaves the system's default, which the measurement then shows.
  static_cast<void>(
      madvise(set.first_, set.bytes(), pages == page_kind::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE));
  set.sum_ = fill(set.first_, set.bytes());
  return set;
}

result<link_measurement> stream_set::pass(const read_variant& by, std::uint32_t threads) const {
  std::vector<reader> readers(threads);
  std::atomic<std::size_t> next{0};
  std::barrier everybody(static_cast<std::ptrdiff_t>(threads));
  const auto read = [&](reader& mine) {
    everybody.arrive_and_wait();
    mine.start = host_now();
    for (std::size_t piece; (piece = next.fetch_add(1)) < piece_count_;)
      mine.sum += by.sum(first_ + piece * piece_bytes, piece_bytes);
    mine.end = host_now();
  };
  std::vector<std::thread> others;
  for (std::uint32_t i = 1; i < threads; ++i)
    others.emplace_back([&read, &mine = readers[i]] { read(mine); });
  read(readers[0]);
  for (std::thread& each : others) each.join();
  link_measurement measured{bytes(), readers[0].start, readers[0].end, bytes()};
  std::uint64_t sum = 0;
  for (const reader& each : readers) {
    sum += each.sum;
    measured.start = std::min(measured.start, each.start);
    measured.end = std::max(measured.end, each.end);
  }
  if (sum != sum_)
    return ASSAY_FAIL(internal, "stream set: reading '" + std::string(by.name) +
                                    "' did not read every byte; its rate is no ceiling");
  return measured;
}

}  // namespace assay::probes
