// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, weights could reach a GPU with a piece of another tensor in them, once in a
// thousand loads.
#include "runtime/device/cuda/copying_crew.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace assay::test {
namespace {

using device::copying_crew;

constexpr std::uint64_t chunk = copying_crew::chunk_bytes;
constexpr std::uint64_t piece = 2 * chunk;

class ring {
 public:
  explicit ring(std::size_t pieces) : memory_(pieces * piece) {}
  std::vector<std::byte*> pieces() {
    std::vector<std::byte*> all;
    for (std::size_t at = 0; at < memory_.size(); at += piece) all.push_back(memory_.data() + at);
    return all;
  }

 private:
  std::vector<std::byte> memory_;
};

/// As a link does it: a piece goes when it is full, and is free again then.
std::vector<std::byte> carried(copying_crew& crew, const std::vector<std::byte>& source,
                               std::size_t pieces, std::size_t first_piece) {
  std::vector<std::byte> there(source.size());
  crew.begin(source.data(), source.size(), first_piece);
  for (std::uint64_t sent = 0; sent < crew.parts();) {
    while (crew.opened() < crew.parts() && crew.opened() - sent < pieces) crew.open_next();
    if (!crew.is_full(sent)) {
      (void)crew.help();
      continue;
    }
    std::memcpy(there.data() + sent * piece, crew.piece_of(sent), crew.bytes_of(sent));
    std::memset(crew.piece_of(sent), 0, piece);
    ++sent;
  }
  return there;
}

TEST(CopyingCrew, carries_every_byte_to_its_place) {
  std::mt19937 random(7);
  std::vector<std::byte> longest(7 * piece + 12'345);
  for (std::byte& each : longest) each = static_cast<std::byte>(random());
  const std::uint64_t sizes[] = {
      1,         chunk - 1,     chunk,         chunk + 1, piece - 1,     piece,
      piece + 1, 2 * piece + 1, 3 * piece - 1, 4 * piece, longest.size()};
  for (const unsigned threads : {0U, 1U, 3U})
    for (const std::size_t pieces : {1U, 3U}) {
      ring memory(pieces);
      copying_crew crew(memory.pieces(), piece, threads);
      std::size_t first = 0;
      // Again and again: threads come back to a new source from having seen the old one end.
      for (int round = 0; round < 2; ++round)
        for (const std::uint64_t size : sizes) {
          const std::vector<std::byte> source(longest.end() - static_cast<std::ptrdiff_t>(size),
                                              longest.end());
          ASSERT_EQ(carried(crew, source, pieces, first % pieces), source)
              << size << " bytes, " << threads << " threads, " << pieces << " pieces";
          first += crew.parts();
        }
    }
}

TEST(CopyingCrew, writes_no_piece_that_is_not_open) {
  ring memory(2);
  copying_crew crew(memory.pieces(), piece, 2);
  const std::vector<std::byte> source(2 * piece, std::byte{9});
  crew.begin(source.data(), source.size(), 1);
  crew.open_next();
  while (!crew.is_full(0)) (void)crew.help();
  EXPECT_FALSE(crew.help());
  EXPECT_EQ(*crew.piece_of(0), std::byte{9});
  EXPECT_EQ(crew.piece_of(0), memory.pieces()[1]);
  EXPECT_EQ(*crew.piece_of(1), std::byte{0}) << "the link may still read it";
  crew.open_next();
  while (!crew.is_full(1)) (void)crew.help();
}

}  // namespace
}  // namespace assay::test
