// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The tokenizer of the embedded checkpoint, what its reference says, and variants of its file.
#pragma once

#include "runtime/telemetry/counter_writer.h"
#include "runtime/tokenizer/tokenizer.h"

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace assay::tokenizer::test {

inline const std::filesystem::path embedded =
    std::filesystem::path(ASSAY_SOURCE_DIR) / "scenarios/embedded/micro-qwen3";

inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  EXPECT_TRUE(in) << file;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline telemetry::null_writer& no_counters() {
  static telemetry::null_writer writer;
  return writer;
}

inline const tokenizer& micro_qwen3() {
  static const result<tokenizer> loaded =
      tokenizer::load(embedded / "tokenizer.json", no_counters());
  if (!loaded) throw std::runtime_error(loaded.error().message);
  return *loaded;
}

/// The embedded tokenizer.json after `change`.
inline std::string changed(const std::function<void(nlohmann::json&)>& change) {
  nlohmann::json root = nlohmann::json::parse(text_of(embedded / "tokenizer.json"));
  change(root);
  return root.dump();
}

inline result<tokenizer> parsed(const std::string& text) {
  return tokenizer::parse(text, "some/tokenizer.json", no_counters());
}

inline std::string decoded(const tokenizer& from, const std::vector<std::int32_t>& ids) {
  stream_decoder decoder(from);
  std::string out;
  for (std::int32_t id : ids) out += decoder.push(id);
  return out + decoder.finish();
}

}  // namespace assay::tokenizer::test
