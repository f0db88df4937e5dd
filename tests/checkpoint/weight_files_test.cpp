// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a checkpoint in several files could lose one, take a tensor from the wrong one,
// or count bytes that it has not read.
#include "runtime/checkpoint/weight_files.h"

#include <cstring>
#include <functional>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/checkpoint/weight_index.h"
#include "tests/checkpoint/trap_files.h"

namespace assay::checkpoint {
namespace {

using nlohmann::json;
using test::expect_complaint;
using test::read_file;
using test::safetensors_bytes;
using test::small_config;
using test::small_tensors;
using test::stored_tensor;
using test::temporary_folder;
using test::write_file;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* index_name = "model.safetensors.index.json";
constexpr const char* first = "model-00001-of-00002.safetensors";
constexpr const char* second = "model-00002-of-00002.safetensors";
constexpr const char* norm = "model.norm.weight";  // the last of the second

// The small checkpoint, 7 tensors in one file and 6 in another.
struct split_checkpoint {
  std::map<std::string, std::vector<stored_tensor>> files;
  json index;
};

split_checkpoint small_split() {
  const std::vector<stored_tensor> all = small_tensors();
  split_checkpoint split;
  split.files[first] = {all.begin(), all.begin() + 7};
  split.files[second] = {all.begin() + 7, all.end()};
  std::uint64_t total = 0;
  for (const auto& [file, tensors] : split.files)
    for (const stored_tensor& tensor : tensors) {
      split.index["weight_map"][tensor.name] = file;
      total += tensor.bytes.size();
    }
  split.index["metadata"] = {{"total_size", total}, {"total_parameters", total / 4}};
  return split;
}

class WeightFiles : public ::testing::Test {
 protected:
  void write(const split_checkpoint& split) const {
    write_file(folder_.path() / "config.json", small_config().dump());
    for (const auto& [file, tensors] : split.files)
      write_file(folder_.path() / file, safetensors_bytes(tensors));
    write_file(folder_.path() / index_name, split.index.dump(1));
  }

  void expect_fault(const char* file, const char* field, const char* fault) const {
    const auto opened = checkpoint::open(folder_.path());
    ASSERT_FALSE(opened);
    expect_complaint(opened.error(), error_kind::unusable_input, (folder_.path() / file).string(),
                     field, fault);
  }

  // A split checkpoint that is whole but for what `breaks` does to it.
  void expect_fault_of(const std::function<void(split_checkpoint&)>& breaks, const char* file,
                       const char* field, const char* fault) const {
    split_checkpoint split = small_split();
    breaks(split);
    write(split);
    expect_fault(file, field, fault);
  }

