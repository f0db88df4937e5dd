// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file the ledger could know the books of the embedded checkpoint alone: a bias, a
// second file or another width would then accuse honest counters of every other model.
#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/cli/byte_checkpoint.h"

namespace assay::cli_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class FamilyAudit : public testing::TestWithParam<const char*> {};

// What is counted in bytes and pieces has to agree on any machine, however busy.
constexpr const char* exact_counters[] = {
    "runtime.checkpoint.file_bytes",
    "runtime.checkpoint.tensor_bytes",
    "runtime.checkpoint.loaded_tensors_count",
    "runtime.checkpoint.unused_tensors_count",
    "runtime.weights.h2d_bytes",
    "runtime.weights.h2d_copies_count",
    "runtime.arena.peak_bytes",
    "runtime.compute.launches_count",
    "runtime.compute.weight_bytes",
    "runtime.kv.append_bytes",
    "runtime.kv.read_bytes",
    "runtime.logits.d2h_bytes",
    "runtime.tokenizer.decoded_bytes",
};

json counter_of(const json& document, std::string_view name) {
  for (const json& counter : document["counters"])
    if (counter["name"] == name) return counter;
  ADD_FAILURE() << name << " is not reported";
  return json::object();
}

struct audited {
  ending end;
  json document;
};

audited audit(const byte_checkpoint& checkpoint) {
  const scratch out;
  ending end = run({"audit", "--checkpoint", checkpoint.folder(), "--prompt",
                    "In the beginning God created the heaven and the earth.", "--max-new-tokens",
                    "64", "--out-json", out / "audit.json"});
  return {std::move(end), json::parse(contents_of(out / "audit.json"))};
}

// Amounts agree in every run. A step of these models takes less than a slice of the scheduler:
// times get three runs, and a machine that is busy in all of them may leave gaps (4), but no
// finding.
TEST_P(FamilyAudit, finds_nothing_and_agrees_to_the_byte) {
  const byte_checkpoint checkpoint(GetParam());
  audited last;
  for (int attempt = 0; attempt < 3; ++attempt) {
    last = audit(checkpoint);
    for (const char* name : exact_counters)
      EXPECT_EQ(counter_of(last.document, name)["verdict"], "agree") << name;
    if (last.document["findings"].empty()) break;
  }
  EXPECT_THAT(last.end.exit_code, testing::AnyOf(0, 4)) << last.end.out << last.end.err;
  EXPECT_EQ(last.document["findings"], json::array());
}

INSTANTIATE_TEST_SUITE_P(Each, FamilyAudit,
                         testing::Values("llama", "llama3", "llama-bf16-sharded", "qwen2",
                                         "qwen2-f16", "qwen3"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(SplitCheckpoint, without_one_of_its_files_is_refused_in_one_line) {
  const byte_checkpoint checkpoint("llama-bf16-sharded");
  const std::string lost = checkpoint.file("model-00003-of-00004.safetensors");
  std::filesystem::remove(lost);
  for (const char* verb : {"audit", "decode"}) {
    const ending end = run({verb, "--checkpoint", checkpoint.folder(), "--prompt", "a"});
    EXPECT_EQ(end.exit_code, 2) << end.err;
    EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
    EXPECT_THAT(end.err, HasSubstr(lost + ": is missing"));
    EXPECT_THAT(end.err, HasSubstr("; "));
  }
}

}  // namespace
}  // namespace assay::cli_test
