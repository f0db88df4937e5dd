// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file decode steps could drift from prefill, pages could be read in the wrong order,
// or a loss could be wrong on average while single logits look right.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/engine/reference_file.h"
#include "tests/engine/running_engine.h"

namespace assay::engine_test {
namespace {

constexpr engine::request_options without_eos(std::uint32_t max_new_tokens) {
  engine::request_options options;
  options.max_new_tokens = max_new_tokens;
  options.stop_at_eos = false;
  return options;
}

class MicroGreedy : public testing::TestWithParam<int> {};

// Ids must be equal as long as margins exceed what f32 may differ by; behind a narrower margin the
// reference's own continuation is one of two.
TEST_P(MicroGreedy, ids_equal_the_reference_where_margins_are_firm) {
  constexpr float firm_margin = 1e-3F;
  const std::string prompt = "prompt" + std::to_string(GetParam());
  const reference_file reference(micro_folder / "reference.safetensors");
  running_engine engine(micro_folder);
  const auto got = engine.generate(reference.ids(prompt + ".ids"), without_eos(128));
  const auto& want = reference.ids(prompt + ".greedy_fp32");
  const auto& margins = reference.reals(prompt + ".margin_fp32");
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (got[i] == want[i]) continue;
    EXPECT_LT(margins[i], firm_margin) << "step " << i;
    return;
  }
}

INSTANTIATE_TEST_SUITE_P(Generation, MicroGreedy, testing::Range(0, 8));

class TinyGreedy : public testing::TestWithParam<std::string> {};

// No margin of these is narrower than 1e-3, so all ids must be equal.
TEST_P(TinyGreedy, ids_and_step_logits_equal_the_reference) {
  const reference_file reference(tiny(GetParam()) / "reference.safetensors");
  running_engine engine(tiny(GetParam()));
  const auto& margins = reference.reals("greedy_margins");
  ASSERT_GT(*std::min_element(margins.begin(), margins.end()), 1e-3F);
  const auto& want = reference.ids("greedy_ids");
  const std::span<const float> logits = reference.reals("greedy_step_logits");
  const std::size_t rows = engine->config().vocab_rows;
  expect(engine->begin_request(reference.ids("input_ids"), without_eos(32)));
  EXPECT_EQ(expect(engine->prefill()).token, want[0]);
  for (std::size_t i = 1; i < want.size(); ++i) {
    EXPECT_EQ(expect(engine->decode_step()).token, want[i]) << "step " << i;
    EXPECT_LE(relative_difference(engine->logits(), logits.subspan(i * rows, rows)), 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(Generation, TinyGreedy, testing::ValuesIn(all_tiny),
                         [](const auto& each) { return test_name(each.param); });

// A page of 16 tokens, one of 5 that nothing divides by, and one for all.
TEST(Generation, steps_equal_one_pass_whatever_the_page_size) {
  const reference_file reference(micro_folder / "reference.safetensors");
  for (const std::uint32_t page_tokens : {5U, 16U, 256U}) {
    running_engine engine(micro_folder, {256, page_tokens});
    const auto& prompt = reference.ids("prompt3.ids");
    std::vector<std::int32_t> fed = prompt;
    expect(engine->begin_request(prompt, without_eos(60)));
    fed.push_back(expect(engine->prefill()).token);
    for (int i = 0; i < 58; ++i) fed.push_back(expect(engine->decode_step()).token);
    expect(engine->decode_step());
    const std::vector<float> last(engine->logits().begin(), engine->logits().end());
    expect(engine->end_request());
    const auto whole = expect(engine->forward(fed));
    EXPECT_LE(relative_difference(last, std::span(whole.logits).last(last.size())), 1e-5)
        << page_tokens << " tokens a page";
  }
}

TEST(Generation, a_second_request_sees_nothing_of_the_first) {
  const reference_file reference(micro_folder / "reference.safetensors");
  running_engine engine(micro_folder);
  const auto first = engine.generate(reference.ids("prompt0.ids"), without_eos(40));
  engine.generate(reference.ids("prompt7.ids"), without_eos(40));
  EXPECT_EQ(engine.generate(reference.ids("prompt0.ids"), without_eos(40)), first);
}

double loss_of(std::span<const float> logits, std::int32_t target) {
  const double peak = *std::max_element(logits.begin(), logits.end());
  double total = 0.0;
  for (const float logit : logits) total += std::exp(logit - peak);
  return std::log(total) + peak - logits[static_cast<std::size_t>(target)];
}

TEST(Generation, held_out_loss_equals_the_reference) {
  constexpr std::size_t window = 512;
  const reference_file reference(micro_folder / "reference.safetensors");
  running_engine engine(micro_folder, {window, 16});
  const std::span<const std::int32_t> ids = reference.ids("nll.ids");
  const auto& want = reference.reals("nll.per_token_w512");
  const std::size_t rows = engine->config().vocab_rows;
  std::vector<double> got;
  for (std::size_t begin = 0; begin < ids.size(); begin += window) {
    const auto part = ids.subspan(begin, window);
    const auto pass = expect(engine->forward(part));
    for (std::size_t i = 0; i + 1 < window; ++i)
      got.push_back(loss_of(std::span(pass.logits).subspan(i * rows, rows), part[i + 1]));
  }
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], want[i], 1e-3) << "token " << i;
  const double mean =
      std::accumulate(got.begin(), got.end(), 0.0) / static_cast<double>(got.size());
  EXPECT_NEAR(mean, 2.14778, 1e-3);
}

}  // namespace
}  // namespace assay::engine_test
