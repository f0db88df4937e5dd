// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file the vocabulary's bytes could be wrong where text is not plain ASCII, and an
// honest tokenizer would be accused by its judge.
#include "scenarios/vocabulary_ledger.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "scenarios/embedded.h"

namespace assay::scenarios {
namespace {

nlohmann::json reference_cases() {
  std::ifstream in(embedded_checkpoint() / "reference.json");
  return nlohmann::json::parse(in).at("tokenizer_cases");
}

const vocabulary_ledger& embedded() {
  static const auto read = vocabulary_ledger::read(embedded_checkpoint() / "tokenizer.json");
  return read.value();
}

// Another implementation made the ids and decoded them, special tokens written out.
TEST(VocabularyLedger, gives_the_bytes_of_every_recorded_case) {
  const vocabulary_ledger& ledger = embedded();
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
  const vocabulary_ledger& ledger = embedded();
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

/// The embedded vocabulary with another post-processor.
result<vocabulary_ledger> with_post_processor(const nlohmann::json& processor) {
  std::ifstream in(embedded_checkpoint() / "tokenizer.json");
  nlohmann::json whole = nlohmann::json::parse(in);
  whole["post_processor"] = processor;
  const auto file = std::filesystem::path(testing::TempDir()) / "assay_ledger_tokenizer.json";
  std::ofstream(file) << whole;
  return vocabulary_ledger::read(file);
}

TEST(VocabularyLedger, what_the_template_adds_is_no_part_of_the_text) {
  const nlohmann::json around = nlohmann::json::parse(R"({
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<|im_start|>", "type_id": 0}},
               {"Sequence": {"id": "A", "type_id": 0}},
               {"SpecialToken": {"id": "<|im_end|>", "type_id": 0}}],
    "special_tokens": {"<|im_start|>": {"ids": [2046]}, "<|im_end|>": {"ids": [2047]}}})");
  const std::int64_t a = 0x41 - 0x21;  // ids of single bytes follow their order
  const std::vector<std::int32_t> ids{2046, static_cast<std::int32_t>(a), 2046, 2047};
  ASSERT_EQ(embedded().written_bytes(std::vector<std::int32_t>{ids[1]}), 1);
  EXPECT_EQ(embedded().written_bytes(ids), 12 + 1 + 12 + 10);
  nlohmann::json sequence = {{"type", "Sequence"}};
  sequence["processors"] = {{{"type", "ByteLevel"}}, around};
  for (const nlohmann::json& processor : {around, sequence}) {
    const auto ledger = with_post_processor(processor);
    ASSERT_TRUE(ledger) << ledger.error().message;
    EXPECT_EQ(ledger->written_bytes(ids), 1 + 12);  // a start token in the text itself counts
    EXPECT_EQ(ledger->text_bytes(ids), 1);
  }
  EXPECT_EQ(with_post_processor(nullptr)->written_bytes(ids), 12 + 1 + 12 + 10);
  nlohmann::json foreign = around;
  foreign["special_tokens"]["<|im_end|>"]["ids"] = {9999};
  EXPECT_FALSE(with_post_processor(foreign));
}

TEST(VocabularyLedger, says_what_it_cannot_read) {
  const auto missing = vocabulary_ledger::read("/nowhere/tokenizer.json");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, error_kind::unusable_input);
  EXPECT_NE(missing.error().message.find("/nowhere/tokenizer.json"), std::string::npos);
}

}  // namespace
}  // namespace assay::scenarios
