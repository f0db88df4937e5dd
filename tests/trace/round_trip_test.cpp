// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without these tests a trace could lose, reorder or alter what it was given, or a run that was cut
// off could pass for a whole one, and every audit would judge something that did not happen.
#include <gtest/gtest.h>

#include "probes/trace/pump.h"
#include "probes/trace/trace_writer.h"
#include "tests/trace/recorded.h"

namespace assay::trace {
namespace {

std::vector<assay_record> many_records(std::uint64_t count) {
  std::vector<assay_record> records;
  for (std::uint64_t i = 1; i <= count; ++i) records.push_back(record_of(ASSAY_ACTIVITY, i));
  return records;
}

// Every kind of block, records in calls of one and of many, snapshots between them.
void feed_sample(sink& into) {
  ASSERT_TRUE(into.contract(R"({"counters":[]})"));
  ASSERT_TRUE(into.facts(R"({"notes":["one"]})"));
  const auto records = many_records(40);
  const std::vector<assay_reading> readings = {{5, ASSAY_MEASURED, 0}, {0, ASSAY_LOST, 1}};
  ASSERT_TRUE(into.records(std::span(records).first(1)));
  ASSERT_TRUE(into.records(std::span(records).subspan(1, 20)));
  ASSERT_TRUE(into.snapshot(77, readings));
  ASSERT_TRUE(into.snapshot(78, readings));
  ASSERT_TRUE(into.records(std::span(records).subspan(21)));
  ASSERT_TRUE(into.facts(R"({"notes":["three"]})"));
  ASSERT_TRUE(into.snapshot(-5, {}));
  ASSERT_TRUE(into.end());
}

recorded read_back(const std::string& path, bool expect_complete = true) {
  recorded out;
  auto reader = trace_reader::open(path);
  EXPECT_TRUE(reader) << reader.error().message;
  if (!reader) return out;
  const auto pumped = pump(*reader, out);
  EXPECT_TRUE(pumped) << pumped.error().message;
  EXPECT_EQ(reader->is_complete(), expect_complete) << reader->incompleteness();
  EXPECT_EQ(reader->incompleteness().empty(), expect_complete);
  return out;
}

TEST(RoundTrip, every_piece_comes_back_in_its_order) {
  scratch_file file;
  recorded expected;
  feed_sample(expected);
  auto writer = trace_writer::open(file.path());
  ASSERT_TRUE(writer) << writer.error().message;
  feed_sample(*writer);
  EXPECT_EQ(writer->record_count(), 40u);
  EXPECT_EQ(read_back(file.path()).pieces, expected.pieces);
}

TEST(RoundTrip, records_are_cut_into_blocks_and_none_is_lost) {
  scratch_file file;
  const auto records = many_records(100'000);
  recorded expected;
  auto writer = trace_writer::open(file.path());
  ASSERT_TRUE(writer);
  // Calls of every size up to more than a block, so that they end on either side of each edge.
  std::size_t at = 0;
  for (std::size_t size = 1; at < records.size(); size = size * 3 % 2003 + 1) {
    const auto some = std::span(records).subspan(at, std::min(size, records.size() - at));
    ASSERT_TRUE(writer->records(some));
    ASSERT_TRUE(expected.records(some));
    at += some.size();
  }
  ASSERT_TRUE(writer->end());
  ASSERT_TRUE(expected.end());
  EXPECT_EQ(read_back(file.path()).pieces, expected.pieces);
  auto reader = trace_reader::open(file.path());
  block one;
  std::size_t largest = 0;
  while (*reader->next(one)) largest = std::max(largest, one.payload.size());
  EXPECT_LE(largest, 64u * 1024u);
  EXPECT_GE(reader->block_count(), 100'000u * 72u / (64u * 1024u));
}

TEST(RoundTrip, pieces_as_large_as_a_block_pass_and_larger_ones_are_refused) {
  scratch_file file;
  auto writer = trace_writer::open(file.path());
  ASSERT_TRUE(writer);
  const std::string whole(ASSAY_BLOCK_MAX_BYTES, 'x');
  const std::vector<assay_reading> readings(65'535, assay_reading{1, ASSAY_MEASURED, 0});
  recorded expected;
  for (sink* into : {static_cast<sink*>(&*writer), static_cast<sink*>(&expected)}) {
    ASSERT_TRUE(into->records(many_records(3)));
    ASSERT_TRUE(into->contract(whole));
    ASSERT_TRUE(into->snapshot(1, readings));
  }
  const std::vector<assay_reading> too_many(65'536, assay_reading{1, ASSAY_MEASURED, 0});
  const auto refused = writer->snapshot(2, too_many);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, error_kind::usage);
  EXPECT_FALSE(writer->end()) << "a trace that lacks a piece must not be closed as whole";
  EXPECT_EQ(read_back(file.path(), false).pieces, expected.pieces);
}

TEST(RoundTrip, a_writer_that_goes_away_without_end_leaves_a_trace_that_is_cut_off) {
  scratch_file file;
  {
    auto writer = trace_writer::open(file.path());
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->records(many_records(10)));
  }
  const auto out = read_back(file.path(), false);
  ASSERT_EQ(out.pieces.size(), 1u);
  EXPECT_EQ(out.pieces[0].bytes.size(), 720u) << "what was given is kept";
}

TEST(RoundTrip, a_snapshot_after_a_second_reaches_the_file_and_one_before_waits) {
  scratch_file file;
  auto writer = trace_writer::open(file.path());
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->snapshot(5'000'000'000, {}));
  const auto first = file.content().size();
  EXPECT_GT(first, 16u);
  ASSERT_TRUE(writer->snapshot(5'900'000'000, {}));
  EXPECT_EQ(file.content().size(), first) << "no system call a step";
  ASSERT_TRUE(writer->snapshot(6'000'000'000, {}));
  EXPECT_GT(file.content().size(), first);
}

TEST(RoundTrip, a_flush_makes_everything_readable) {
  scratch_file file;
  auto writer = trace_writer::open(file.path());
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->records(many_records(5)));
  ASSERT_TRUE(writer->flush());
  EXPECT_EQ(read_back(file.path(), false).pieces.size(), 1u);
}

TEST(RoundTrip, a_moved_writer_goes_on_where_it_was) {
  scratch_file file;
  auto writer = trace_writer::open(file.path());
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->records(many_records(5)));
  trace_writer moved = std::move(*writer);
  ASSERT_TRUE(moved.records(many_records(5)));
  ASSERT_TRUE(moved.end());
  EXPECT_EQ(read_back(file.path()).pieces.at(0).bytes.size(), 720u);
}

TEST(RoundTrip, records_come_out_aligned_and_uncopied_when_json_has_an_odd_length) {
  scratch_file file;
  auto writer = trace_writer::open(file.path());
  ASSERT_TRUE(writer);
  for (std::size_t spaces = 0; spaces < 9; ++spaces) {
    ASSERT_TRUE(writer->facts("{" + std::string(spaces, ' ') + "}"));
    ASSERT_TRUE(writer->records(many_records(1)));
  }
  ASSERT_TRUE(writer->end());
  auto reader = trace_reader::open(file.path());
  ASSERT_TRUE(reader);
  block one;
  while (*reader->next(one))
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one.payload.data()) % alignof(assay_record), 0u);
  EXPECT_TRUE(reader->is_complete());
}

std::size_t resident_bytes() {
  std::size_t total_pages = 0;
  std::size_t resident_pages = 0;
  std::ifstream("/proc/self/statm") >> total_pages >> resident_pages;
  return resident_pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Counts and lets go.
class counting_sink final : public sink {
 public:
  result<void> contract(std::string_view) override { return {}; }
  result<void> facts(std::string_view) override { return {}; }
  result<void> records(std::span<const assay_record> records) override {
    count += records.size();
    return {};
  }
  result<void> snapshot(std::int64_t, std::span<const assay_reading>) override { return {}; }
  result<void> end() override { return {}; }
  std::size_t count = 0;
};

TEST(RoundTrip, a_million_records_pass_through_a_few_mebibytes) {
#ifdef ASSAY_SANITIZED
  GTEST_SKIP() << "a sanitizer's allocator keeps what was freed";
#endif
  scratch_file file;
  const auto records = many_records(1000);
  const std::size_t before = resident_bytes();
  auto writer = trace_writer::open(file.path());
  ASSERT_TRUE(writer);
  for (int call = 0; call < 1000; ++call) ASSERT_TRUE(writer->records(records));
  ASSERT_TRUE(writer->end());
  auto reader = trace_reader::open(file.path());
  ASSERT_TRUE(reader);
  counting_sink out;
  ASSERT_TRUE(pump(*reader, out));
  EXPECT_EQ(out.count, 1'000'000u);
  EXPECT_TRUE(reader->is_complete());
  // The file has 72 MB; writer and reader hold 1.4 MiB.
  EXPECT_LT(resident_bytes(), before + (std::size_t{4} << 20));
}

}  // namespace
}  // namespace assay::trace
