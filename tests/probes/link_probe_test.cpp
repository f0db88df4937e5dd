// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this: a copy that skips bytes would raise the ceiling, and no rate would ever be too
// high.
#include "probes/link/link_probe.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probes/link/arithmetic_probe.h"
#include "probes/link/core_clock.h"
#include "probes/link/link_track.h"
#include "probes/link/link_variants.h"
#include "probes/link/multiply_add.h"
#include "probes/link/stream_set.h"
#include "tests/probes/recorded_trace.h"

namespace assay::probes {
namespace {

using test::recorded_trace;

constexpr std::int64_t short_ns = 20'000;
constexpr std::uint64_t sets_bytes[] = {1, 8 << 10, 300'000, 700 << 10, 20 << 20};

void copy_nothing(std::byte*, const std::byte*, std::size_t) {}
void copy_half(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::memcpy(to, from, bytes / 2);
}
void copy_all_but_one_block(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::memcpy(to, from, bytes - link_block_bytes);
}
void copy_first_pieces(std::byte* to, const std::byte* from, std::size_t bytes) {
  static int left = 3;
  if (left-- > 0) std::memcpy(to, from, bytes);
}

TEST(LinkTrack, measures_each_variant_on_each_set) {
  for (const std::uint64_t bytes : sets_bytes) {
    auto reads = read_track::create(bytes).value();
    auto copies = copy_track::create(bytes).value();
    for (const auto& variant : read_variants()) {
      const auto measured = reads.measure(variant, short_ns);
      ASSERT_TRUE(measured) << measured.error().message;
      EXPECT_GT(measured->bytes_per_s(), 0.0);
      EXPECT_GE(measured->end - measured->start, short_ns);
      EXPECT_GE(measured->working_set_bytes, bytes);
    }
    for (const auto& variant : copy_variants()) {
      const auto measured = copies.measure(variant, short_ns);
      ASSERT_TRUE(measured) << measured.error().message;
      EXPECT_GT(measured->bytes_per_s(), 0.0);
      EXPECT_LT(measured->working_set_bytes, bytes + link_block_bytes);
    }
  }
}

TEST(LinkTrack, catches_a_copy_that_skips) {
  for (const auto copy : {copy_nothing, copy_half, copy_all_but_one_block}) {
    for (const std::uint64_t bytes : sets_bytes) {
      auto track = copy_track::create(bytes).value();
      // All honest first: the target holds what an earlier copy left.
      for (int i = 0; i < 3; ++i) ASSERT_TRUE(track.measure(copy_variants().front(), 2'000'000));
      const auto measured = track.measure({"skipping", copy}, short_ns);
      ASSERT_FALSE(measured) << bytes;
      EXPECT_EQ(measured.error().kind, error_kind::internal);
      EXPECT_THAT(measured.error().message, testing::HasSubstr("skipping"));
    }
  }
}

TEST(LinkTrack, catches_a_copy_that_stops_midway) {
  auto track = copy_track::create(20 << 20).value();
  EXPECT_FALSE(track.measure({"stopping", copy_first_pieces}, 5'000'000));
}

TEST(LinkTrack, catches_a_read_that_skips) {
  for (const std::uint64_t bytes : sets_bytes) {
    auto track = read_track::create(bytes).value();
    EXPECT_FALSE(track.measure(
        {"nothing", [](const std::byte*, std::size_t) -> std::uint64_t { return 0; }}, short_ns));
    EXPECT_FALSE(track.measure({"all but one block",
                                [](const std::byte* from, std::size_t size) {
                                  return read_variants().front().sum(from, size - link_block_bytes);
                                }},
                               short_ns));
  }
}

TEST(LinkProbe, holds_hard_above_soft_above_each_sample) {
  auto probe = link_probe::create({.read_working_set_bytes = 1 << 20}).value();
  recorded_trace trace;
  ASSERT_TRUE(probe->calibrate(trace));
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(probe->sample(trace));
  ASSERT_EQ(probe->ceilings().size(), 2u);
  for (const trace::link_ceiling& ceiling : probe->ceilings()) {
    EXPECT_GT(ceiling.soft_bytes_per_s, 0.0) << ceiling.reason;
    // Where hard is unknown, nothing is above it.
    if (ceiling.hard_bytes_per_s != 0) {
      EXPECT_GE(ceiling.hard_bytes_per_s, ceiling.soft_bytes_per_s);
    }
    std::uint64_t samples = 0;
    for (const assay_record& sample : trace.all) {
      if (sample.direction != static_cast<int>(ceiling.link)) continue;
      ++samples;
      const double rate = static_cast<double>(sample.amount) * 1e9 /
                          static_cast<double>(sample.end_ns - sample.start_ns);
      EXPECT_LE(rate, ceiling.soft_bytes_per_s);
    }
    EXPECT_EQ(ceiling.samples, samples);
    EXPECT_THAT(ceiling.reason, testing::HasSubstr("1.05"));
  }
}

TEST(LinkProbe, several_readers_may_be_as_many_times_as_fast) {
  auto probe =
      link_probe::create({.read_working_set_bytes = 1 << 20, .reading_threads = 3}).value();
  recorded_trace trace;
  ASSERT_TRUE(probe->sample(trace));
  const assay_record& sample = trace.all.front();
  const double rate = static_cast<double>(sample.amount) * 1e9 /
                      static_cast<double>(sample.end_ns - sample.start_ns);
  const trace::link_ceiling read = probe->ceilings()[0];
  if (read.hard_bytes_per_s == 0) {
    EXPECT_NEAR(read.soft_bytes_per_s, 3 * 1.05 * rate, rate * 1e-6);
  }
  EXPECT_GE(read.soft_bytes_per_s, 3 * rate * 0.999);
  EXPECT_THAT(read.reason, testing::HasSubstr("3 threads x"));
  EXPECT_THAT(probe->ceilings()[1].reason, testing::Not(testing::HasSubstr("threads")));
}

TEST(StreamSet, reads_each_byte_by_each_variant_on_each_kind_of_page) {
  EXPECT_GE(read_variants().size(), 1u);
  for (const page_kind pages : {page_kind::small, page_kind::huge}) {
    const auto set = stream_set::create((5 << 20) + 1, pages).value();
    EXPECT_EQ(set.bytes(), 8u << 20);
    for (const auto& variant : read_variants())
      for (const std::uint32_t threads : {1u, 2u, 3u}) {
        const auto measured = set.pass(variant, threads);
        ASSERT_TRUE(measured) << measured.error().message;
        EXPECT_EQ(measured->bytes, set.bytes());
        EXPECT_GT(measured->end - measured->start, 0);
      }
  }
}

TEST(StreamSet, catches_a_read_that_skips) {
  const auto set = stream_set::create(4 << 20, page_kind::small).value();
  const read_variant skipping{"skipping", [](const std::byte* from, std::size_t size) {
                                return read_variants().front().sum(from, size - link_block_bytes);
                              }};
  const auto measured = set.pass(skipping, 2);
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().kind, error_kind::internal);
  EXPECT_THAT(measured.error().message, testing::HasSubstr("skipping"));
}

TEST(LinkProbe, takes_the_sets_in_turn) {
  auto probe = link_probe::create(
                   {.read_working_set_bytes = 1 << 20, .copy_working_sets_bytes = {8192, 1 << 20}})
                   .value();
  recorded_trace trace;
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(probe->sample(trace));
  ASSERT_EQ(trace.all.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    const assay_record& sample = trace.all[i];
    EXPECT_EQ(sample.kind, ASSAY_LINK_SAMPLE);
    EXPECT_EQ(sample.direction, i % 3 == 0 ? ASSAY_LINK_HOST_READ : ASSAY_LINK_HOST_MEMCPY);
    EXPECT_EQ(sample.extra[0], i % 3 == 1 ? 8192 : 1 << 20);
    EXPECT_GE(sample.end_ns - sample.start_ns, link_probe::least_sample_ns);
    EXPECT_GT(sample.amount, 0);
  }
}

TEST(LinkProbe, has_no_ceiling_before_it_measured) {
  const auto probe = link_probe::create({.read_working_set_bytes = 4096}).value();
  for (const trace::link_ceiling& ceiling : probe->ceilings()) {
    EXPECT_EQ(ceiling.soft_bytes_per_s, 0.0);
    EXPECT_EQ(ceiling.hard_bytes_per_s, 0.0);
    EXPECT_EQ(ceiling.samples, 0u);
    EXPECT_THAT(ceiling.reason, testing::HasSubstr("nothing was sampled"));
  }
}

TEST(LinkProbe, refuses_an_empty_set) {
  EXPECT_EQ(link_probe::create({}).error().kind, error_kind::usage);
  EXPECT_EQ(
      link_probe::create({.read_working_set_bytes = 1, .copy_working_sets_bytes = {}}).error().kind,
      error_kind::usage);
}

TEST(CoreClock, counts_a_plausible_number_of_cycles_or_says_why_not) {
  const auto cycles_per_s = core_cycles_per_s();
  if (!cycles_per_s) {
    EXPECT_EQ(cycles_per_s.error().kind, error_kind::unavailable);
    return;
  }
  EXPECT_GT(*cycles_per_s, 0.0);
  EXPECT_LT(*cycles_per_s, 12e9) << "an addition that the core took out of the chain";
}

void multiply_nothing(float*, float, float, std::uint32_t) {}
void multiply_half_the_lanes(float* lanes, float factor, float term, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < multiply_add_chains * 4 / 2; ++i)
      lanes[i] = lanes[i] * factor + term;
}
void multiply_half_the_rounds(float* lanes, float factor, float term, std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds / 2; ++round)
    for (std::size_t i = 0; i < multiply_add_chains * 4; ++i) lanes[i] = lanes[i] * factor + term;
}

