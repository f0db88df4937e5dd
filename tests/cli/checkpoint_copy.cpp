// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/checkpoint_copy.h"

#include <cstring>
#include <filesystem>

namespace assay::cli_test {
namespace {

constexpr const char* original = ASSAY_SOURCE_DIR "/scenarios/embedded/micro-qwen3/";

}  // namespace

checkpoint_copy::checkpoint_copy() {
  for (const std::string name : {"config.json", "tokenizer.json"})
    write_file(file(name), contents_of(original + name));
  std::filesystem::create_symlink(std::string(original) + "model.safetensors",
                                  file("model.safetensors"));
}

void checkpoint_copy::edit_bytes(std::string_view name,
                                 const std::function<void(std::string&)>& change) const {
  std::string bytes = contents_of(file(name));
  change(bytes);
  remove(name);  // a link would write through to the original
  write_file(file(name), bytes);
}

void checkpoint_copy::edit_json(std::string_view name, const edit& change) const {
  edit_bytes(name, [&](std::string& text) {
    nlohmann::json document = nlohmann::json::parse(text);
    change(document);
    text = document.dump();
  });
}

void checkpoint_copy::edit_header(const edit& change) const {
  edit_bytes("model.safetensors", [&](std::string& bytes) {
    const std::uint64_t length = header_length(bytes);
    nlohmann::json header = nlohmann::json::parse(bytes.substr(8, length));
    change(header);
    const std::string text = header.dump();
    bytes = eight_bytes(text.size()) + text + bytes.substr(8 + length);
  });
}

void checkpoint_copy::remove(std::string_view name) const {
  std::filesystem::remove(file(name));
}

std::string eight_bytes(std::uint64_t value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::uint64_t header_length(std::string_view safetensors) {
  std::uint64_t length = 0;
  std::memcpy(&length, safetensors.data(), sizeof length);
  return length;
}

}  // namespace assay::cli_test
