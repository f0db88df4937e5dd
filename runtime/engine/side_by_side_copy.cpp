// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/side_by_side_copy.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

namespace assay::engine {
namespace {

// Large against the taking of a piece, small against what one thread copies of a model.
constexpr std::uint64_t piece_bytes = std::uint64_t{8} << 20;

}  // namespace

std::vector<copy_job> pieces_of(std::span<const copy_job> jobs, std::uint64_t most_bytes) {
  std::vector<copy_job> pieces;
  for (const copy_job& job : jobs)
    for (std::uint64_t done = 0; done < job.bytes; done += most_bytes)
      pieces.push_back({job.to + done, job.from + done, std::min(most_bytes, job.bytes - done)});
  return pieces;
}

void copy_side_by_side(std::span<const copy_job> jobs, unsigned threads) {
  const std::vector<copy_job> pieces = pieces_of(jobs, piece_bytes);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < pieces.size(); i = next++)
      std::memcpy(pieces[i].to, pieces[i].from, pieces[i].bytes);
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads && i < pieces.size(); ++i) others.emplace_back(work);
  work();
  for (std::thread& each : others) each.join();
}

}  // namespace assay::engine