  temporary_folder folder_;
};

TEST_F(WeightFiles, are_one_checkpoint) {
  const split_checkpoint split = small_split();
  write(split);
  const auto opened = checkpoint::open(folder_.path());
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_THAT(opened->unused_tensors(), IsEmpty());
  EXPECT_EQ(opened->weights().tensors().size(), 13U);
  std::uint64_t file_bytes = 0;
  std::uint64_t tensor_bytes = 0;
  for (const auto& [file, tensors] : split.files) {
    file_bytes += read_file(folder_.path() / file).size();
    for (const stored_tensor& tensor : tensors) {
      tensor_bytes += tensor.bytes.size();
      const tensor_view* const view = opened->weights().find(tensor.name);
      ASSERT_NE(view, nullptr) << tensor.name;
      EXPECT_EQ(view->bytes.size(), tensor.bytes.size());
      EXPECT_EQ(std::memcmp(view->bytes.data(), tensor.bytes.data(), tensor.bytes.size()), 0);
      EXPECT_EQ(opened->weights().file_of(view), folder_.path() / file);
    }
  }
  EXPECT_EQ(opened->weights().file_bytes(), file_bytes);
  EXPECT_EQ(opened->weights().tensor_bytes(), tensor_bytes);
}

// As transformers splits one: sizes by the folder's own listing and by the index.
TEST(RealWeightFiles, have_the_sizes_of_their_files_and_the_types_of_their_headers) {
  const std::filesystem::path folder = ASSAY_FIXTURES "/tiny/llama-bf16-sharded";
  const auto opened = checkpoint::open(folder);
  ASSERT_TRUE(opened) << opened.error().message;
  std::uint64_t file_bytes = 0;
  for (int i = 1; i <= 4; ++i)
    file_bytes += std::filesystem::file_size(
        folder / ("model-0000" + std::to_string(i) + "-of-00004.safetensors"));
  EXPECT_EQ(opened->weights().file_bytes(), file_bytes);
  const json index = json::parse(read_file(folder / index_name));
  EXPECT_EQ(opened->weights().tensor_bytes(), index["metadata"]["total_size"]);
  EXPECT_EQ(opened->weights().tensors().size(), index["weight_map"].size());
  EXPECT_THAT(opened->unused_tensors(), IsEmpty());
  for (const tensor_view& tensor : opened->weights().tensors()) {
    EXPECT_EQ(tensor.type, dtype::bf16);
    EXPECT_EQ(opened->weights().file_of(&tensor), folder / index["weight_map"][tensor.name]);
  }
}

TEST_F(WeightFiles, may_be_without_a_word_on_their_size) {
  split_checkpoint split = small_split();
  split.index.erase("metadata");
  write(split);
  EXPECT_TRUE(checkpoint::open(folder_.path()));
}

TEST_F(WeightFiles, count_a_tensor_without_use_once) {
  split_checkpoint split = small_split();
  split.files[first].push_back({"model.rotary.inv_freq", "F32", {1}, "1234"});
  split.index["weight_map"]["model.rotary.inv_freq"] = first;
  split.index["metadata"]["total_size"] = split.index["metadata"]["total_size"].get<int>() + 4;
  write(split);
  const auto opened = checkpoint::open(folder_.path());
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_THAT(opened->unused_tensors(), ElementsAre("model.rotary.inv_freq"));
}

// As transformers does: what is whole needs no index.
TEST_F(WeightFiles, are_not_looked_at_beside_a_whole_file) {
  write(small_split());
  test::write_checkpoint(folder_.path(), small_config(), small_tensors());
  std::filesystem::remove(folder_.path() / first);
  const auto opened = checkpoint::open(folder_.path());
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->weights().file_bytes(), read_file(folder_.path() / "model.safetensors").size());
}

TEST_F(WeightFiles, that_miss_one_are_refused_by_its_name) {
  for (const char* file : {first, second}) {
    write(small_split());
    std::filesystem::remove(folder_.path() / file);
    expect_fault(file, "", "is missing, but model.safetensors.index.json names it");
  }
}

TEST_F(WeightFiles, that_change_places_are_refused) {
  expect_fault_of([](auto& split) { std::swap(split.files[first], split.files[second]); }, first,
                  "model.layers.0.mlp.down_proj.weight",
                  "which the index places in model-00002-of-00002.safetensors");
}

TEST_F(WeightFiles, with_a_tensor_that_the_index_lacks_are_refused) {
  expect_fault_of([](auto& split) { split.index["weight_map"].erase(norm); }, second, norm,
                  "which the index does not name");
}

TEST_F(WeightFiles, that_hold_a_tensor_twice_are_refused) {
  expect_fault_of([](auto& split) { split.files[first].push_back(split.files[second].back()); },
                  first, norm, "which the index places in model-00002-of-00002.safetensors");
}

TEST_F(WeightFiles, without_a_tensor_of_the_index_are_refused) {
  expect_fault_of([](auto& split) { split.files[second].pop_back(); }, index_name,
                  "weight_map.model.norm.weight",
                  "is model-00002-of-00002.safetensors, which has no such tensor");
}

TEST_F(WeightFiles, with_another_sum_of_bytes_are_refused) {
  expect_fault_of([](auto& split) { split.index["metadata"]["total_size"] = 1; }, index_name,
                  "metadata.total_size", "is 1, but the tensors of the files have");
}

TEST_F(WeightFiles, that_are_cut_are_refused_by_their_own_name) {
  write(small_split());
  std::string bytes = read_file(folder_.path() / second);
  bytes.resize(bytes.size() - 1);
  write_file(folder_.path() / second, bytes);
  expect_fault(second, norm, "the file is cut or its header wrong");
}

TEST_F(WeightFiles, with_a_transposed_weight_are_refused_by_the_file_that_has_it) {
  expect_fault_of(
      [](auto& split) {
        test::tensor_named(split.files[second], "model.layers.0.mlp.down_proj.weight").shape = {10,
                                                                                                4};
      },
      second, "model.layers.0.mlp.down_proj.weight", "has shape [10, 4]");
}

TEST_F(WeightFiles, without_a_weight_are_refused_by_the_index) {
  expect_fault_of(
      [](auto& split) {
        split.index["metadata"]["total_size"] =
            split.index["metadata"]["total_size"].template get<std::size_t>() -
            split.files[second].back().bytes.size();
        split.files[second].pop_back();
        split.index["weight_map"].erase(norm);
      },
      index_name, norm, "is missing, but config.json asks for it");
}

// Texts of an index, and what the error must say.
struct index_trap {
  const char* name;
  const char* text;
  const char* field;
  const char* fault;
};

void PrintTo(const index_trap& t, std::ostream* stream) {
  *stream << t.name;
}

class IndexTrap : public ::testing::TestWithParam<index_trap> {};

TEST_P(IndexTrap, is_refused_in_one_line) {
  const auto parsed = parse_index(GetParam().text, "some/index.json");
  ASSERT_FALSE(parsed);
  expect_complaint(parsed.error(), error_kind::unusable_input, "some/index.json", GetParam().field,
                   GetParam().fault);
}

constexpr index_trap index_traps[] = {
    {"no_json", "{\"weight_map\": ", "line 1", "not valid JSON"},
    {"a_list", "[]", "", "holds no JSON object"},
    {"a_tensor_twice", R"({"weight_map": {"a": "x.safetensors", "a": "y.safetensors"}})", "a",
     "twice"},
    {"no_map", R"({"metadata": {"total_size": 4}})", "weight_map", "is missing"},
    {"an_empty_map", R"({"weight_map": {}})", "weight_map", "names no tensor"},
    {"a_map_as_list", R"({"weight_map": ["a"]})", "weight_map", "is [\"a\"]"},
    {"a_file_by_number", R"({"weight_map": {"a": 1}})", "weight_map.a", "is 1"},
    {"a_file_without_name", R"({"weight_map": {"a": ""}})", "weight_map.a", "not the name"},
    {"a_file_elsewhere", R"({"weight_map": {"a": "../b.safetensors"}})", "weight_map.a",
     "not the name of a file beside it"},
    {"a_file_by_path", R"({"weight_map": {"a": "/etc/passwd"}})", "weight_map.a",
     "not the name of a file beside it"},
    {"the_folder_itself", R"({"weight_map": {"a": ".."}})", "weight_map.a", "not the name"},
    {"a_name_with_a_zero", R"({"weight_map": {"a": "b\u0000c"}})", "weight_map.a", "not the name"},
    {"metadata_as_text", R"({"weight_map": {"a": "b"}, "metadata": "x"})", "metadata", "is \"x\""},
    {"a_size_in_fractions", R"({"weight_map": {"a": "b"}, "metadata": {"total_size": 4.5}})",
     "metadata.total_size", "is 4.5"},
    {"a_negative_size", R"({"weight_map": {"a": "b"}, "metadata": {"total_size": -4}})",
     "metadata.total_size", "is -4"},
    {"an_unknown_key", R"({"weight_map": {"a": "b"}, "scales": {}})", "scales", "not known"},
};
INSTANTIATE_TEST_SUITE_P(Each, IndexTrap, ::testing::ValuesIn(index_traps),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(WeightIndex, lists_each_file_once_whatever_the_order) {
  const auto index = parse_index(
      R"({"weight_map": {"c": "y", "a": "x", "b": "y", "d": "x"}, "metadata": {"by": "me"}})",
      "index.json");
  ASSERT_TRUE(index) << index.error().message;
  EXPECT_THAT(index->files(), ElementsAre("x", "y"));
  EXPECT_FALSE(index->total_bytes);
}

}  // namespace
}  // namespace assay::checkpoint
