// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without these tests a trace that a crash cut off, a disk damaged or a stranger forged could be
// read as a whole one, crash the reader, or make it ask for memory that the file names.
#include <functional>
#include <optional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probes/trace/pump.h"
#include "probes/trace/trace_writer.h"
#include "tests/trace/recorded.h"

namespace assay::trace {
namespace {

using ::testing::HasSubstr;

// Small, with each kind of block: CONTRACT, FACTS, RECORDS, SNAPSHOT, RECORDS, END.
const std::string& small_trace() {
  static const std::string bytes = [] {
    scratch_file file;
    auto writer = trace_writer::open(file.path());
    const assay_record records[] = {record_of(ASSAY_SUBMISSION, 1), record_of(ASSAY_ACTIVITY, 1)};
    const assay_reading readings[] = {{5, ASSAY_MEASURED, 0}, {0, ASSAY_NEVER_WRITTEN, 0}};
    EXPECT_TRUE(writer->contract(R"({"counters":[]})"));
    EXPECT_TRUE(writer->facts(R"({"notes":["a"]})"));
    EXPECT_TRUE(writer->records(records));
    EXPECT_TRUE(writer->snapshot(9, readings));
    EXPECT_TRUE(writer->records(std::span(records).first(1)));
    EXPECT_TRUE(writer->end());
    return file.content();
  }();
  return bytes;
}

struct outcome {
  bool is_opened = false;
  bool is_complete = false;
  std::string incompleteness;
  std::vector<std::string> blocks;  // type and payload
  std::vector<std::uint64_t> ends;  // good_bytes after each
};

outcome drain(result<trace_reader> reader) {
  outcome out;
  if (!reader) {
    EXPECT_EQ(reader.error().kind, error_kind::unusable_input);
    return out;
  }
  out.is_opened = true;
  block one;
  while (true) {
    const auto has = reader->next(one);
    if (!has) ADD_FAILURE() << has.error().message;
    if (!has || !*has) break;
    out.blocks.push_back(
        fmt::format("{}:", one.type) +
        std::string(reinterpret_cast<const char*>(one.payload.data()), one.payload.size()));
    out.ends.push_back(reader->good_bytes());
  }
  EXPECT_FALSE(*reader->next(one)) << "the end is the end";
  out.is_complete = reader->is_complete();
  out.incompleteness = reader->incompleteness();
  EXPECT_EQ(out.is_complete, out.incompleteness.empty());
  return out;
}

outcome drain_memory(std::string_view bytes) {
  return drain(trace_reader::from_memory(bytes_of(bytes)));
}

// `part` holds the first blocks of `whole` and nothing else.
void expect_prefix(const outcome& part, const outcome& whole) {
  ASSERT_LE(part.blocks.size(), whole.blocks.size());
  for (std::size_t i = 0; i < part.blocks.size(); ++i) EXPECT_EQ(part.blocks[i], whole.blocks[i]);
}

TEST(Damage, cut_at_any_byte_exactly_the_whole_blocks_before_it_come_out) {
  const outcome whole = drain_memory(small_trace());
  ASSERT_TRUE(whole.is_complete);
  ASSERT_EQ(whole.blocks.size(), 6u);
  scratch_file file;
  for (std::size_t length = 0; length < small_trace().size(); ++length) {
    SCOPED_TRACE(length);
    const std::string cut = small_trace().substr(0, length);
    file.write(cut);
    for (const outcome& part : {drain_memory(cut), drain(trace_reader::open(file.path()))}) {
      EXPECT_EQ(part.is_opened, length >= sizeof(assay_file_header));
      EXPECT_FALSE(part.is_complete);
      expect_prefix(part, whole);
      std::size_t expected = 0;
      while (whole.ends[expected] <= length) ++expected;
      EXPECT_EQ(part.blocks.size(), expected);
      if (!part.is_opened) continue;
      const std::uint64_t good = expected == 0 ? 16 : whole.ends[expected - 1];
      EXPECT_EQ(part.incompleteness,
                expected == 0
                    ? fmt::format("cut off before its first block at byte {}", good)
                    : fmt::format("cut off after block {} at byte {}", expected - 1, good));
    }
  }
}

TEST(Damage, no_flipped_bit_goes_unnoticed) {
  const outcome whole = drain_memory(small_trace());
  for (std::size_t bit = 0; bit < small_trace().size() * 8; ++bit) {
    SCOPED_TRACE(bit);
    std::string flipped = small_trace();
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    const outcome part = drain_memory(flipped);
    EXPECT_FALSE(part.is_complete);
    expect_prefix(part, whole);
    // Every block that ends before the damage is still there.
    std::size_t before = 0;
    while (before < whole.ends.size() && whole.ends[before] <= bit / 8) ++before;
    if (part.is_opened) {
      EXPECT_EQ(part.blocks.size(), bit / 8 < 16 ? 0 : before);
    }
  }
}

// Blocks made by hand, each with the checksum that belongs to it.
class forge {
 public:
  forge() {
    assay_crc32_init(&crc_);
    assay_file_header header{{}, ASSAY_TRACE_VERSION, sizeof header};
    std::memcpy(header.magic, ASSAY_TRACE_MAGIC, sizeof header.magic);
    append(header);
  }
  forge& with(std::uint32_t type, std::string_view payload,
              std::optional<std::uint64_t> number = {}) {
    assay_block_header header{ASSAY_BLOCK_MAGIC, type, static_cast<std::uint32_t>(payload.size()),
                              0, number.value_or(next_)};
    next_ = header.sequence + 1;
    header.crc32 = assay_block_crc32(&crc_, &header, payload.data());
    append(header);
    bytes_ += payload;
    return *this;
  }
  template <class T>
  forge& append(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  assay_crc32_table crc_;
  std::string bytes_;
  std::uint64_t next_ = 0;
};

std::string snapshot_payload(std::uint32_t claimed, std::uint32_t held, std::uint32_t state) {
  const assay_snapshot_header header{1, claimed, 0};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  const assay_reading reading{1, state, 0};
  for (std::uint32_t i = 0; i < held; ++i)
    bytes.append(reinterpret_cast<const char*>(&reading), sizeof reading);
  return bytes;
}

TEST(Damage, the_checksum_is_the_standard_one) {
  assay_crc32_table table;
  assay_crc32_init(&table);
  // The check value that catalogues of CRC parameters give for CRC-32/ISO-HDLC.
  EXPECT_EQ(assay_crc32(&table, 0, "123456789", 9), 0xcbf43926u);
  const std::string text = "The quick brown fox jumps over the lazy dog";
  EXPECT_EQ(assay_crc32(&table, 0, text.data(), text.size()), 0x414fa339u);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const auto first = assay_crc32(&table, 0, text.data(), cut);
    EXPECT_EQ(assay_crc32(&table, first, text.data() + cut, text.size() - cut), 0x414fa339u);
  }
}

TEST(Damage, the_checksum_is_the_same_with_and_without_multiplication) {
  assay_crc32_table table;
  assay_crc32_init(&table);
  assay_crc32_table plain = table;
  plain.can_fold = 0;
  std::string text;
  for (int i = 0; i < 700; ++i) text += static_cast<char>((i * 7919) >> 3);
  for (std::size_t begin = 0; begin < 17; ++begin)
    for (std::size_t bytes = 0; begin + bytes <= text.size(); ++bytes)
      ASSERT_EQ(assay_crc32(&table, 0x12345678u, text.data() + begin, bytes),
                assay_crc32(&plain, 0x12345678u, text.data() + begin, bytes))
          << begin << " " << bytes;
}

TEST(Damage, a_block_that_is_missing_ends_the_stream) {
  const outcome out = drain_memory(forge()
                                       .with(ASSAY_BLOCK_FACTS, "{}")
                                       .with(ASSAY_BLOCK_FACTS, "{}", 2)
                                       .with(ASSAY_BLOCK_END, "")
                                       .bytes());
  EXPECT_EQ(out.blocks.size(), 1u);
  EXPECT_EQ(out.incompleteness, "damaged: block 2 where 1 is due, after block 0 at byte 42");
}

TEST(Damage, a_block_that_comes_twice_ends_the_stream) {
  const outcome out =
      drain_memory(forge().with(ASSAY_BLOCK_FACTS, "{}").with(ASSAY_BLOCK_FACTS, "{}", 0).bytes());
  EXPECT_EQ(out.blocks.size(), 1u);
  EXPECT_FALSE(out.is_complete);
}

TEST(Damage, a_size_beyond_the_format_ends_the_stream_unread) {
  for (const std::uint32_t size : {ASSAY_BLOCK_MAX_BYTES + 1, 0x7fffffffu, 0xffffffffu}) {
    scratch_file file;
    file.write(forge()
                   .with(ASSAY_BLOCK_FACTS, "{}")
                   .append(assay_block_header{ASSAY_BLOCK_MAGIC, ASSAY_BLOCK_RECORDS, size, 0, 1})
                   .bytes() +
               std::string(1000, 'x'));
    const outcome out = drain(trace_reader::open(file.path()));
    EXPECT_EQ(out.blocks.size(), 1u);
    EXPECT_THAT(out.incompleteness, HasSubstr(fmt::format("a payload of {} bytes", size)));
  }
}

TEST(Damage, payloads_that_do_not_fit_their_type_end_the_stream) {
  const std::string bad[] = {
      forge().with(ASSAY_BLOCK_RECORDS, std::string(73, '\0')).bytes(),
      forge().with(ASSAY_BLOCK_SNAPSHOT, std::string(15, '\0')).bytes(),
      forge().with(ASSAY_BLOCK_SNAPSHOT, snapshot_payload(2, 1, ASSAY_ZERO)).bytes(),
      forge().with(ASSAY_BLOCK_SNAPSHOT, snapshot_payload(1, 2, ASSAY_ZERO)).bytes(),
      forge().with(ASSAY_BLOCK_SNAPSHOT, snapshot_payload(0x10000001, 1, ASSAY_ZERO)).bytes(),
      forge().with(ASSAY_BLOCK_SNAPSHOT, snapshot_payload(2, 2, ASSAY_LOST + 1)).bytes(),
      forge().with(ASSAY_BLOCK_END, "x").bytes()};
  for (const std::string& bytes : bad) {
    const outcome out = drain_memory(bytes);
    EXPECT_TRUE(out.blocks.empty());
    EXPECT_THAT(out.incompleteness, HasSubstr("written wrongly"));
  }
  EXPECT_EQ(
      drain_memory(forge().with(ASSAY_BLOCK_SNAPSHOT, snapshot_payload(2, 2, ASSAY_LOST)).bytes())
          .blocks.size(),
      1u);
}

TEST(Damage, an_unknown_type_is_given_out_and_passed_over_by_the_pump) {
  const std::string bytes =
      forge().with(ASSAY_BLOCK_FACTS, "{}").with(99, "later").with(ASSAY_BLOCK_END, "").bytes();
  EXPECT_EQ(drain_memory(bytes).blocks.at(1), "99:later");
  auto reader = trace_reader::from_memory(bytes_of(bytes));
  recorded out;
  ASSERT_TRUE(pump(*reader, out));
  EXPECT_TRUE(reader->is_complete());
  EXPECT_EQ(out.pieces, (std::vector<piece>{{"facts", "{}"}, {"end", ""}}));
}

TEST(Damage, bytes_behind_the_end_make_a_trace_incomplete) {
  const outcome out = drain_memory(small_trace() + small_trace());
  EXPECT_EQ(out.blocks.size(), 6u);
  EXPECT_EQ(out.incompleteness,
            fmt::format("goes on behind its END block at byte {}", small_trace().size()));
}

TEST(Damage, records_that_the_file_does_not_align_arrive_unharmed) {
  const assay_record record = record_of(ASSAY_ACTIVITY, 3);
  const std::string payload(reinterpret_cast<const char*>(&record), sizeof record);
  for (std::size_t odd = 0; odd < 8; ++odd) {
    const std::string bytes = forge()
                                  .with(ASSAY_BLOCK_FACTS, "{}" + std::string(odd, ' '))
                                  .with(ASSAY_BLOCK_RECORDS, payload)
                                  .with(ASSAY_BLOCK_SNAPSHOT, snapshot_payload(1, 1, ASSAY_ZERO))
                                  .bytes();
    auto reader = trace_reader::from_memory(bytes_of(bytes));
    recorded out;
    ASSERT_TRUE(pump(*reader, out));
    ASSERT_EQ(out.pieces.size(), 3u) << reader->incompleteness();
    EXPECT_EQ(out.pieces[1].bytes, payload);
  }
}

TEST(Damage, an_empty_array_that_the_file_does_not_align_is_an_empty_piece) {
  const std::string bytes = forge()
                                .with(ASSAY_BLOCK_FACTS, "{}")
                                .with(ASSAY_BLOCK_RECORDS, "")
                                .with(ASSAY_BLOCK_SNAPSHOT, snapshot_payload(0, 0, ASSAY_ZERO))
                                .bytes();
  auto reader = trace_reader::from_memory(bytes_of(bytes));
  recorded out;
  ASSERT_TRUE(pump(*reader, out));
  EXPECT_EQ(out.pieces, (std::vector<piece>{{"facts", "{}"}, {"records", ""}, {"snapshot 1", ""}}));
}

TEST(Damage, the_pump_ends_its_sink_only_where_the_trace_is_whole) {
  recorded whole;
  auto reader = trace_reader::from_memory(bytes_of(small_trace()));
  ASSERT_TRUE(pump(*reader, whole));
  EXPECT_EQ(whole.pieces.back().what, "end");
  recorded cut;
  const std::string bytes = small_trace().substr(0, small_trace().size() - 1);
  reader = trace_reader::from_memory(bytes_of(bytes));
  ASSERT_TRUE(pump(*reader, cut));
  ASSERT_EQ(cut.pieces.size(), whole.pieces.size() - 1);
  EXPECT_NE(cut.pieces.back().what, "end");
}

// Takes two pieces and then has no more room.
class full_sink final : public sink {
 public:
  result<void> contract(std::string_view) override { return take(); }
  result<void> facts(std::string_view) override { return take(); }
  result<void> records(std::span<const assay_record>) override { return take(); }
  result<void> snapshot(std::int64_t, std::span<const assay_reading>) override { return take(); }
  result<void> end() override { return take(); }
  int taken = 0;

 private:
  result<void> take() {
    if (++taken > 2) return ASSAY_FAIL(io, "full");
    return {};
  }
};

TEST(Damage, the_pump_stops_at_the_sinks_first_error) {
  auto reader = trace_reader::from_memory(bytes_of(small_trace()));
  full_sink into;
  const auto pumped = pump(*reader, into);
  ASSERT_FALSE(pumped);
  EXPECT_EQ(pumped.error().message, "full");
  EXPECT_EQ(into.taken, 3);
}

}  // namespace
}  // namespace assay::trace
