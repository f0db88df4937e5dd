// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a table could print 1000 µs for 1 ms, round a byte away, or print 0 for a number
// that nobody has.
#include "reports/wording/quantity_words.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "reports/wording/condition_tables.h"
#include "tests/reports/sample_report.h"

namespace assay::reports {
namespace {

TEST(Words, groups_digits_by_threes) {
  EXPECT_EQ(with_separators(std::int64_t{0}), "0");
  EXPECT_EQ(with_separators(std::int64_t{999}), "999");
  EXPECT_EQ(with_separators(std::int64_t{1'000}), "1,000");
  EXPECT_EQ(with_separators(std::int64_t{-123'456}), "-123,456");
  EXPECT_EQ(with_separators(std::numeric_limits<std::int64_t>::min()),
            "-9,223,372,036,854,775,808");
  EXPECT_EQ(with_separators(std::numeric_limits<std::uint64_t>::max()),
            "18,446,744,073,709,551,615");
}

// Beyond what an integer holds, the words would be those of another number.
TEST(Words, of_a_rate_beyond_every_integer_have_its_sign_and_magnitude) {
  EXPECT_EQ(operation_rate_words(1e308), "1.000e+296 TFLOP/s");
  EXPECT_EQ(bandwidth_words(-2.5e40), "-2.500e+31 GB/s");
  EXPECT_EQ(operation_rate_words(1e21), "1,000,000,000 TFLOP/s");
}

TEST(Words, takes_the_unit_of_time_that_the_rounded_value_reaches) {
  EXPECT_EQ(duration_words(0), "0 ns");
  EXPECT_EQ(duration_words(999), "999 ns");
  EXPECT_EQ(duration_words(1'000), "1.000 µs");
  EXPECT_EQ(duration_words(999'949), "999.9 µs");
  EXPECT_EQ(duration_words(999'960), "1.000 ms");
  EXPECT_EQ(duration_words(1'234'567), "1.235 ms");
  EXPECT_EQ(duration_words(9'999'600'000), "10.00 s");
  EXPECT_EQ(duration_words(-1'500), "-1.500 µs");
  EXPECT_EQ(duration_words(4'321'000'000'000), "4,321 s");
}

TEST(Words, capacity_is_binary_and_keeps_the_exact_bytes) {
  EXPECT_EQ(capacity_words(4'096), "4,096 B");
  EXPECT_EQ(capacity_words(7'340'033), "7,340,033 B (7.000 MiB)");
  EXPECT_EQ(capacity_words(1'073'741'824), "1,073,741,824 B (1.000 GiB)");
}

TEST(Words, bandwidth_is_decimal) {
  EXPECT_EQ(bandwidth_words(12.3456e9), "12.35 GB/s");
  EXPECT_EQ(bandwidth_words(1024.0 * 1024.0), "1.049 MB/s");
  EXPECT_EQ(bandwidth_words(0.0), "0.000 B/s");
}

TEST(Words, a_small_value_is_not_printed_as_zero) {
  EXPECT_EQ(quantity_words(real(0.00012), "tokens_per_s", "rate"), "0.00012 tokens/s");
  EXPECT_EQ(quantity_words(real(0.0), "tokens_per_s", "rate"), "0.000 tokens/s");
}

TEST(Words, bytes_of_a_count_are_exact_and_of_a_level_also_a_capacity) {
  EXPECT_EQ(quantity_words(number(1'048'577), "bytes", "count"), "1,048,577 B");
  EXPECT_EQ(quantity_words(number(1'048'577), "bytes", "peak"), "1,048,577 B (1.000 MiB)");
}

TEST(Words, a_unit_that_is_not_ours_stands_behind_the_number) {
  EXPECT_EQ(quantity_words(number(1'500), "furlongs", "count"), "1,500 furlongs");
  EXPECT_EQ(quantity_words(real(0.25), "ratio", "ratio"), "25.00 %");
  EXPECT_EQ(quantity_words(number(12), "count", "count"), "12");
}

TEST(Words, an_absent_number_prints_its_reason_and_never_a_zero) {
  EXPECT_EQ(quantity_words(absent("never written"), "bytes", "count"), "never written");
  EXPECT_EQ(quantity_words(absent(""), "bytes", "count"), "absent, and no reason was given");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(quantity_words(real(nan), "ratio", "ratio"), "not a finite number");
  EXPECT_EQ(quantity_words(real(std::numeric_limits<double>::infinity()), "ratio", "ratio"),
            "not a finite number");
}

TEST(ConditionWords, have_the_unit_that_a_reader_expects) {
  EXPECT_EQ(condition_words(3'247'500'000, "hz"), "3.248 GHz");
  EXPECT_EQ(condition_words(345'000'000, "hz"), "345 MHz");
  EXPECT_EQ(condition_words(870, "milli"), "0.87");
  EXPECT_EQ(condition_words(71'250, "milliwatt"), "71.2 W");
  EXPECT_EQ(condition_words(64, "celsius"), "64 °C");
  EXPECT_EQ(condition_words(24'422'440'960, "bytes"), "22.745 GiB");
  EXPECT_EQ(condition_words(10'000'000, "ns"), "10.00 ms");
  EXPECT_EQ(condition_words(2, "count"), "2");
}

TEST(ConditionWords, say_when_the_samples_were_taken) {
  model::investigation report;
  report.conditions.resize(2);
  report.conditions[0].samples = report.conditions[1].samples = 3;
  EXPECT_NE(machine_table(report).notes[0].find("never while a pass is timed"), std::string::npos);
  report.conditions[1].samples_in_passes = 2;
  const std::string note = machine_table(report).notes[0];
  EXPECT_NE(note.find("2 were taken while a pass was timed"), std::string::npos);
  EXPECT_EQ(note.find("never"), std::string::npos);
}

}  // namespace
}  // namespace assay::reports
