// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file the engine could compute something else than the model, and every counter would
// still agree: the audit judges counts and times, not meaning.
#include <string>

#include <gtest/gtest.h>

#include "tests/engine/reference_file.h"
#include "tests/engine/running_engine.h"

namespace assay::engine_test {
namespace {

// Of max |logit|. The norm's eps moves logits by 4e-4 and must be seen; CPU and GPU f32 differ by
// 4e-6 of it.
constexpr double tolerance = 1e-4;

std::span<const float> last_rows(std::span<const float> all, std::size_t count) {
  return all.subspan(all.size() - count);
}

void expect_hidden(const engine::forward_capture& got, const reference_file& reference,
                   const std::string& prefix) {
  for (std::size_t i = 0; i < got.hidden.size(); ++i) {
    const std::string name =
        prefix + (i == 0 ? std::string("embed") : "layer" + std::to_string(i - 1));
    const auto& want = reference.reals(name);
    EXPECT_LE(relative_difference(last_rows(got.hidden[i], want.size()), want), 1e-5) << name;
  }
  const auto& want = reference.reals(prefix + "final_norm");
  EXPECT_LE(relative_difference(last_rows(got.final_norm, want.size()), want), 1e-5) << prefix;
}

class MicroPrompt : public testing::TestWithParam<std::string> {};

TEST_P(MicroPrompt, logits_and_hidden_states_equal_the_reference) {
  const reference_file reference(micro_folder / "reference.safetensors");
  running_engine engine(micro_folder);
  const auto got = expect(engine->forward(reference.ids(GetParam() + ".ids")));
  const auto& want = reference.reals(GetParam() + ".last16");
  const double difference = relative_difference(last_rows(got.logits, want.size()), want);
  RecordProperty("relative_difference", std::to_string(difference));
  EXPECT_LE(difference, tolerance);
  expect_hidden(got, reference, GetParam() + ".hidden.");
}

INSTANTIATE_TEST_SUITE_P(Reference, MicroPrompt,
                         testing::Values("logits40", "logits200", "logits600"));

class TinyModel : public testing::TestWithParam<std::string> {};

TEST_P(TinyModel, logits_and_hidden_states_equal_the_reference) {
  const reference_file reference(tiny(GetParam()) / "reference.safetensors");
  running_engine engine(tiny(GetParam()));
  const auto got = expect(engine->forward(reference.ids("input_ids")));
  const auto& want = reference.reals("logits_last32");
  const double difference = relative_difference(last_rows(got.logits, want.size()), want);
  RecordProperty("relative_difference", std::to_string(difference));
  EXPECT_LE(difference, tolerance);
  expect_hidden(got, reference, "hidden.");
}

INSTANTIATE_TEST_SUITE_P(Reference, TinyModel, testing::ValuesIn(all_tiny),
                         [](const auto& each) { return test_name(each.param); });

}  // namespace
}  // namespace assay::engine_test
