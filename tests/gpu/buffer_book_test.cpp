// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a size that wraps could pass a GPU's limit as nothing, or a copy reach into a
// buffer that is not its own.
#include <cstddef>
#include <limits>

#include <gtest/gtest.h>

#include "runtime/device/cuda/buffer_book.h"

namespace assay::test {
namespace {

using device::buffer_book;
using device::copy_direction;

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

const std::byte* at(std::uintptr_t address) {
  return reinterpret_cast<const std::byte*>(address);
}

TEST(BufferBook, grants_what_is_left_of_the_limit_in_whole_units) {
  buffer_book book;
  book.limit(1024);
  EXPECT_EQ(book.grant(1).value(), 64U);
  EXPECT_EQ(book.grant(1024).value(), 1024U);
  EXPECT_EQ(book.grant(1025).error().kind, error_kind::out_of_memory);
  EXPECT_EQ(book.grant(0).error().kind, error_kind::usage);
  book.enter(at(4096), 960);
  EXPECT_EQ(book.grant(64).value(), 64U);
  EXPECT_EQ(book.grant(65).error().kind, error_kind::out_of_memory);
  EXPECT_EQ(book.granted_at(at(4096)), 960U);
  EXPECT_FALSE(book.granted_at(at(4160)));
  book.strike(at(4096));
  EXPECT_EQ(book.grant(1024).value(), 1024U);
}

// 2^64 - 1 rounded up to whole units is 0.
TEST(BufferBook, refuses_what_wraps) {
  buffer_book book;
  for (const std::uint64_t limit : {std::uint64_t{1024}, most}) {
    book.limit(limit);
    for (const std::uint64_t asked : {most, most - 62})
      EXPECT_EQ(book.grant(asked).error().kind, error_kind::out_of_memory) << limit;
  }
}

TEST(BufferBook, holds_copies_to_the_ends_that_they_name) {
  buffer_book book;
  book.limit(4096);
  book.enter(at(8192), 1024);
  book.enter(at(9216), 1024);
  const auto may = [&](std::uintptr_t to, std::uintptr_t from, std::uint64_t bytes,
                       copy_direction direction) {
    return book.check_copy(at(to), at(from), bytes, direction).has_value();
  };
  constexpr auto h2d = copy_direction::h2d;
  constexpr auto d2h = copy_direction::d2h;
  constexpr auto d2d = copy_direction::d2d;
  EXPECT_TRUE(may(8192, 64, 1024, h2d));
  EXPECT_FALSE(may(8192, 64, 1025, h2d)) << "two buffers that lie together are two";
  EXPECT_FALSE(may(8200, 20000, most - 8000, h2d)) << "its end wraps to before its beginning";
  EXPECT_FALSE(may(8191, 64, 1, h2d));
  EXPECT_FALSE(may(10240, 64, 0, h2d)) << "past the end nothing begins";
  EXPECT_TRUE(may(64, 9216, 1024, d2h));
  EXPECT_FALSE(may(64, 9216, 9000, d2h));
  EXPECT_FALSE(may(8000, 9216, 200, d2h)) << "the host's end reaches into a device buffer";
  EXPECT_FALSE(may(0, 9216, 1, d2h)) << "no address";
  EXPECT_TRUE(may(8192, 9216, 1024, d2d));
  EXPECT_FALSE(may(8192, 64, 8, d2d));
  EXPECT_TRUE(may(8192, 8704, 512, d2d));
  EXPECT_FALSE(may(8192, 8703, 512, d2d)) << "they have a byte in common";
  EXPECT_FALSE(may(8703, 8192, 512, d2d));
}

}  // namespace
}  // namespace assay::test
