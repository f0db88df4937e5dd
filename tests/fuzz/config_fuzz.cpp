// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as a config.json: parse_config must answer with a config within its bounds, or with one
// line.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/checkpoint/model_config.h"
#include "runtime/telemetry/check.h"
#include "tests/fuzz/check_error.h"

namespace {

void check_config(const assay::checkpoint::model_config& config) {
  ASSAY_CHECK(config.vocab_rows > 0 && config.hidden_size > 0 && config.intermediate_size > 0 &&
                  config.layer_count > 0 && config.max_context_tokens > 0,
              "a config with an empty dimension");
  ASSAY_CHECK(config.kv_head_count > 0 && config.head_count % config.kv_head_count == 0,
              "a config whose heads do not divide");
  ASSAY_CHECK(config.head_dim > 0 && config.head_dim % 2 == 0, "a config with half a rotary pair");
  ASSAY_CHECK(config.rms_norm_eps > 0 && config.rope_theta > 0, "a config with a zero constant");
  if (const auto& scaling = config.rope_scaling)
    ASSAY_CHECK(scaling->factor >= 1 && scaling->low_freq_factor > 0 &&
                    scaling->high_freq_factor > scaling->low_freq_factor &&
                    scaling->original_context_tokens > 0,
                "a config whose frequencies cannot be scaled");
  for (const std::int32_t id : config.eos_token_ids)
    ASSAY_CHECK(id >= 0 && static_cast<std::uint32_t>(id) < config.vocab_rows,
                "a config with an impossible token id");
  const std::size_t a_layer = 9U + (config.has_qkv_bias ? 3U : 0U) + (config.has_qk_norm ? 2U : 0U);
  const std::size_t tensor_count =
      2 + a_layer * std::size_t{config.layer_count} + !config.is_head_tied;
  ASSAY_CHECK(assay::checkpoint::expected_tensors(config).size() == tensor_count,
              "a config with a wrong number of tensors");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = assay::checkpoint::parse_config(text, "config.json");
  if (parsed)
    check_config(*parsed);
  else
    assay::fuzz::check_error(parsed.error(), "config.json: ");
  return 0;
}