TEST(Arithmetic, each_variant_multiplies_and_adds_in_each_lane) {
  for (const multiply_add_variant& by : multiply_add_variants()) {
    alignas(64) float lanes[multiply_add_chains * 16] = {};
    for (std::size_t i = 0; i < by.lanes(); ++i) lanes[i] = static_cast<float>(i);
    by.run(lanes, 0.5F, 3.0F, 2);  // (x / 2 + 3) / 2 + 3
    for (std::size_t i = 0; i < by.lanes(); ++i)
      EXPECT_EQ(lanes[i], static_cast<float>(i) / 4.0F + 4.5F) << by.name << " " << i;
  }
}

TEST(Arithmetic, catches_multiply_adds_that_did_not_happen) {
  for (const auto run : {multiply_nothing, multiply_half_the_lanes, multiply_half_the_rounds}) {
    arithmetic_probe probe(multiply_add_variant{"idle", 16, run}, 1);
    const auto sampled = probe.sample();
    ASSERT_FALSE(sampled);
    EXPECT_EQ(sampled.error().kind, error_kind::internal);
    EXPECT_EQ(probe.ceiling().operations_per_s, 0.0);
    EXPECT_FALSE(probe.ceiling().reason.empty());
  }
}

TEST(Arithmetic, keeps_the_fastest_and_says_by_what_it_was_measured) {
  arithmetic_probe probe({.vector_bytes = 32, .threads = 2});
  EXPECT_EQ(probe.ceiling().operations_per_s, 0.0);
  double before = 0.0;
  for (std::uint64_t i = 1; i <= 3; ++i) {
    ASSERT_TRUE(probe.sample());
    EXPECT_EQ(probe.ceiling().samples, i);
    EXPECT_GE(probe.ceiling().operations_per_s, before);
    before = probe.ceiling().operations_per_s;
  }
  EXPECT_THAT(probe.ceiling().reason, testing::HasSubstr("on 2 threads at once"));
  EXPECT_THAT(probe.ceiling().reason, testing::Not(testing::HasSubstr("64-byte")));
  // No core begins more than two multiply-adds of 64 bytes a cycle, nor makes 10 GHz.
  EXPECT_GT(before, 1e6);
  EXPECT_LT(before, 2 * 2 * 2 * 16 * 10e9);
}

}  // namespace
}  // namespace assay::probes
