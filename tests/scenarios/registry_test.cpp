// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a scenario could be named twice, not fit a small checkpoint, or be another each
// time.
#include "scenarios/registry.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "scenarios/traffic.h"

namespace assay::scenarios {
namespace {

decode_scenario cut(std::string_view name, std::int64_t context_tokens) {
  return cut_to_context(find_scenario(name).value(), context_tokens).value();
}

TEST(Registry, has_the_five_that_a_decode_run_is_made_of) {
  std::set<std::string_view> names;
  for (const registered_scenario& each : registry()) names.insert(each.name);
  EXPECT_EQ(names, (std::set<std::string_view>{"short-prompt", "long-prompt", "long-generation",
                                               "many-short-requests", "shared-prefix"}));
  EXPECT_EQ(names.size(), registry().size()) << "a name stands twice";
}

TEST(Registry, an_unknown_name_is_answered_with_the_known_ones) {
  const auto found = find_scenario("long");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, error_kind::usage);
  for (const registered_scenario& each : registry())
    EXPECT_NE(found.error().message.find(each.name), std::string::npos) << each.name;
}

TEST(Registry, every_scenario_fits_every_context) {
  for (const registered_scenario& each : registry())
    for (const std::int64_t context : {16, 64, 256, 2048, 131'072}) {
      const auto made = cut_to_context(each, context).value();
      EXPECT_EQ(made.requests.size(), each.requests_count);
      EXPECT_GT(made.max_new_tokens, 1u) << each.name << " has no decode step at " << context;
      EXPECT_FALSE(made.stops_at_eos);
      for (const auto& request : made.requests) {
        EXPECT_FALSE(request.prompt.empty());
        // A token is a byte or more; a template may add one or two.
        EXPECT_LE(static_cast<std::int64_t>(request.prompt.size() + 2 + made.max_new_tokens),
                  context);
      }
    }
  EXPECT_FALSE(cut_to_context(registry()[0], 15));
}

TEST(Registry, what_is_called_long_is_long) {
  EXPECT_GE(cut("long-prompt", 2048).requests[0].prompt.size(),
            20 * cut("short-prompt", 2048).requests[0].prompt.size());
  EXPECT_GE(cut("long-generation", 2048).max_new_tokens,
            6 * cut("short-prompt", 2048).max_new_tokens);
  EXPECT_GE(cut("many-short-requests", 2048).requests.size(),
            6 * cut("short-prompt", 2048).requests.size());
}

TEST(Registry, prompts_that_share_a_prefix_differ_behind_it_alone) {
  for (const std::int64_t context : {16, 2048}) {
    const decode_scenario shared = cut("shared-prefix", context);
    EXPECT_TRUE(shared.keeps_first_prompt);
    const std::string& first = shared.requests[0].prompt;
    const std::size_t common = first.size() * 360 / 420;
    for (const auto& each : shared.requests)
      EXPECT_EQ(each.prompt.substr(0, common), first.substr(0, common));
    EXPECT_TRUE(context == 16 || shared.requests[1].prompt[common] != first[common]);
  }
  EXPECT_FALSE(cut("many-short-requests", 2048).keeps_first_prompt);
}

TEST(Registry, prompts_differ_and_are_the_same_each_time) {
  for (const registered_scenario& each : registry()) {
    std::set<std::string> prompts;
    const auto first = cut(each.name, 2048);
    const auto again = cut(each.name, 2048);
    for (std::size_t i = 0; i < first.requests.size(); ++i) {
      prompts.insert(first.requests[i].prompt);
      EXPECT_EQ(first.requests[i].prompt, again.requests[i].prompt);
    }
    EXPECT_EQ(prompts.size(), first.requests.size()) << each.name;
  }
}

// Two layers, one head of 4, by hand: nothing here is computed by the code under test.
TEST(Traffic, is_what_a_pencil_finds) {
  model_shape model;
  model.vocab_rows = 10;
  model.hidden = 4;
  model.intermediate = 8;
  model.layers = 2;
  model.heads = 1;
  model.kv_heads = 1;
  model.head_dim = 4;
  for (const char* name : {"embed_tokens", "norm"})
    model.width_bytes_of_tensor[std::string("model.") + name + ".weight"] = 2;
  for (const char* layer : {"0", "1"})
    for (const char* name :
         {"input_layernorm", "post_attention_layernorm", "self_attn.q_proj", "self_attn.k_proj",
          "self_attn.v_proj", "self_attn.o_proj", "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"})
      model.width_bytes_of_tensor[std::string("model.layers.") + layer + "." + name + ".weight"] =
          2;
  model.max_context_tokens = 64;
  model.is_head_tied = true;
  const request_shape requests[]{{3, 2}, {1, 0}};
  const auto traffic = traffic_of(model, {64, 16}, requests);
  EXPECT_EQ(traffic.passes_count, 4) << "two prefills and two steps";
  // A layer: two norms of 4, four projections of 4 x 4, three of 4 x 8. Then the last norm and the
  // head's 10 x 4 once a pass, and an embedding row of 4 for each of six tokens. Two bytes each.
  EXPECT_EQ(traffic.weight_read_bytes, 2 * (4 * (2 * (2 * 4 + 4 * 16 + 3 * 32) + 4 + 40) + 6 * 4));
  EXPECT_EQ(traffic.h2d_bytes, (3 + 2 + 1) * 4) << "an id is four bytes";
  EXPECT_EQ(traffic.d2h_bytes, 4 * 10 * 4) << "ten f32 logits a pass";
  // A row of keys and one of values, 4 f32 each, in 2 layers.
  EXPECT_EQ(traffic.kv_append_bytes, 6 * 64);
  // Query tokens see 1 + 2 + 3, then 4, then 5 rows; the other request 1.
  EXPECT_EQ(traffic.kv_read_bytes, (6 + 4 + 5 + 1) * 64);
}

TEST(Traffic, of_nothing_is_nothing) {
  const auto traffic = traffic_of({}, {64, 16}, {});
  EXPECT_EQ(traffic.passes_count + traffic.weight_read_bytes + traffic.h2d_bytes, 0);
}

}  // namespace
}  // namespace assay::scenarios
