// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this: a bound could be off by a factor, a copy that leaves words out could raise a
// ceiling, and a clock that lies could make one.
#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probes/gpu_link/link_bounds.h"
#include "probes/gpu_link/transfer_book.h"
#include "probes/gpu_link/word_pattern.h"

namespace assay::probes {
namespace {

using telemetry::link_class;
using testing::HasSubstr;

TEST(LinkBounds, are_those_of_the_standards) {
  // GB/s of 16 lanes, one direction, as vendors print them.
  const double known[] = {4.0, 8.0, 15.75, 31.5, 63.0, 128.0};
  for (std::uint32_t generation = 1; generation <= 6; ++generation)
    EXPECT_NEAR(raw_link_bytes_per_s({generation, 16}).value() / 1e9, known[generation - 1], 0.02);
  EXPECT_DOUBLE_EQ(raw_link_bytes_per_s({4, 8}).value(), raw_link_bytes_per_s({4, 16}).value() / 2);
}

TEST(LinkBounds, of_no_known_link_are_absent) {
  for (const link_state& link : {link_state{0, 16}, link_state{7, 16}, link_state{5, 0},
                                 link_state{5, 12}, link_state{5, 64}}) {
    const auto bound = raw_link_bytes_per_s(link);
    ASSERT_FALSE(bound);
    EXPECT_EQ(bound.error().kind, error_kind::unavailable);
  }
}

TEST(MemoryBounds, need_more_than_32_bits) {
  // An H200: 3,201 MHz, 6,144 bits. In 32 bits the clock alone is beyond.
  EXPECT_NEAR(raw_memory_bytes_per_s(3'201'000, 6'144).value(), 4.9167e12, 1e9);
  EXPECT_FALSE(raw_memory_bytes_per_s(0, 6'144));
  EXPECT_FALSE(raw_memory_bytes_per_s(3'201'000, -1));
}

TEST(WordPattern, sums_in_closed_form_what_a_loop_sums) {
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{7}, ~std::uint64_t{0}}) {
    const word_pattern pattern{first};
    std::uint64_t sum = 0;
    for (std::uint64_t count = 0; count < 1000; ++count) {
      ASSERT_EQ(pattern.sum(count), sum) << count;
      sum += pattern.word(count);
    }
  }
  // Halves and continuations, where a loop would take long.
  const word_pattern pattern;
  const std::uint64_t half = std::uint64_t{1} << 33;
  EXPECT_EQ(pattern.sum(2 * half), pattern.sum(half) + word_pattern{pattern.word(half)}.sum(half));
}

TEST(WordPattern, is_not_in_memory_that_misses_a_word) {
  std::vector<std::uint64_t> words(4096);
  const word_pattern pattern;
  pattern.fill(words);
  EXPECT_TRUE(pattern.is_in(words));
  EXPECT_FALSE(word_pattern{pattern.first + 1}.is_in(words));
  for (const std::size_t at : {std::size_t{0}, std::size_t{17}, words.size() - 1}) {
    const std::uint64_t right = words[at];
    words[at] ^= std::uint64_t{1} << 63;
    EXPECT_FALSE(pattern.is_in(words)) << at;
    words[at] = right;
  }
}

/// A copy of `bytes` in `took_ns`, within a host span a little longer.
gpu_transfer moved(assay_link link, std::string_view way, std::uint64_t bytes,
                   std::int64_t took_ns) {
  return {link, way, bytes, took_ns, host_time{1'000}, host_time{1'000 + took_ns + 50'000}, bytes};
}

trace::link_ceiling of(const transfer_book& book, link_class link) {
  for (const trace::link_ceiling& each : book.ceilings())
    if (each.link == link) return each;
  ADD_FAILURE() << "no ceiling";
  return {};
}

TEST(TransferBook, has_no_ceiling_before_it_measured) {
  const transfer_book book;
  ASSERT_EQ(book.ceilings().size(), 4U);
  for (const trace::link_ceiling& each : book.ceilings()) {
    EXPECT_EQ(each.soft_bytes_per_s, 0.0);
    EXPECT_EQ(each.hard_bytes_per_s, 0.0);
    EXPECT_EQ(each.samples, 0U);
    EXPECT_THAT(each.reason, HasSubstr("soft: unknown, nothing was sampled yet"));
    EXPECT_THAT(each.reason, HasSubstr("hard: unknown, nobody was asked"));
  }
}

TEST(TransferBook, takes_the_fastest_of_all_ways_and_names_each_median) {
  transfer_book book;
  for (const std::int64_t took_ns : {4'000'000, 2'000'000, 2'500'000}) {
    const auto record = book.take(moved(ASSAY_LINK_PCIE, "pinned h2d", 100'000'000, took_ns));
    ASSERT_TRUE(record) << record.error().message;
    EXPECT_EQ(record->kind, ASSAY_LINK_SAMPLE);
    EXPECT_EQ(record->direction, ASSAY_LINK_PCIE);
    EXPECT_EQ(record->amount, 100'000'000);
    EXPECT_EQ(record->end_ns - record->start_ns, took_ns);
    EXPECT_EQ(record->extra[0], 100'000'000);
  }
  ASSERT_TRUE(book.take(moved(ASSAY_LINK_PCIE, "pinned d2h", 100'000'000, 5'000'000)));
  book.set_hard(link_class::pcie, 63e9, "PCIe");
  const trace::link_ceiling pcie = of(book, link_class::pcie);
  EXPECT_DOUBLE_EQ(pcie.soft_bytes_per_s, 1.05 * 50e9);
  EXPECT_DOUBLE_EQ(pcie.hard_bytes_per_s, 63e9);
  EXPECT_EQ(pcie.samples, 4U);
  EXPECT_THAT(pcie.reason, HasSubstr("pinned h2d median 40000000000 bytes/s"));
  EXPECT_THAT(pcie.reason, HasSubstr("pinned d2h median 20000000000 bytes/s"));
  EXPECT_EQ(of(book, link_class::device_read).samples, 0U);
}

TEST(TransferBook, is_never_soft_above_hard_and_drops_a_hard_that_it_beat) {
  transfer_book book;
  ASSERT_TRUE(book.take(moved(ASSAY_LINK_PCIE, "pinned h2d", 100'000'000, 2'000'000)));
  book.set_hard(link_class::pcie, 51e9, "PCIe");
  EXPECT_DOUBLE_EQ(of(book, link_class::pcie).soft_bytes_per_s, 51e9);
  book.set_hard(link_class::pcie, 49e9, "PCIe");
  EXPECT_EQ(of(book, link_class::pcie).hard_bytes_per_s, 0.0);
  EXPECT_THAT(of(book, link_class::pcie).reason, HasSubstr("faster than PCIe"));
  book.set_no_hard(link_class::pcie, "the link slept");
  EXPECT_THAT(of(book, link_class::pcie).reason, HasSubstr("unknown, the link slept"));
}

TEST(TransferBook, refuses_what_no_clock_can_have_timed) {
  transfer_book book;
  const auto too_short = book.take(moved(ASSAY_LINK_PCIE, "pinned h2d", 1'000, 999'999));
  ASSERT_FALSE(too_short);
  EXPECT_THAT(too_short.error().message, HasSubstr("too short"));
  gpu_transfer lie = moved(ASSAY_LINK_PCIE, "pinned h2d", 100'000'000, 2'000'000);
  lie.done = host_time{lie.released.ns + 1'997'999};
  const auto longer_than_host = book.take(lie);
  ASSERT_FALSE(longer_than_host);
  EXPECT_EQ(longer_than_host.error().kind, error_kind::unavailable);
  EXPECT_THAT(longer_than_host.error().message, HasSubstr("one of the clocks is wrong"));
  EXPECT_FALSE(book.take(moved(ASSAY_LINK_PCIE, "pinned h2d", 0, 2'000'000)));
  EXPECT_EQ(of(book, link_class::pcie).samples, 0U);
  lie.done = host_time{lie.released.ns + 1'998'000};
  EXPECT_TRUE(book.take(lie)) << "two clocks may differ by a little";
}

TEST(TransferBook, keeps_the_fastest_of_a_long_run) {
  transfer_book book;
  ASSERT_TRUE(book.take(moved(ASSAY_LINK_PCIE, "pinned h2d", 100'000'000, 4'000'000)));
  for (int i = 0; i < 5'000; ++i)
    ASSERT_TRUE(book.take(moved(ASSAY_LINK_PCIE, "pinned h2d", 100'000'000, 5'000'000)));
  ASSERT_TRUE(book.take(moved(ASSAY_LINK_PCIE, "pinned h2d", 100'000'000, 2'000'000)));
  EXPECT_DOUBLE_EQ(of(book, link_class::pcie).soft_bytes_per_s, 1.05 * 50e9);
  EXPECT_EQ(of(book, link_class::pcie).samples, 5'002U);
  EXPECT_THAT(of(book, link_class::pcie).reason, HasSubstr("median 20000000000 "));
}

}  // namespace
}  // namespace assay::probes
