// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/byte_checkpoint.h"

#include <filesystem>

#include <nlohmann/json.hpp>

namespace assay::cli_test {
namespace {

using nlohmann::json;

// Byte-level vocabularies write printable characters of Latin-1 as they are, and each other byte as
// the next code point from U+0100.
std::string character_of(int byte, int& next) {
  const bool is_kept = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  const int scalar = is_kept ? byte : 256 + next++;
  if (scalar < 0x80) return {static_cast<char>(scalar)};
  return {static_cast<char>(0xc0 | scalar >> 6), static_cast<char>(0x80 | (scalar & 0x3f))};
}

json vocabulary() {
  json all = json::object();
  int next = 0;
  for (int byte = 0; byte < 256; ++byte) all[character_of(byte, next)] = byte;
  return all;
}

// The embedded tokenizer's rules over bytes alone.
json byte_tokenizer() {
  json all =
      json::parse(contents_of(ASSAY_SOURCE_DIR "/scenarios/embedded/micro-qwen3/tokenizer.json"));
  all["added_tokens"] = json::array();
  all["model"]["vocab"] = vocabulary();
  all["model"]["merges"] = json::array();
  return all;
}

}  // namespace

byte_checkpoint::byte_checkpoint(const std::string& fixture) {
  const std::filesystem::path from = ASSAY_FIXTURES "/tiny/" + fixture;
  for (const auto& entry : std::filesystem::directory_iterator(from))
    std::filesystem::create_symlink(entry.path(), file(entry.path().filename().string()));
  write_file(file("tokenizer.json"), byte_tokenizer().dump());
}

}  // namespace assay::cli_test
