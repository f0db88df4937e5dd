// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this the tokenizer would be right only where thirty cases look: scripts, marks, white
// space, digits, contractions and added tokens beyond them could differ from the reference unseen.
#include "tests/tokenizer/embedded.h"

namespace assay::tokenizer::test {
namespace {

using ids = std::vector<std::int32_t>;

class Vectors : public testing::Test {
 protected:
  /// The tokenizer of a variant: the embedded one with a merge patch (RFC 7386) applied.
  static tokenizer variant_tokenizer(const nlohmann::json& variant) {
    auto loaded = parsed(changed([&](nlohmann::json& j) { j.merge_patch(variant.at("patch")); }));
    if (!loaded) throw std::runtime_error(loaded.error().message);
    return std::move(*loaded);
  }

  const nlohmann::json file = nlohmann::json::parse(
      text_of(std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/tokenizer/data/vectors.json"));
  const nlohmann::json& variants = file.at("variants");
};

TEST_F(Vectors, every_text_has_the_ids_of_the_reference) {
  std::size_t compared = 0;
  for (const nlohmann::json& variant : variants) {
    const tokenizer subject = variant_tokenizer(variant);
    for (const nlohmann::json& one : variant.at("encoded")) {
      EXPECT_EQ(subject.encode(one[0].get<std::string>()), one[1].get<ids>())
          << variant.at("name") << ": " << one[0].dump(-1, ' ', true);
      ++compared;
    }
  }
  EXPECT_GE(compared, 3900u);
}

TEST_F(Vectors, every_id_sequence_decodes_to_the_text_of_the_reference) {
  std::size_t compared = 0;
  for (const nlohmann::json& variant : variants) {
    const tokenizer subject = variant_tokenizer(variant);
    for (const nlohmann::json& one : variant.at("decoded")) {
      EXPECT_EQ(decoded(subject, one[0].get<ids>()), one[1].get<std::string>()) << one[0];
      ++compared;
    }
  }
  EXPECT_GE(compared, 640u);
}

}  // namespace
}  // namespace assay::tokenizer::test
