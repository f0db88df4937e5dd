// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this the three vocabularies could be read almost right: a class, a case, a digit rule or
// a template that differs from the reference shows in few texts and in no round trip.
// What the reference says is made by ci/oracle; where it is absent these tests are skipped.
#include "tests/tokenizer/embedded.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <sstream>

namespace assay::tokenizer::test {
namespace {

using ids = std::vector<std::int32_t>;

const std::filesystem::path oracle = std::filesystem::path(ASSAY_SOURCE_DIR) / "out/oracle";

std::string why_absent() {
  std::ifstream in(oracle / "absent");
  std::string reason;
  if (std::getline(in, reason)) return reason;
  return "ci/oracle has not run; it fetches the reference by npm";
}

struct record {
  char kind = 0;  ///< 'E': text encodes to ids; 'D': ids decode to text
  std::string text;
  ids tokens;
};

/// Reads what tests/tokenizer/oracle/dump.mjs wrote.
class record_reader {
 public:
  explicit record_reader(const std::filesystem::path& file) : in_(file, std::ios::binary) {}

  bool next(record& to) {
    if (!in_.get(to.kind)) return false;
    to.text.resize(size());
    in_.read(to.text.data(), static_cast<std::streamsize>(to.text.size()));
    to.tokens.resize(size());
    in_.read(reinterpret_cast<char*>(to.tokens.data()),
             static_cast<std::streamsize>(to.tokens.size() * sizeof(std::int32_t)));
    if (!in_) throw std::runtime_error("the vectors end in the middle of a record");
    return true;
  }

 private:
  std::size_t size() {
    std::uint32_t out = 0;
    in_.read(reinterpret_cast<char*>(&out), sizeof out);
    return out;
  }
  std::ifstream in_;
};

/// The text around the first id that differs, in ASCII.
std::string first_difference(const tokenizer& subject, const record& wanted, const ids& got) {
  std::size_t same = 0;
  while (same < got.size() && same < wanted.tokens.size() && got[same] == wanted.tokens[same])
    ++same;
  const auto shown = [&](const ids& of) {
    std::string out;
    for (std::size_t i = same > 4 ? same - 4 : 0; i < std::min(of.size(), same + 4); ++i)
      out += nlohmann::json(std::string(subject.bytes_of(of[i])))
                 .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) +
             " ";
    return out;
  };
  std::ostringstream out;
  out << wanted.text.size() << " bytes, id " << same << ": expected " << shown(wanted.tokens)
      << "found " << shown(got);
  return out.str();
}

class Oracle : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(vectors)) GTEST_SKIP() << why_absent();
  }
  const std::filesystem::path vectors = oracle / (std::string(GetParam()) + ".vectors");
};

TEST_P(Oracle, every_text_has_the_ids_and_all_ids_the_text_of_the_reference) {
  const auto subject = tokenizer::load(oracle / GetParam() / "tokenizer.json", no_counters());
  ASSERT_TRUE(subject) << subject.error().message;
  record_reader reader(vectors);
  std::size_t encoded = 0;
  std::size_t decodes = 0;
  std::size_t wrong = 0;
  for (record one; wrong < 10 && reader.next(one);) {
    if (one.kind == 'E') {
      ++encoded;
      const ids got = subject->encode(one.text);
      if (got == one.tokens) continue;
      ADD_FAILURE() << first_difference(*subject, one, got);
    } else {
      ++decodes;
      if (decoded(*subject, one.tokens) == one.text) continue;
      ADD_FAILURE() << one.tokens.size() << " ids decode to another text";
    }
    ++wrong;
  }
  EXPECT_GE(encoded, 20'000u);
  EXPECT_GE(decodes, 20'000u);
  RecordProperty("encoded", static_cast<int>(encoded));
  std::cout << GetParam() << ": " << encoded << " texts encoded, " << decodes
            << " sequences decoded, " << wrong << " wrong\n";
}

TEST_P(Oracle, the_vocabulary_reaches_to_the_last_added_token) {
  const auto subject = tokenizer::load(oracle / GetParam() / "tokenizer.json", no_counters());
  ASSERT_TRUE(subject) << subject.error().message;
  const std::map<std::string, std::uint32_t> sizes = {
      {"qwen3", 151'669}, {"llama3_1", 128'256}, {"gptoss", 200'019}};
  EXPECT_EQ(subject->vocabulary_size(), sizes.at(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Vocabularies, Oracle, testing::Values("qwen3", "llama3_1", "gptoss"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace assay::tokenizer::test
