// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this Ctrl-C could lose what was recorded, or let it pass for a whole run.
#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>

#include "tests/cli/checkpoint_copy.h"
#include "tests/cli/program.h"

namespace assay::cli_test {
namespace {

using testing::HasSubstr;

const arguments long_audit{"audit", "--prompt", "In the beginning God created", "--max-new-tokens",
                           "1500"};

arguments with(arguments given, const arguments& more) {
  given.insert(given.end(), more.begin(), more.end());
  return given;
}

// The contract, the calibration and a first part of the decode steps are out by then.
constexpr std::size_t well_into_the_run_bytes = 600'000;

class Interrupt : public testing::TestWithParam<int> {};

TEST_P(Interrupt, keeps_the_trace_which_says_that_it_was_cut_off) {
  const scratch out;
  const std::string trace = out / "run.trace";
  program audit(with(long_audit, {"--out-trace", trace, "--out-json", out / "x.json"}));
  ASSERT_TRUE(audit.has_written(well_into_the_run_bytes, trace));
  ASSERT_EQ(::kill(audit.pid(), GetParam()), 0);
  const ending end = audit.wait();
  EXPECT_EQ(end.exit_code, 3) << end.err;
  EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
  EXPECT_THAT(end.err, testing::AllOf(HasSubstr("interrupted"), HasSubstr(trace)));
  EXPECT_EQ(end.out, "");
  EXPECT_FALSE(std::filesystem::exists(out / "x.json"));

  const ending later = run({"audit", trace});
  EXPECT_EQ(later.exit_code, 3) << later.err;
  EXPECT_THAT(later.out, HasSubstr("INCOMPLETE (cut off after block "));
}

INSTANTIATE_TEST_SUITE_P(By, Interrupt, testing::Values(SIGINT, SIGTERM),
                         [](const auto& each) { return each.param == SIGINT ? "int" : "term"; });

TEST(Stopped, without_a_named_trace_promises_none) {
  const scratch folder;
  program audit(long_audit, {{"TMPDIR=" + folder.path().string()}, {}});
  while (std::filesystem::is_empty(folder.path())) {
  }
  const std::string trace = std::filesystem::directory_iterator(folder.path())->path().string();
  ASSERT_TRUE(audit.has_written(well_into_the_run_bytes, trace));
  ASSERT_EQ(::kill(audit.pid(), SIGINT), 0);
  const ending end = audit.wait();
  EXPECT_EQ(end.exit_code, 3) << end.err;
  EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
  EXPECT_THAT(end.err, HasSubstr("name --out-trace"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Stopped, killed_run_leaves_a_trace_that_is_not_whole) {
  const scratch out;
  const std::string trace = out / "run.trace";
  program audit(with(long_audit, {"--out-trace", trace}));
  ASSERT_TRUE(audit.has_written(well_into_the_run_bytes, trace));
  ASSERT_EQ(::kill(audit.pid(), SIGKILL), 0);
  EXPECT_EQ(audit.wait().exit_code, -SIGKILL);
  EXPECT_EQ(run({"audit", trace}).exit_code, 3);
}

TEST(Stopped, decode_keeps_the_text_that_came) {
  const arguments given{"decode", "--prompt", "In the beginning God created", "--max-new-tokens",
                        "1500"};
  program decode(given);
  ASSERT_TRUE(decode.has_written(200));
  ASSERT_EQ(::kill(decode.pid(), SIGINT), 0);
  const ending end = decode.wait();
  EXPECT_EQ(end.exit_code, 3) << end.err;
  EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
  ASSERT_GE(end.out.size(), 200U);
  EXPECT_EQ(end.out.back(), '\n');
  const std::string whole = run(given).out;
  EXPECT_LT(end.out.size(), whole.size());
  EXPECT_EQ(whole.substr(0, end.out.size() - 1), end.out.substr(0, end.out.size() - 1));
}

// The kernel sends the signal to a read behind the end of a mapping; a file may lose its end
// between the look at it and the read, so a look alone is not enough.
TEST(CutFile, a_read_behind_its_end_is_told_in_one_line) {
  program decode({"decode", "--prompt", "In the beginning", "--max-new-tokens", "1500"});
  ASSERT_TRUE(decode.has_written(100));
  ASSERT_EQ(::kill(decode.pid(), SIGBUS), 0);
  const ending end = decode.wait();
  EXPECT_EQ(end.exit_code, 2) << end.err;
  EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
  EXPECT_THAT(end.err, HasSubstr("was cut"));
}

TEST(CutFile, that_is_streamed_from_ends_the_run_in_one_line) {
  const checkpoint_copy copy;
  const std::string weights = copy.file("model.safetensors");
  copy.edit_bytes("model.safetensors", [](std::string&) {});
  program decode({"decode", "--checkpoint", copy.folder(), "--context", "1600", "--vram-limit",
                  "28MiB", "--max-new-tokens", "1500"});
  ASSERT_TRUE(decode.has_written(100));
  std::filesystem::resize_file(weights, 4096);
  const ending end = decode.wait();
  EXPECT_EQ(end.exit_code, 2) << end.err;
  EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
}

}  // namespace
}  // namespace assay::cli_test
