// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a text could become other ids than those the checkpoint was trained on, while every
// round trip still passes: the model would read a foreign language and nothing would say so.
#include "tests/tokenizer/embedded.h"

namespace assay::tokenizer::test {
namespace {

using ids = std::vector<std::int32_t>;

nlohmann::json reference() {
  return nlohmann::json::parse(text_of(embedded / "reference.json"));
}

TEST(Reference, all_thirty_cases_have_their_ids) {
  const nlohmann::json cases = reference().at("tokenizer_cases");
  ASSERT_EQ(cases.size(), 30u);
  for (const nlohmann::json& one : cases) {
    const std::string text = one.at("text");
    EXPECT_EQ(micro_qwen3().encode(text), one.at("ids").get<ids>()) << text;
  }
}

TEST(Reference, all_thirty_cases_decode_to_their_text) {
  for (const nlohmann::json& one : reference().at("tokenizer_cases"))
    EXPECT_EQ(decoded(micro_qwen3(), one.at("ids").get<ids>()),
              one.at("decoded").get<std::string>());
}

TEST(Reference, the_prompts_have_as_many_ids_as_the_reference_says) {
  for (const nlohmann::json& prompt : reference().at("prompts"))
    EXPECT_EQ(micro_qwen3().encode(prompt.at("text").get<std::string>()).size(),
              prompt.at("n_ids").get<std::size_t>())
        << prompt.at("text");
}

TEST(Reference, the_vocabulary_reaches_to_the_last_added_token) {
  EXPECT_EQ(micro_qwen3().vocabulary_size(), 2048u);
  EXPECT_EQ(micro_qwen3().bytes_of(2045), "<|endoftext|>");
  EXPECT_TRUE(micro_qwen3().is_special(2045));
  EXPECT_FALSE(micro_qwen3().is_special(2044));
  EXPECT_FALSE(micro_qwen3().is_special(-1));
  EXPECT_FALSE(micro_qwen3().is_special(2048));
  EXPECT_EQ(micro_qwen3().bytes_of(-1), "");
  EXPECT_EQ(micro_qwen3().bytes_of(2048), "");
}

}  // namespace
}  // namespace assay::tokenizer::test
