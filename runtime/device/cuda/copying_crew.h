// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Threads that copy host memory side by side: one thread's copy is slower than a GPU's link.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace assay::device {

/// Copies one source at a time into pieces of memory. The caller opens pieces in order as they may
/// be written, sees which are full, and copies along.
/// Ownership: the pieces and the source are the caller's. Threads: the caller's one, and its own.
/// Overhead: threads without work spin for some 50 us, then sleep.
class copying_crew {
 public:
  static constexpr std::uint64_t chunk_bytes = std::uint64_t{256} << 10;

  /// `pieces`: where each begins; all have `piece_bytes`, a multiple of chunk_bytes. Threads beside
  /// the caller's: 0 leaves all to it.
  copying_crew(std::vector<std::byte*> pieces, std::uint64_t piece_bytes, unsigned threads);
  ~copying_crew();
  copying_crew(const copying_crew&) = delete;
  copying_crew& operator=(const copying_crew&) = delete;

  /// A new source, none of it copied; the one before must be done. Its part n goes into piece
  /// (first_piece + n) modulo their number.
  void begin(const std::byte* source, std::uint64_t bytes, std::size_t first_piece);
  std::uint64_t parts() const { return parts_; }
  std::uint64_t bytes_of(std::uint64_t part) const;
  std::byte* piece_of(std::uint64_t part) const;

  /// The next part's piece may be written from now on.
  void open_next();
  std::uint64_t opened() const { return opened_; }
  /// Whether a part that was opened lies in its piece, whole. What was copied is visible then.
  bool is_full(std::uint64_t part) const;
  /// Copies a chunk on this thread; false where none is left of what is open.
  bool help();

 private:
  void run();
  bool take(std::uint64_t& chunk);
  void copy(std::uint64_t chunk);
  std::uint64_t chunks_of(std::uint64_t part) const;

  const std::vector<std::byte*> pieces_;
  const std::uint64_t piece_bytes_;
  const std::uint64_t chunks_a_piece_;

  // Of the source. Written while nobody holds a chunk; read by whoever took one.
  const std::byte* source_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::uint64_t parts_ = 0;
  std::size_t first_piece_ = 0;
  std::uint64_t opened_ = 0;
  std::uint64_t base_ = 0;  ///< number of its first chunk

  std::vector<std::atomic<std::uint32_t>> copied_;  ///< chunks in each piece
  alignas(64) std::atomic<std::uint64_t> next_{0};
  alignas(64) std::atomic<std::uint64_t> limit_{0};
  std::atomic<unsigned> sleepers_{0};
  std::atomic<bool> is_over_{false};
  std::mutex mutex_;  // for the sleepers
  std::condition_variable work_;
  std::vector<std::thread> threads_;
};

}  // namespace assay::device
