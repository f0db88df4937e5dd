// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a broken checkpoint could be decoded as far as it goes, or be refused by whichever
// reader happens to see it first, in words that name neither the file nor the fix.
#include <filesystem>
#include <ostream>

#include <gmock/gmock.h>

#include "tests/cli/checkpoint_copy.h"

namespace assay::cli_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* norm = "model.norm.weight";

struct defect {
  const char* name;
  void (*plant)(const checkpoint_copy&);
  const char* file;   ///< that the line names
  const char* field;  ///< that the line names
  friend std::ostream& operator<<(std::ostream& out, const defect& d) { return out << d.name; }
};

template <class Value>
void put(const checkpoint_copy& copy, const char* file, const char* pointer, Value value) {
  copy.edit_json(file, [&](json& j) { j[json::json_pointer(pointer)] = value; });
}

void weights(const checkpoint_copy& copy, void (*change)(std::string&)) {
  copy.edit_bytes("model.safetensors", change);
}

void header(const checkpoint_copy& copy, void (*change)(json&)) {
  copy.edit_header(change);
}

const defect defects[] = {
    {"header_cut", [](const auto& c) { weights(c, [](auto& b) { b.resize(1000); }); },
     "model.safetensors", "header"},
    {"weights_empty", [](const auto& c) { weights(c, [](auto& b) { b.clear(); }); },
     "model.safetensors", "header"},
    {"header_oversized",
     [](const auto& c) { weights(c, [](auto& b) { b.replace(0, 8, eight_bytes(~0ULL >> 1)); }); },
     "model.safetensors", "header"},
    {"header_no_json", [](const auto& c) { weights(c, [](auto& b) { b[8] = '!'; }); },
     "model.safetensors", "header"},
    {"payload_cut", [](const auto& c) { weights(c, [](auto& b) { b.resize(b.size() - 100); }); },
     "model.safetensors", "model."},
    {"payload_longer", [](const auto& c) { weights(c, [](auto& b) { b += "more"; }); },
     "model.safetensors", "4 bytes"},
    {"spans_overlap",
     [](const auto& c) { header(c, [](auto& h) {
                           h[norm]["data_offsets"] = {0, 512};
                         }); },
     "model.safetensors", "model."},
    {"span_outside",
     [](const auto& c) {
       header(c, [](auto& h) { h[norm]["data_offsets"] = {1'000'000'000, 1'000'000'512}; });
     },
     "model.safetensors", norm},
    {"tensor_missing",
     [](const auto& c) {
       header(c, [](auto& h) {
         h["model.other.weight"] = h[norm];
         h.erase(norm);
       });
     },
     "model.safetensors", norm},
    {"shape_wrong", [](const auto& c) { header(c, [](auto& h) {
                                          h[norm]["shape"] = {2, 128};
                                        }); },
     "model.safetensors", norm},
    {"dtype_wrong", [](const auto& c) { header(c, [](auto& h) { h[norm]["dtype"] = "I16"; }); },
     "model.safetensors", norm},
    {"weight_is_nan",
     [](const auto& c) { weights(c, [](auto& b) { b.replace(b.size() - 2, 2, "\xff\x7f"); }); },
     "model.safetensors", "model."},
    {"weights_missing", [](const auto& c) { c.remove("model.safetensors"); }, "model.safetensors",
     "is missing"},
    {"config_cut",
     [](const auto& c) { c.edit_bytes("config.json", [](auto& b) { b.resize(b.size() / 2); }); },
     "config.json", "line"},
    {"config_empty", [](const auto& c) { c.edit_bytes("config.json", [](auto& b) { b.clear(); }); },
     "config.json", "JSON"},
    {"config_missing", [](const auto& c) { c.remove("config.json"); }, "config.json", "is missing"},
    {"architecture_unknown",
     [](const auto& c) { put(c, "config.json", "/architectures/0", "MambaForCausalLM"); },
     "config.json", "architectures"},
    {"rope_unknown",
     [](const auto& c) { put(c, "config.json", "/rope_parameters/rope_type", "yarn"); },
     "config.json", "rope_type"},
    {"layers_absurd",
     [](const auto& c) { put(c, "config.json", "/num_hidden_layers", 4'000'000'000); },
     "config.json", "num_hidden_layers"},
    {"tokenizer_cut",
     [](const auto& c) { c.edit_bytes("tokenizer.json", [](auto& b) { b.resize(b.size() / 2); }); },
     "tokenizer.json", "JSON"},
    {"tokenizer_missing", [](const auto& c) { c.remove("tokenizer.json"); }, "tokenizer.json",
     "is missing"},
    {"pre_tokenizer_unknown",
     [](const auto& c) {
       put(c, "tokenizer.json", "/pre_tokenizer/pretokenizers/0/type", "Metaspace");
     },
     "tokenizer.json", "pre_tokenizer"},
    {"pattern_unknown",
     [](const auto& c) {
       put(c, "tokenizer.json", "/pre_tokenizer/pretokenizers/0/pattern/Regex", "[a-z]+");
     },
     "tokenizer.json", "pre_tokenizer"},
};

class BadCheckpoint : public testing::TestWithParam<defect> {};

void expect_refusal(const ending& end, const checkpoint_copy& copy, const defect& planted) {
  EXPECT_EQ(end.exit_code, 2) << end.err;
  EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
  EXPECT_THAT(end.err, HasSubstr(copy.file(planted.file)));
  EXPECT_THAT(end.err, HasSubstr(planted.field));
  EXPECT_THAT(end.err, HasSubstr("; ")) << "no fix behind the fault";
  EXPECT_EQ(end.out, "");
}

TEST_P(BadCheckpoint, is_refused_in_one_line_and_leaves_nothing) {
  const checkpoint_copy copy;
  GetParam().plant(copy);
  expect_refusal(run({"decode", "--checkpoint", copy.folder()}), copy, GetParam());
  const scratch out;
  expect_refusal(run({"audit", "--checkpoint", copy.folder(), "--out-json", out / "audit.json",
                      "--out-markdown", out / "audit.md", "--out-trace", out / "run.trace"}),
                 copy, GetParam());
  EXPECT_TRUE(std::filesystem::is_empty(out.path())) << "a file that holds no whole report";
}

INSTANTIATE_TEST_SUITE_P(Each, BadCheckpoint, testing::ValuesIn(defects),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(Checkpoint, unbroken_copy_decodes) {
  const checkpoint_copy copy;
  copy.edit_header([](json&) {});
  const ending end = run({"decode", "--checkpoint", copy.folder(), "--max-new-tokens", "4"});
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_NE(end.out, "");
  EXPECT_THAT(end.err, testing::Not(HasSubstr("note:")));
}

TEST(Checkpoint, whose_generation_config_asks_for_a_penalty_is_decoded_and_says_that_it_has_none) {
  const checkpoint_copy copy;
  write_file(copy.folder() + "/generation_config.json", R"({"repetition_penalty": 1.5})");
  const ending end = run({"decode", "--checkpoint", copy.folder(), "--max-new-tokens", "4"});
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(end.err, HasSubstr("note: generation_config.json sets repetition_penalty,"));
}

// A tensor that no operator reads is a feature that this runtime lacks, or rubbish: the reader of
// the text is told which.
TEST(Checkpoint, with_a_tensor_that_nothing_reads_is_decoded_and_says_so) {
  const checkpoint_copy copy;
  copy.edit_header([](json& tensors) {
    const auto end = tensors[norm]["data_offsets"][1];
    tensors["model.layers.0.gate_scale"] = {
        {"dtype", "BF16"}, {"shape", {0}}, {"data_offsets", {end, end}}};
  });
  const ending end = run({"decode", "--checkpoint", copy.folder(), "--max-new-tokens", "4"});
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(end.err, HasSubstr("1 of the checkpoint's tensors is read by nothing "
                                 "(model.layers.0.gate_scale)"));
}

}  // namespace
}  // namespace assay::cli_test
