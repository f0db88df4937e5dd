// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a text could become other ids than those the checkpoint was trained on, while every
// round trip still passes: the model would read a foreign language and nothing would say so.
#include "tests/tokenizer/embedded.h"

#include "runtime/tokenizer/utf8.h"

#include <cstring>

namespace assay::tokenizer::test {
namespace {

using ids = std::vector<std::int32_t>;

/// reference.json and the id tensors of reference.safetensors.
class Reference : public testing::Test {
 protected:
  ids tensor(const std::string& name) const {
    std::uint64_t header_bytes = 0;
    std::memcpy(&header_bytes, file.data(), 8);
    const auto header = nlohmann::json::parse(file.substr(8, header_bytes));
    const auto span = header.at(name).at("data_offsets").get<std::vector<std::size_t>>();
    ids out((span[1] - span[0]) / sizeof(std::int32_t));
    std::memcpy(out.data(), file.data() + 8 + header_bytes + span[0], span[1] - span[0]);
    return out;
  }

  const nlohmann::json reference = nlohmann::json::parse(text_of(embedded / "reference.json"));
  const nlohmann::json& cases = reference.at("tokenizer_cases");
  const nlohmann::json& prompts = reference.at("prompts");
  const std::string file = text_of(embedded / "reference.safetensors");
};

TEST_F(Reference, all_thirty_cases_have_their_ids) {
  ASSERT_EQ(cases.size(), 30u);
  for (const nlohmann::json& one : cases) {
    const std::string text = one.at("text");
    EXPECT_EQ(micro_qwen3().encode(text), one.at("ids").get<ids>()) << text;
  }
}

TEST_F(Reference, all_thirty_cases_decode_to_their_text) {
  ASSERT_EQ(cases.size(), 30u);
  for (const nlohmann::json& one : cases) {
    std::string bytes;  // the reference decoded with its special tokens written out
    for (std::int32_t id : one.at("ids").get<ids>()) bytes += micro_qwen3().bytes_of(id);
    EXPECT_EQ(with_replacements(bytes), one.at("decoded").get<std::string>());
  }
}

TEST_F(Reference, the_prompts_have_their_ids) {
  ASSERT_EQ(prompts.size(), 8u);
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    const std::string text = prompts[i].at("text");
    EXPECT_EQ(micro_qwen3().encode(text), tensor("prompt" + std::to_string(i) + ".ids")) << text;
  }
}

TEST_F(Reference, the_continuations_stream_to_their_text) {
  for (std::size_t i = 0; i < prompts.size(); ++i)
    EXPECT_EQ(decoded(micro_qwen3(), tensor("prompt" + std::to_string(i) + ".greedy_fp32")),
              prompts[i].at("greedy_fp32_text").get<std::string>());
}

TEST_F(Reference, the_held_out_text_has_its_4096_ids) {
  const std::string text = reference.at("nll").at("text");
  EXPECT_EQ(micro_qwen3().encode(text), tensor("nll.ids"));
}

TEST_F(Reference, the_vocabulary_reaches_to_the_last_added_token) {
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
