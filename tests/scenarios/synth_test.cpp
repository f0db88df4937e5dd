// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a random checkpoint could be of another size than the model it stands for,
// differ between two machines, or replace somebody's weights.
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/telemetry/registry.h"
#include "runtime/tokenizer/tokenizer.h"
#include "scenarios/synth/checkpoint_text.h"
#include "scenarios/synth/random_weights.h"
#include "scenarios/synth/synth.h"

namespace assay::synth {
namespace {

namespace fs = std::filesystem;

class Synth : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("synth-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  result<void> write(const char* shape, std::uint64_t seed, const char* name) {
    return write_checkpoint(find_shape(shape).value(), seed, folder_ / name,
                            [](auto, auto) { return result<void>(); });
  }

  fs::path folder_;
};

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::uint64_t payload(const char* name) {
  std::uint64_t bytes = 0;
  for (const tensor& each : tensors_of(find_shape(name).value())) bytes += each.bytes();
  return bytes;
}

// The models' published counts of parameters.
TEST(SynthShape, has_as_many_parameters_as_the_model) {
  EXPECT_EQ(payload("qwen3-0.6b"), 2U * 596'049'920U);
  EXPECT_EQ(payload("llama-3.2-1b"), 2U * 1'235'814'400U);
  EXPECT_EQ(payload("llama-3-8b"), std::uint64_t{2} * 8'030'261'248U);
}

TEST(SynthShape, that_nobody_knows_is_refused_with_those_that_there_are) {
  const auto found = find_shape("gpt-5");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, error_kind::usage);
  EXPECT_NE(found.error().message.find("qwen3-0.6b"), std::string::npos);
}

TEST_F(Synth, is_a_checkpoint_that_the_runtime_reads) {
  ASSERT_TRUE(write("tiny-qwen3", 1, "a"));
  const auto opened = checkpoint::checkpoint::open(folder_ / "a");
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_TRUE(opened->unused_tensors().empty());
  EXPECT_EQ(opened->weights().tensor_bytes(), payload("tiny-qwen3"));
  EXPECT_EQ(opened->config().vocab_rows, 1024U);
  EXPECT_FALSE(fs::exists(folder_ / "a.partial"));
}

TEST_F(Synth, tokenizer_gives_each_byte_a_token_and_gets_the_text_back) {
  ASSERT_TRUE(write("tiny-qwen3", 1, "a"));
  telemetry::registry counters;
  auto tokenizer = tokenizer::tokenizer::load(folder_ / "a" / "tokenizer.json", counters);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  const std::string text = "Gr\xc3\xbc\xc3\x9f Gott,\n\t42 \xe2\x82\xac";
  const std::vector<std::int32_t> ids = tokenizer->encode(text);
  ASSERT_EQ(ids.size(), text.size());
  for (std::size_t i = 0; i < text.size(); ++i)
    EXPECT_EQ(ids[i], static_cast<unsigned char>(text[i])) << i;
}

TEST_F(Synth, same_seed_same_bytes_and_another_seed_others) {
  ASSERT_TRUE(write("tiny-qwen3", 7, "a"));
  ASSERT_TRUE(write("tiny-qwen3", 7, "b"));
  ASSERT_TRUE(write("tiny-qwen3", 8, "c"));
  for (const auto& entry : fs::directory_iterator(folder_ / "a"))
    EXPECT_EQ(bytes_of(entry), bytes_of(folder_ / "b" / entry.path().filename()));
  EXPECT_NE(bytes_of(folder_ / "a" / "model.safetensors"),
            bytes_of(folder_ / "c" / "model.safetensors"));
}

TEST_F(Synth, overwrites_nothing) {
  ASSERT_TRUE(write("tiny-qwen3", 1, "a"));
  const std::string before = bytes_of(folder_ / "a" / "model.safetensors");
  const auto again = write("tiny-qwen3", 2, "a");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, error_kind::usage);
  EXPECT_EQ(bytes_of(folder_ / "a" / "model.safetensors"), before);
  fs::create_directory(folder_ / "b.partial");
  EXPECT_FALSE(write("tiny-qwen3", 2, "b"));
}

TEST_F(Synth, that_is_stopped_leaves_nothing_behind) {
  const auto stopped = write_checkpoint(
      find_shape("tiny-qwen3").value(), 1, folder_ / "a",
      [](std::uint64_t, std::uint64_t) -> result<void> { return ASSAY_FAIL(interrupted, "stop"); });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, error_kind::interrupted);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(Synth, too_large_for_the_disk_is_refused_before_a_byte_is_written) {
  shape huge = find_shape("tiny-qwen3").value();
  huge.hidden = 1U << 31;
  huge.intermediate = 1U << 20;
  const auto refused =
      write_checkpoint(huge, 1, folder_ / "a", [](auto, auto) { return result<void>(); });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, error_kind::unavailable);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(Synth, shards_hold_each_tensor_once_and_their_index_says_where) {
  ASSERT_TRUE(write("tiny-llama", 1, "a"));
  const auto index =
      nlohmann::json::parse(bytes_of(folder_ / "a" / "model.safetensors.index.json"));
  EXPECT_EQ(index["metadata"]["total_size"], payload("tiny-llama"));
  std::map<std::string, std::uint64_t> payloads;
  for (const tensor& each : tensors_of(find_shape("tiny-llama").value())) {
    const std::string file = index["weight_map"].at(each.name);
    const std::string bytes = bytes_of(folder_ / "a" / file);
    std::uint64_t length = 0;
    ASSERT_GT(bytes.size(), sizeof length) << file;
    std::memcpy(&length, bytes.data(), sizeof length);
    EXPECT_EQ(length % 8, 0U);
    const auto header = nlohmann::json::parse(bytes.substr(8, length));
    const auto& offsets = header.at(each.name)["data_offsets"];
    EXPECT_EQ(offsets[1].get<std::uint64_t>() - offsets[0].get<std::uint64_t>(), each.bytes());
    EXPECT_EQ(offsets[0], payloads[file]) << "a hole before " << each.name;
    payloads[file] += each.bytes();
    EXPECT_GE(bytes.size(), 8 + length + payloads[file]);
  }
  EXPECT_GT(payloads.size(), 2U);
  for (const auto& [file, bytes] : payloads) EXPECT_LE(bytes, 200'000U) << file;
}

float value_of(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

TEST(SynthWeights, keep_the_size_of_what_they_multiply) {
  const tensor matrix{"m", 64, 1024, false};
  std::vector<std::uint16_t> values(matrix.elements());
  random_weights(matrix, 3).fill(0, values);
  double sum = 0.0;
  double squares = 0.0;
  for (const std::uint16_t each : values) {
    sum += static_cast<double>(value_of(each));
    squares += std::pow(static_cast<double>(value_of(each)), 2);
  }
  const auto count = static_cast<double>(values.size());
  EXPECT_NEAR(squares / count * 1024.0, 1.0, 0.02);
  EXPECT_NEAR(sum / count * 32.0, 0.0, 0.02);
}

TEST(SynthWeights, of_a_gain_lie_around_one) {
  const tensor gain{"g", 0, 4096, true};
  std::vector<std::uint16_t> values(gain.elements());
  random_weights(gain, 3).fill(0, values);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(value_of(*low), 0.5F);
  EXPECT_LE(value_of(*high), 1.5F);
  EXPECT_LT(value_of(*low), 0.51F);
  EXPECT_GT(value_of(*high), 1.49F);
}

TEST(SynthWeights, do_not_depend_on_where_a_write_begins) {
  const tensor matrix{"m", 8, 100, false};
  std::vector<std::uint16_t> whole(800);
  std::vector<std::uint16_t> parts(800);
  const random_weights weights(matrix, 3);
  weights.fill(0, whole);
  weights.fill(400, std::span(parts).subspan(400));
  weights.fill(0, std::span(parts).first(400));
  EXPECT_EQ(whole, parts);
}

}  // namespace
}  // namespace assay::synth
