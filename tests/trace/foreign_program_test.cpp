// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without these tests the C header could stop being C, or the documented example could stop being
// what compiles, and nobody outside could write a trace.
#include <cstdlib>

#include <gtest/gtest.h>

#include "probes/trace/contract_json.h"
#include "probes/trace/pump.h"
#include "probes/trace/run_facts.h"
#include "tests/trace/recorded.h"

namespace assay::trace {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const auto from = text.find(begin);
  const auto to = text.find(end, from + begin.size());
  if (from == std::string::npos || to == std::string::npos) return "";
  return text.substr(from + begin.size(), to - from - begin.size());
}

std::vector<assay_record> records_of(const recorded& trace) {
  std::vector<assay_record> records;
  for (const piece& one : trace.pieces) {
    if (one.what != "records") continue;
    const std::size_t before = records.size();
    records.resize(before + one.bytes.size() / sizeof(assay_record));
    std::memcpy(&records[before], one.bytes.data(), one.bytes.size());
  }
  return records;
}

TEST(ForeignProgram, a_trace_written_in_c_is_read_whole) {
  scratch_file file;
  ASSERT_EQ(std::system((ASSAY_FOREIGN_PROGRAM " " + file.path()).c_str()), 0);
  auto reader = trace_reader::open(file.path());
  ASSERT_TRUE(reader) << reader.error().message;
  recorded out;
  ASSERT_TRUE(pump(*reader, out));
  EXPECT_TRUE(reader->is_complete()) << reader->incompleteness();
  const auto contract = parse_contract(out.pieces.at(0).bytes);
  ASSERT_TRUE(contract) << contract.error().message;
  EXPECT_EQ(contract->size(), 3u);
  EXPECT_TRUE(parse_facts(out.pieces.at(1).bytes));

  // What the device moved is what the counters of the last snapshot say.
  std::int64_t moved_bytes = 0;
  std::int64_t sentinel_bytes = 0;
  int windows = 0;
  for (const assay_record& record : records_of(out)) {
    if (record.kind == ASSAY_ACTIVITY) moved_bytes += record.amount;
    if (record.kind == ASSAY_SENTINEL) sentinel_bytes += record.amount;
    windows += (record.kind == ASSAY_WINDOW_BEGIN) - (record.kind == ASSAY_WINDOW_END);
  }
  EXPECT_EQ(windows, 0);
  assay_reading h2d_bytes{};
  for (const piece& one : out.pieces)
    if (one.what.starts_with("snapshot"))
      std::memcpy(&h2d_bytes, one.bytes.data(), sizeof h2d_bytes);
  EXPECT_EQ(h2d_bytes.bits, moved_bytes - sentinel_bytes);
}

TEST(ForeignProgram, the_documented_example_is_the_compiled_one) {
  const std::string source = content_of(ASSAY_SOURCE_DIR "/tests/trace/foreign_program.c");
  const std::string document = content_of(ASSAY_SOURCE_DIR "/docs/trace-format.md");
  const std::string example = between(source, "/* [begin example] */\n", "/* [end example] */");
  ASSERT_FALSE(example.empty());
  EXPECT_EQ(between(document, "```c\n", "```"), example)
      << "copy the part between the marks into docs/trace-format.md";
}

TEST(ForeignProgram, says_why_it_could_not_write) {
  EXPECT_NE(std::system(ASSAY_FOREIGN_PROGRAM " /dev/full 2>/dev/null"), 0);
  EXPECT_NE(std::system(ASSAY_FOREIGN_PROGRAM " /nonexistent/trace 2>/dev/null"), 0);
}

// The C writer as a C program uses it: results ignored until the end.
TEST(ForeignProgram, a_failure_that_nobody_looked_at_shows_at_the_close) {
  scratch_file file;
  assay_trace_writer writer;
  ASSERT_EQ(assay_trace_open(&writer, file.path().c_str()), 0);
  const std::string too_large(ASSAY_BLOCK_MAX_BYTES + 1, ' ');
  (void)assay_trace_facts(&writer, too_large.data(), too_large.size());
  (void)assay_trace_facts(&writer, "{}", 2);
  EXPECT_EQ(assay_trace_close(&writer), EINVAL);
  EXPECT_EQ(assay_trace_close(&writer), EBADF);
  EXPECT_EQ(assay_trace_flush(&writer), EBADF);
  auto reader = trace_reader::open(file.path());
  block one;
  EXPECT_FALSE(*reader->next(one));
  EXPECT_FALSE(reader->is_complete());
}

}  // namespace
}  // namespace assay::trace
