// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a tokenizer.json that means something we do not do could be read as if it did not,
// and a damaged one could crash the program instead of naming the field.
#include "tests/tokenizer/embedded.h"

namespace assay::tokenizer::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// The one line that explains why `text` is refused.
std::string refusal(const std::string& text) {
  const result<tokenizer> outcome = parsed(text);
  if (outcome) return "it was accepted";
  EXPECT_EQ(outcome.error().kind, error_kind::unusable_input);
  EXPECT_EQ(outcome.error().message.find('\n'), std::string::npos);
  EXPECT_THAT(outcome.error().message, HasSubstr("; ")) << "it names no fix";
  EXPECT_THAT(outcome.error().message, HasSubstr("some/tokenizer.json: "));
  return outcome.error().message;
}

struct trap {
  const char* pointer;  ///< where in the file
  json value;
  const char* named;  ///< what the refusal must say
};

TEST(BadJson, each_unknown_or_contradictory_field_is_named) {
  const json token = {{"id", 2048},      {"content", "<x>"}, {"single_word", false},
                      {"lstrip", false}, {"rstrip", false},  {"normalized", false},
                      {"special", true}};
  json without_flag = token;
  without_flag.erase("rstrip");
  const trap traps[] = {
      {"/version", "2.0", "version: \"2.0\""},
      {"/surprise", 1, "top level: unknown field \"surprise\""},
      {"/truncation", {{"max_length", 4}}, "truncation"},
      {"/padding", {{"strategy", "BatchLongest"}}, "padding"},
      {"/normalizer", {{"type", "NFKC"}}, "normalizer.type: \"NFKC\""},
      {"/normalizer", {{"type", "NFC"}, {"form", 2}}, "normalizer: unknown field \"form\""},
      {"/normalizer", "NFC", "normalizer: expected an object"},
      {"/pre_tokenizer", nullptr, "pre_tokenizer: expected an object"},
      {"/pre_tokenizer/type", "Whitespace", "pre_tokenizer.type: \"Whitespace\""},
      {"/pre_tokenizer/pretokenizers/0/pattern/Regex", "\\w+", "Regex: pattern \"\\\\w+\""},
      {"/pre_tokenizer/pretokenizers/0/pattern", {{"String", " "}}, "unknown field \"String\""},
      {"/pre_tokenizer/pretokenizers/0/behavior", "Removed", "behavior: \"Removed\""},
      {"/pre_tokenizer/pretokenizers/0/invert", true, "invert"},
      {"/pre_tokenizer/pretokenizers/1/use_regex", true, "use_regex"},
      {"/pre_tokenizer/pretokenizers/1/add_prefix_space", true, "add_prefix_space"},
      {"/pre_tokenizer/pretokenizers/1/add_prefix_space", 0, "expected true or false"},
      {"/pre_tokenizer/pretokenizers/2", {{"type", "Digits"}}, "pretokenizers: only Split"},
      {"/pre_tokenizer", {{"type", "ByteLevel"}, {"use_regex", false}}, "add_prefix_space: true"},
      {"/pre_tokenizer",
       {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}},
       "use_regex: false"},
      {"/post_processor/type", "RobertaProcessing", "post_processor.type: \"RobertaProcessing\""},
      {"/post_processor/surprise", 1, "post_processor: unknown field \"surprise\""},
      {"/decoder/type", "Metaspace", "decoder.type: \"Metaspace\""},
      {"/decoder", nullptr, "decoder"},
      {"/model", nullptr, "model: expected an object"},
      {"/model/type", "Unigram", "model.type: \"Unigram\""},
      {"/model/dropout", 0.1, "model.dropout"},
      {"/model/unk_token", "<unk>", "model.unk_token"},
      {"/model/continuing_subword_prefix", "##", "model.continuing_subword_prefix"},
      {"/model/end_of_word_suffix", "</w>", "model.end_of_word_suffix"},
      {"/model/fuse_unk", true, "model.fuse_unk"},
      {"/model/byte_fallback", true, "model.byte_fallback"},
      {"/model/ignore_merges", "yes", "model.ignore_merges"},
      {"/model/cache", 1, "model: unknown field \"cache\""},
      {"/model/vocab", json::array(), "model.vocab: expected an object"},
      {"/model/vocab/the", 1, "id 1 is given twice"},
      {"/model/vocab/the", -1, "-1 is not an id"},
      {"/model/vocab/the", 1.5, "1.5 is not an id"},
      {"/model/vocab/the", 4194304, "4194304 is not an id"},
      {"/model/vocab/the", 18446744073709551615u, "18446744073709551615 is not an id"},
      {"/model/merges", nullptr, "model.merges: expected an array"},
      {"/model/merges/3", "a b c", "model.merges[3]: expected two strings"},
      {"/model/merges/3", {"a", "b", "c"}, "model.merges[3]: expected two strings"},
      {"/model/merges/3", {"a", 1}, "model.merges[3]: expected two strings"},
      {"/model/merges/3", {"a", "zqx"}, "model.merges[3]: \"zqx\" is not in model.vocab"},
      {"/model/merges/3", {"q", "q"}, "model.merges[3]: \"qq\" is not in model.vocab"},
      {"/added_tokens", {{"a", 1}}, "added_tokens: expected an array"},
      {"/added_tokens/1/id", 2045, "added_tokens[1].id"},
      {"/added_tokens/1/id", 5, "added_tokens[1].id"},
      {"/added_tokens/2/id", 2050, "added_tokens[2].id"},
      {"/added_tokens/1/content", "<|endoftext|>", "added_tokens[1].content"},
      {"/added_tokens/1/content", "", "added_tokens[1].content: empty"},
      {"/added_tokens/1/content", "th", "added_tokens[1].id"},
      {"/added_tokens/3", without_flag, "added_tokens[3].rstrip: missing"},
      {"/added_tokens/0/priority", 1, "added_tokens[0]: unknown field"},
  };
  for (const trap& one : traps)
    EXPECT_THAT(refusal(changed([&](json& j) { j[json::json_pointer(one.pointer)] = one.value; })),
                HasSubstr(one.named))
        << one.pointer;
  EXPECT_TRUE(parsed(changed([&](json& j) { j["added_tokens"].push_back(token); })));
}

