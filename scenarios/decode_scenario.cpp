// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "scenarios/decode_scenario.h"

#include <fstream>
#include <utility>

#include <nlohmann/json.hpp>

namespace assay::scenarios {
namespace {

constexpr std::uint32_t embedded_new_tokens = 64;

}  // namespace

result<decode_scenario> embedded_scenario(const std::filesystem::path& checkpoint) {
  const auto file = checkpoint / "reference.json";
  std::ifstream in(file);
  if (!in)
    return ASSAY_FAIL(io, file.string() +
                              ": cannot be read; the embedded scenario takes its "
                              "prompts from it, so restore the file from the project");
  const auto json = nlohmann::json::parse(in, nullptr, false);
  if (!json.is_object() || !json.contains("prompts") || !json["prompts"].is_array())
    return ASSAY_FAIL(unusable_input, file.string() + ": prompts: not a list; restore the file");
  decode_scenario scenario{"embedded", {}, embedded_new_tokens, true};
  for (const auto& prompt : json["prompts"]) {
    const auto text = prompt.find("text");
    const auto ids = prompt.find("n_ids");
    if (text == prompt.end() || !text->is_string() || ids == prompt.end() ||
        !ids->is_number_integer())
      return ASSAY_FAIL(
          unusable_input,
          file.string() + ": prompts: an entry lacks text or n_ids; restore the file");
    scenario.requests.push_back({text->get<std::string>(), ids->get<std::int64_t>()});
  }
  return scenario;
}

decode_scenario single_prompt(std::string prompt, std::uint32_t max_new_tokens) {
  return {"prompt", {{std::move(prompt), std::nullopt}}, max_new_tokens, true};
}

}  // namespace assay::scenarios
