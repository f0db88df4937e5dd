// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file the vocabulary's bytes could be wrong where text is not plain ASCII, and an
// honest tokenizer would be accused by its judge.
#include "scenarios/vocabulary_ledger.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "scenarios/embedded.h"

namespace assay::scenarios {
namespace {

nlohmann::json reference_cases() {
  std::ifstream in(embedded_checkpoint() / "reference.json");
  return nlohmann::json::parse(in).at("tokenizer_cases");
}

vocabulary_ledger embedded() {
  return vocabulary_ledger::read(embedded_checkpoint() / "tokenizer.json").value();
}

// Another implementation made the ids and decoded them, special tokens written out.
TEST(VocabularyLedger, gives_the_bytes_of_every_recorded_case) {
  const vocabulary_ledger ledger = embedded();
  int cases = 0;
  for (const auto& one : reference_cases()) {
    const auto ids = one.at("ids").get<std::vector<std::int32_t>>();
    const auto decoded = one.at("decoded").get<std::string>();
    EXPECT_EQ(ledger.written_bytes(ids), static_cast<std::int64_t>(decoded.size())) << decoded;
    const bool has_special = decoded.find("<|endoftext|>") != std::string::npos ||
                             decoded.find("<|im_") != std::string::npos;
    EXPECT_EQ(ledger.text_bytes(ids) == ledger.written_bytes(ids), !has_special) << decoded;
    ++cases;
  }
  EXPECT_EQ(cases, 30);
}

TEST(VocabularyLedger, gives_no_text_for_special_tokens_and_unknown_ids) {
  const vocabulary_ledger ledger = embedded();
  const std::vector<std::int32_t> specials{2045, 2046, 2047};
  EXPECT_EQ(ledger.text_bytes(specials), 0);
  EXPECT_EQ(ledger.written_bytes(specials), 13 + 12 + 10);
  const std::vector<std::int32_t> unknown{-1, 2048};
  EXPECT_EQ(ledger.text_bytes(unknown), 0);
}

// Where a text is surely normal, its own length is what its ids stand for.
TEST(VocabularyLedger, knows_the_texts_that_normalisation_leaves_alone) {
  int normal = 0;
  for (const auto& one : reference_cases()) {
    const auto text = one.at("text").get<std::string>();
    if (!is_surely_normal(text)) continue;
    ++normal;
    EXPECT_EQ(text, one.at("decoded").get<std::string>());
  }
  EXPECT_EQ(normal, 19);
  EXPECT_TRUE(is_surely_normal("na\xc3\xafve \xcb\xbf"));  // U+00EF, U+02FF
  EXPECT_FALSE(is_surely_normal("e\xcc\x81"));             // e, U+0301
}

TEST(VocabularyLedger, says_what_it_cannot_read) {
  const auto missing = vocabulary_ledger::read("/nowhere/tokenizer.json");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, error_kind::unusable_input);
  EXPECT_NE(missing.error().message.find("/nowhere/tokenizer.json"), std::string::npos);
}

}  // namespace
}  // namespace assay::scenarios