/// Puts <|im_start|>, which has id 2046, before each text.
const char* const good_template = R"({
  "type": "TemplateProcessing",
  "single": [{"SpecialToken": {"id": "B", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
  "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
  "special_tokens": {"B": {"id": "B", "ids": [2046], "tokens": ["<|im_start|>"]}}})";

TEST(BadJson, each_defect_of_a_template_is_named) {
  const json special = {{"SpecialToken", {{"id", "B"}, {"type_id", 0}}}};
  const json sequence = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  json both = special;
  both.update(sequence);
  const json no_list = "$A";
  const trap traps[] = {
      {"/surprise", 1, "post_processor: unknown field \"surprise\""},
      {"/single", no_list, "post_processor.single: expected an array"},
      {"/single", json::array({special}), "post_processor.single: Sequence \"A\" is missing"},
      {"/single/1", special, "post_processor.single: Sequence \"A\" is missing"},
      {"/single/2", sequence, "post_processor.single[2]: Sequence \"A\""},
      {"/single/1/Sequence/id", "B", "post_processor.single[1]: Sequence \"B\""},
      {"/single/1", both, "post_processor.single[1]: expected SpecialToken or Sequence"},
      {"/single/1", {{"Text", "x"}}, "post_processor.single[1]: unknown field \"Text\""},
      {"/single/0/SpecialToken/id", "C", "SpecialToken.id: \"C\" is not among special_tokens"},
      {"/single/0/SpecialToken/weight", 1, "single[0].SpecialToken: unknown field \"weight\""},
      {"/pair", nullptr, "post_processor.pair: expected an array"},
      {"/pair/1", sequence, "post_processor.pair[1]: Sequence \"A\""},
      {"/special_tokens", no_list, "post_processor.special_tokens: expected an object"},
      {"/special_tokens/B/ids", 2046, "special_tokens[\"B\"].ids: expected as many"},
      {"/special_tokens/B/ids/1", 2046, "special_tokens[\"B\"].ids: expected as many"},
      {"/special_tokens/B/ids/0", 2047, "ids[0]: 2047 is not the id of \"<|im_start|>\""},
      {"/special_tokens/B/ids/0", 2048, "ids[0]: 2048 is not the id of \"<|im_start|>\""},
      {"/special_tokens/B/ids/0", -1, "ids[0]: -1 is not an id"},
      {"/special_tokens/B/tokens/0", "<|im_end|>", "ids[0]: 2046 is not the id of"},
      {"/special_tokens/B/id", "C", "special_tokens[\"B\"].ids: expected as many"},
  };
  const json whole = json::parse(good_template);
  const auto with = [](const json& processor) {
    return changed([&](json& j) { j["post_processor"] = processor; });
  };
  for (const trap& one : traps) {
    json broken = whole;
    broken[json::json_pointer(one.pointer)] = one.value;
    EXPECT_THAT(refusal(with(broken)), HasSubstr(one.named)) << one.pointer;
  }
  for (const char* member : {"single", "pair", "special_tokens"}) {
    json broken = whole;
    broken.erase(member);
    EXPECT_THAT(refusal(with(broken)),
                HasSubstr(std::string("post_processor.") + member + ": missing"));
  }
  const json twice = {{"type", "Sequence"}, {"processors", json::array({whole, whole})}};
  EXPECT_THAT(refusal(with(twice)), HasSubstr("processors[1].type: a second TemplateProcessing"));
  const json unknown = {{"type", "Sequence"},
                        {"processors", json::array({json{{"type", "Bert"}}})}};
  EXPECT_THAT(refusal(with(unknown)), HasSubstr("processors[0].type: \"Bert\" is not known"));
  const json no_sequence = {{"type", "Sequence"}, {"processors", nullptr}};
  EXPECT_THAT(refusal(with(no_sequence)),
              HasSubstr("post_processor.processors: expected an array"));
  const auto good = parsed(with(whole));
  ASSERT_TRUE(good);
  EXPECT_EQ(good->encode(""), (std::vector<std::int32_t>{2046}));
}

TEST(BadJson, each_missing_field_is_named) {
  for (const char* member : {"version", "pre_tokenizer", "decoder", "model"})
    EXPECT_THAT(refusal(changed([&](json& j) { j.erase(member); })), HasSubstr(member));
  for (const char* member : {"type", "vocab", "merges"})
    EXPECT_THAT(refusal(changed([&](json& j) { j["model"].erase(member); })),
                HasSubstr(std::string("model.") + member + ": missing"));
  EXPECT_THAT(refusal(changed([](json& j) {
                // Merges go too, so that the byte itself is what is missed.
                j["model"]["merges"] = json::array();
                j["model"]["vocab"].erase("A");
              })),
              HasSubstr("byte 0x41"));
}

TEST(BadJson, broken_text_is_refused_with_the_byte_where_it_breaks) {
  const std::string whole = text_of(embedded / "tokenizer.json");
  EXPECT_THAT(refusal(whole.substr(0, whole.size() / 2)), HasSubstr("not JSON"));
  EXPECT_THAT(refusal(""), HasSubstr("byte 1: not JSON"));
  EXPECT_THAT(refusal("[1, 2"), HasSubstr("not JSON"));
  EXPECT_THAT(refusal("\xFF"), HasSubstr("not JSON"));
  EXPECT_THAT(refusal("[]"), HasSubstr("top level: expected an object"));
  EXPECT_THAT(refusal("null"), HasSubstr("top level: expected an object"));
}

TEST(BadJson, deep_nesting_is_refused_without_going_deep) {
  EXPECT_THAT(refusal(std::string(5'000'000, '[')), HasSubstr("nested deeper"));
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += "{\"a\":";
  EXPECT_THAT(refusal(objects), HasSubstr("nested deeper"));
  EXPECT_THAT(refusal("\"" + std::string(100, '[')), HasSubstr("not JSON"));
}

TEST(BadJson, hostile_text_in_a_message_stays_one_short_ascii_line) {
  const std::string message = refusal(changed([](json& j) {
    j["normalizer"] = {{"type", "\x1b[31m\n\xE2\x80\xAE" + std::string(5000, 'x')}};
  }));
  EXPECT_LT(message.size(), 250u);
  for (char c : message) EXPECT_TRUE(c >= 0x20 && c < 0x7F);
}

TEST(BadJson, a_missing_file_is_an_io_error_that_names_it) {
  const auto outcome = tokenizer::load("/nowhere/tokenizer.json", no_counters());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, error_kind::io);
  EXPECT_THAT(outcome.error().message, HasSubstr("/nowhere/tokenizer.json"));
  const auto folder = tokenizer::load("/tmp", no_counters());
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().message, HasSubstr("/tmp: "));
}

TEST(BadJson, merges_may_be_strings_or_lists) {
  const auto with_strings = parsed(changed([](json& j) {
    for (json& merge : j["model"]["merges"])
      merge = merge[0].get<std::string>() + " " + merge[1].get<std::string>();
  }));
  ASSERT_TRUE(with_strings);
  const std::string text = "In the beginning God created the heaven and the earth.";
  EXPECT_EQ(with_strings->encode(text), micro_qwen3().encode(text));
}

}  // namespace
}  // namespace assay::tokenizer::test
