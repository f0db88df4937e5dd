// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The blocks of one launch, dealt to the threads that run them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace assay::device {

/// Neighbouring blocks for each thread: one takes its own from the front, one at a time, and where
/// it has none the rear half of what another has left. Blocks that follow each other read memory
/// that does, and a thread that goes on where it stopped finds it fetched already: blocks taken in
/// turn read a fifth slower (AMD Zen 5 under KVM, 2 vCPU, 2026-12-01).
/// Threads: any number take; thread 0 alone deals.
/// Overhead: a block of one's own costs an exchange on a cache line that nobody else writes.
class block_shares {
 public:
  explicit block_shares(std::uint32_t threads);

  /// Gives blocks 0..blocks-1 to thread 0, from which the others take theirs. All that were dealt
  /// before are taken by now.
  void deal(std::uint32_t blocks);
  /// The block that `thread` takes first of `blocks`, where the threads come in their order.
  static std::uint32_t first_block_of(std::uint32_t thread, std::uint32_t blocks);

  /// The next block for thread number `thread`; none where no share has any. Each block is given
  /// once, and what was written before deal() is seen with it.
  std::optional<std::uint32_t> take(std::uint32_t thread);

 private:
  // A run of blocks in one word: its first, and what is past its last. Whoever compares with a word
  // that has come back since takes what is there now, which is all that taking needs.
  struct alignas(64) share {
    std::atomic<std::uint64_t> run{0};
  };

  const std::uint32_t threads_;
  const std::unique_ptr<share[]> shares_;
};

}  // namespace assay::device
