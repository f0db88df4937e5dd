// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/scenario_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/telemetry/counter_writer.h"
#include "runtime/tokenizer/tokenizer.h"
#include "scenarios/registry.h"

namespace assay::cli {

namespace {

// Ids with which both begin; never the whole prompt, whose last token must run.
std::int64_t common_ids(const std::vector<std::int32_t>& kept,
                        const std::vector<std::int32_t>& prompt) {
  std::size_t common = 0;
  while (common < kept.size() && common + 1 < prompt.size() && kept[common] == prompt[common])
    ++common;
  return static_cast<std::int64_t>(common);
}

}  // namespace

std::vector<scenarios::request_shape> shapes_of(
    const scenarios::decode_scenario& scenario,
    const std::vector<std::vector<std::int32_t>>& prompts, std::int64_t max_context_tokens) {
  std::vector<scenarios::request_shape> shapes;
  for (const auto& ids : prompts) {
    const auto prompt_tokens = static_cast<std::int64_t>(ids.size());
    // Prefill gives the first token, each step one more.
    const std::int64_t wanted = std::int64_t{scenario.max_new_tokens} - 1;
    const std::int64_t room = std::max<std::int64_t>(max_context_tokens - prompt_tokens, 0);
    scenarios::request_shape shape{prompt_tokens, std::min(wanted, room)};
    shape.is_kept = scenario.keeps_first_prompt && shapes.empty();
    if (scenario.keeps_first_prompt && !shapes.empty())
      shape.reused_tokens = common_ids(prompts.front(), ids);
    shapes.push_back(shape);
  }
  return shapes;
}

result<std::vector<std::vector<std::string>>> scenario_table(
    const std::filesystem::path& checkpoint, std::int64_t page_tokens) {
  ASSAY_TRY_ASSIGN(const auto model, scenarios::read_model_shape(checkpoint));
  telemetry::null_writer nobody;
  ASSAY_TRY_ASSIGN(const auto tokenizer,
                   tokenizer::tokenizer::load(checkpoint / "tokenizer.json", nobody));
  const scenarios::cache_shape cache{model.max_context_tokens, page_tokens};
  std::vector<std::vector<std::string>> rows{{"scenario", "requests", "prompt tokens", "new tokens",
                                              "weight reads B", "KV reads B", "KV appends B",
                                              "h2d B", "d2h B", "what it shows"}};
  for (const scenarios::registered_scenario& each : scenarios::registry()) {
    ASSAY_TRY_ASSIGN(const auto scenario,
                     scenarios::cut_to_context(each, model.max_context_tokens));
    std::vector<std::vector<std::int32_t>> prompts;
    for (const auto& request : scenario.requests)
      prompts.push_back(tokenizer.encode(request.prompt));
    const auto shapes = shapes_of(scenario, prompts, model.max_context_tokens);
    std::int64_t prompt_tokens = 0;
    for (const auto& shape : shapes) prompt_tokens += shape.prompt_tokens;
    const auto traffic = scenarios::traffic_of(model, cache, shapes);
    // Each pass, prefill or decode step, gives one token.
    rows.push_back(
        {std::string(each.name), fmt::format("{}", shapes.size()), fmt::format("{}", prompt_tokens),
         fmt::format("{}", traffic.passes_count), fmt::format("{}", traffic.weight_read_bytes),
         fmt::format("{}", traffic.kv_read_bytes), fmt::format("{}", traffic.kv_append_bytes),
         fmt::format("{}", traffic.h2d_bytes), fmt::format("{}", traffic.d2h_bytes),
         std::string(each.shows)});
  }
  return rows;
}

}  // namespace assay::cli
