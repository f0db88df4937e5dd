// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, work of nobody's call could pass for a counter's, or honest work for nobody's.
#include <gtest/gtest.h>

#include <vector>

#include "probes/cupti/call_book.h"

namespace assay::test {
namespace {

using probes::call_book;
using probes::claimed_call;

assay_record told(std::uint64_t correlation, std::uint16_t range, std::uint32_t stream) {
  assay_record record{};
  record.kind = ASSAY_SUBMISSION;
  record.op = ASSAY_OP_LAUNCH;
  record.flags = ASSAY_SPLIT;
  record.correlation = correlation;
  record.range = range;
  record.stream = stream;
  return record;
}

assay_record driver(std::uint8_t kind, std::uint64_t correlation, std::uint32_t stream) {
  assay_record record{};
  record.kind = kind;
  record.op = ASSAY_OP_LAUNCH;
  record.correlation = correlation;
  record.stream = stream;
  return record;
}

TEST(CallBook, gives_each_kernel_the_call_that_the_device_told) {
  call_book book;
  const std::vector<claimed_call> claims{{41, 5}, {42, 6}};
  const std::vector<assay_record> calls{told(5, 3, 0), told(6, 4, 1)};
  std::vector<assay_record> records{driver(ASSAY_CLOCK_SAMPLE, 0, 0),
                                    driver(ASSAY_SUBMISSION, 41, 0), driver(ASSAY_ACTIVITY, 41, 13),
                                    driver(ASSAY_ACTIVITY, 41, 13), driver(ASSAY_ACTIVITY, 42, 14)};
  book.join(claims, calls, records);
  ASSERT_EQ(records.size(), 6U);
  EXPECT_EQ(records[0].kind, ASSAY_CLOCK_SAMPLE);
  EXPECT_EQ(records[1].correlation, 5U);
  EXPECT_EQ(records[2].correlation, 6U);
  for (const std::size_t i : {std::size_t{3}, std::size_t{4}}) {
    EXPECT_EQ(records[i].kind, ASSAY_ACTIVITY);
    EXPECT_EQ(records[i].correlation, 5U);
    EXPECT_EQ(records[i].range, 3U);
    EXPECT_EQ(records[i].stream, 0U);
  }
  EXPECT_EQ(records[5].stream, 1U);
  EXPECT_EQ(book.foreign_count(), 0U);
}

TEST(CallBook, work_on_another_stream_than_told_keeps_a_number_that_contradicts) {
  call_book book;
  const std::vector<claimed_call> claims{{41, 5}, {42, 6}};
  const std::vector<assay_record> calls{told(5, 3, 0), told(6, 3, 0)};
  std::vector<assay_record> records{driver(ASSAY_ACTIVITY, 41, 13), driver(ASSAY_ACTIVITY, 42, 99)};
  book.join(claims, calls, records);
  EXPECT_EQ(records[2].stream, 0U);
  EXPECT_NE(records[3].stream, 0U);
}

TEST(CallBook, work_of_nobodys_call_stays_nobodys) {
  call_book book;
  std::vector<assay_record> records{driver(ASSAY_ACTIVITY, 41, 13)};
  const std::vector<assay_record> calls{told(41, 3, 0)};
  book.join({}, calls, records);
  EXPECT_EQ(records[1].range, 0U);
  EXPECT_NE(records[1].correlation, 41U) << "the driver's 41 is not the device's";
  EXPECT_EQ(book.foreign_count(), 1U);
}

TEST(CallBook, harness_work_stays_out_with_its_call) {
  call_book book;
  const std::vector<claimed_call> claims{{41, call_book::own_work_id}, {42, 5}};
  const std::vector<assay_record> calls{told(5, 3, 0)};
  std::vector<assay_record> records{driver(ASSAY_ACTIVITY, 41, 13), driver(ASSAY_SUBMISSION, 41, 0),
                                    driver(ASSAY_ACTIVITY, 42, 13)};
  book.join(claims, calls, records);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].correlation, 5U);
  EXPECT_EQ(records[1].correlation, 5U);
  EXPECT_EQ(book.foreign_count(), 0U);
}

}  // namespace
}  // namespace assay::test
