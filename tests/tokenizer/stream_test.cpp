// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a terminal could receive half a character, or text could be lost or doubled where a
// character's bytes come in several tokens.
#include "runtime/tokenizer/utf8.h"
#include "tests/tokenizer/embedded.h"

#include <map>

namespace assay::tokenizer::test {
namespace {

using ids = std::vector<std::int32_t>;
using telemetry::counter_id;

/// The id of each single byte: the vocabulary's own entries, so any byte string can be pushed.
std::int32_t byte_id(char byte) {
  static const std::map<char, std::int32_t> ids_by_byte = [] {
    std::map<char, std::int32_t> out;
    for (std::int32_t id = 0; id < 2045; ++id) {
      const std::string_view bytes = micro_qwen3().bytes_of(id);
      if (bytes.size() == 1) out[bytes[0]] = id;
    }
    return out;
  }();
  return ids_by_byte.at(byte);
}

TEST(Stream, every_split_of_multi_byte_characters_comes_out_whole) {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z\xED\x95\x9C";
  stream_decoder decoder(micro_qwen3());
  std::string out;
  for (char c : text) {
    const std::string piece = decoder.push(byte_id(c));
    EXPECT_TRUE(is_valid_utf8(piece));
    out += piece;
  }
  EXPECT_EQ(decoder.finish(), "");
  EXPECT_EQ(out, text);
}

// All strings of up to four bytes over one representative of each kind of byte.
TEST(Stream, any_bytes_stream_to_what_they_are_at_once) {
  const std::string kinds = "a\x80\x9F\xA0\xBF\xC1\xC3\xE0\xE2\xED\xF0\xF1\xF4\xFF";
  const std::size_t n = kinds.size();
  for (std::size_t code = 0; code < n * n * n * n; ++code) {
    std::string bytes;
    for (std::size_t rest = code, i = 0; i < 4; ++i, rest /= n) bytes += kinds[rest % n];
    ids tokens;
    for (char c : bytes) tokens.push_back(byte_id(c));
    ASSERT_EQ(decoded(micro_qwen3(), tokens), with_replacements(bytes)) << code;
  }
}

TEST(Stream, what_is_cut_at_the_end_becomes_one_replacement) {
  stream_decoder decoder(micro_qwen3());
  for (char c : {'\xF0', '\x9F', '\x98'}) EXPECT_EQ(decoder.push(byte_id(c)), "");
  EXPECT_EQ(decoder.finish(), "\xEF\xBF\xBD");
  EXPECT_EQ(decoder.finish(), "");
}

TEST(Stream, special_tokens_and_unknown_ids_give_nothing) {
  stream_decoder decoder(micro_qwen3());
  EXPECT_EQ(decoder.push(byte_id('\xC3')), "");
  EXPECT_EQ(decoder.push(2045), "");
  EXPECT_EQ(decoder.push(-5), "");
  EXPECT_EQ(decoder.push(1 << 30), "");
  EXPECT_EQ(decoder.push(byte_id('\xA9')), "\xC3\xA9");
}

/// Adds up what is written.
class summing_writer final : public telemetry::counter_writer {
 public:
  void add(counter_id id, std::int64_t amount) noexcept override {
    sums[id] += amount;
    ++writes[id];
  }
  void set(counter_id, std::int64_t) noexcept override {}
  void set_real(counter_id, double) noexcept override {}
  void raise(counter_id, std::int64_t) noexcept override {}
  void mark_not_applicable(counter_id, std::string_view) noexcept override {}
  void begin_request() noexcept override {}
  std::map<counter_id, std::int64_t> sums;
  std::map<counter_id, int> writes;
};

TEST(Counters, encode_counts_the_bytes_given_and_the_ids_returned) {
  summing_writer writer;
  const auto subject = tokenizer::load(embedded / "tokenizer.json", writer);
  ASSERT_TRUE(subject);
  EXPECT_TRUE(writer.sums.empty());
  const std::string text = "cafe\xCC\x81 \xFF<|im_end|>";  // both normalised and repaired
  const std::size_t count = subject->encode(text).size();
  EXPECT_EQ(writer.sums[counter_id::tokenizer_encoded_bytes],
            static_cast<std::int64_t>(text.size()));
  EXPECT_EQ(writer.sums[counter_id::tokenizer_encoded_tokens], static_cast<std::int64_t>(count));
  EXPECT_GT(writer.sums[counter_id::tokenizer_encode_ns], 0);
  subject->encode("");
  EXPECT_EQ(writer.writes[counter_id::tokenizer_encoded_bytes], 2);
  EXPECT_EQ(writer.sums[counter_id::tokenizer_encoded_tokens], static_cast<std::int64_t>(count));
}

TEST(Counters, the_decoder_counts_the_ids_given_and_the_bytes_given_out) {
  summing_writer writer;
  const auto subject = tokenizer::load(embedded / "tokenizer.json", writer);
  ASSERT_TRUE(subject);
  stream_decoder decoder(*subject);
  std::size_t bytes = 0;
  for (std::int32_t id : {byte_id('a'), byte_id('\xC3'), byte_id('\xA9'), 2045, byte_id('\xE2')})
    bytes += decoder.push(id).size();
  EXPECT_EQ(writer.sums[counter_id::tokenizer_decoded_bytes], 3);
  bytes += decoder.finish().size();
  EXPECT_EQ(writer.sums[counter_id::tokenizer_decoded_tokens], 5);
  EXPECT_EQ(writer.sums[counter_id::tokenizer_decoded_bytes], static_cast<std::int64_t>(bytes));
  EXPECT_EQ(bytes, 6u);
}

}  // namespace
}  // namespace assay::tokenizer::test
