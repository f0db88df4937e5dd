// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "scenarios/registry.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

namespace assay::scenarios {
namespace {

constexpr std::array<registered_scenario, 5> all{{
    {"short-prompt", "decode alone: prefill is a handful of tokens, each step reads every weight",
     8, 24, 64},
    {"long-prompt", "prefill: TTFT, KV appends page by page, attention over what was just written",
     4, 900, 16},
    {"long-generation", "a growing context: KV pages and KV reads rise from step to step", 4, 48,
     400},
    {"many-short-requests",
     "begin and end: pages are given back and taken again, per-request counters start anew", 48, 16,
     6},
    {"shared-prefix",
     "prompts that begin alike: pages of the first are shared, and copied where one is written to",
     6, 420, 12, 360},
}};

// Prose of the project's own, so that a tokenizer meets words, digits and punctuation.
constexpr std::string_view text =
    "A clock that is read too early measures the asking and not the doing. The copy of 6,951,936 "
    "bytes had been handed over, the call had come back after 38 microseconds, and whoever divided "
    "the one by the other found 180 gigabytes a second on a link of twelve. Nobody divided. A "
    "counter that cannot be wrong is not a counter but a decoration; one that nobody else has seen "
    "is a rumour. So two parties look at the same work, neither asks the other, and what they both "
    "saw is written down with the time, the place and the reason for whatever is missing. ";

constexpr std::uint32_t context_per_prompt = 2;
constexpr std::uint32_t context_per_generation = 3;

// Each request begins one word later, so that no two prompts are alike; behind what is common.
std::string prompt_of(std::uint32_t request, std::uint32_t bytes, std::uint32_t common_bytes) {
  std::size_t at = 0;
  for (std::uint32_t word = 0; word < request; ++word) at = text.find(' ', at) + 1;
  std::string prompt(text.substr(0, common_bytes));
  while (prompt.size() < bytes) {
    prompt += text.substr(at, bytes - prompt.size());
    at = 0;
  }
  return prompt;
}

}  // namespace

std::span<const registered_scenario> registry() {
  return all;
}

result<registered_scenario> find_scenario(std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const registered_scenario& s) { return s.name == name; });
  if (found != all.end()) return *found;
  std::string names;
  for (const registered_scenario& each : all)
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  return ASSAY_FAIL(usage, fmt::format("no scenario is called '{}'; there are {}", name, names));
}

result<decode_scenario> cut_to_context(const registered_scenario& wanted,
                                       std::int64_t max_context_tokens) {
  constexpr std::int64_t least_context_tokens = 16;
  if (max_context_tokens < least_context_tokens)
    return ASSAY_FAIL(unusable_input,
                      fmt::format("scenario {}: a context of {} tokens is too short for it; it "
                                  "needs {}",
                                  wanted.name, max_context_tokens, least_context_tokens));
  const auto context =
      static_cast<std::uint32_t>(std::min<std::int64_t>(max_context_tokens, std::int64_t{1} << 30));
  decode_scenario scenario;
  scenario.name = wanted.name;
  scenario.max_new_tokens = std::min(wanted.new_tokens, context / context_per_generation);
  scenario.stops_at_eos = false;
  const std::uint32_t bytes = std::min(wanted.prompt_bytes, context / context_per_prompt);
  // As much of it as of the whole where a short context cuts the prompt.
  const std::uint32_t common_bytes = static_cast<std::uint32_t>(
      std::uint64_t{wanted.common_bytes} * bytes / std::max(wanted.prompt_bytes, 1U));
  scenario.keeps_first_prompt = wanted.common_bytes > 0;
  for (std::uint32_t i = 0; i < wanted.requests_count; ++i)
    scenario.requests.push_back({prompt_of(i, bytes, common_bytes), std::nullopt});
  return scenario;
}

}  // namespace assay::scenarios
