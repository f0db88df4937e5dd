// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a slip on the command line, a full disk or a closed stdout could end in exit 0, in a
// stack of library messages, or in a report that is only half there.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include <gmock/gmock.h>

#include "tests/cli/checkpoint_copy.h"
#include "tests/cli/program.h"

namespace assay::cli_test {
namespace {

using testing::HasSubstr;

struct slip {
  const char* name;
  arguments given;
  int exit_code;
  std::vector<const char*> says;
  surroundings around = {};
  friend std::ostream& operator<<(std::ostream& out, const slip& s) { return out << s.name; }
};

std::string too_long() {
  std::string prompt;
  for (int i = 0; i < 2100; ++i) prompt += "Moses 7 ";
  return prompt;
}

const std::string nowhere = "/nonexistent-folder/file";

const slip slips[] = {
    {"no_verb", {}, 2, {"verb", "audit", "decode"}},
    {"unknown_verb", {"audti"}, 2, {"'audti'", "audit", "decode"}},
    {"list_without_table", {"list"}, 2, {"counters", "knobs", "rules", "lies"}},
    {"list_of_unknown", {"list", "lyes"}, 2, {"'lyes'", "lies"}},
    {"list_and_more", {"list", "lies", "more"}, 2, {"more", "assay list lies --help"}},
    {"unknown_flag", {"decode", "--promt", "x"}, 2, {"--promt", "assay decode --help"}},
    {"flag_without_value", {"decode", "--prompt"}, 2, {"--prompt"}},
    {"flag_twice", {"decode", "--prompt", "a", "--prompt", "b"}, 2, {"--prompt"}},
    {"size_without_unit", {"decode", "--arena", "512"}, 2, {"--arena", "'512'", "512MiB"}},
    {"size_of_unknown_unit", {"audit", "--arena", "5XiB"}, 2, {"--arena", "'5XiB'"}},
    {"size_negative", {"audit", "--arena=-5MiB"}, 2, {"--arena", "'-5MiB'"}},
    {"size_overflows", {"decode", "--arena", "99999999999GiB"}, 2, {"--arena"}},
    {"size_zero", {"decode", "--arena", "0B"}, 2, {"--arena"}},
    {"size_zero_of_a_gpu", {"audit", "--device", "cuda", "--arena", "0B"}, 2, {"--arena"}},
    {"no_tokens", {"decode", "--max-new-tokens", "0"}, 2, {"--max-new-tokens", "from 1 to"}},
    {"tokens_with_letters", {"decode", "--max-new-tokens", "1x"}, 2, {"'1x'", "from 1 to"}},
    {"tokens_overflow", {"decode", "--max-new-tokens", "4294967296"}, 2, {"--max-new-tokens"}},
    {"seed_negative", {"decode", "--seed", "-1"}, 2, {"--seed", "'-1'"}},
    {"temperature_negative", {"decode", "--temperature", "-1"}, 2, {"--temperature"}},
    {"temperature_nan", {"audit", "--temperature", "nan"}, 2, {"--temperature", "positive"}},
    {"temperature_infinite", {"decode", "--temperature", "inf"}, 2, {"--temperature"}},
    {"decode_empty_prompt", {"decode", "--prompt", ""}, 2, {"--prompt", "empty"}},
    {"audit_empty_prompt", {"audit", "--prompt", ""}, 2, {"--prompt", "empty"}},
    {"audit_empty_trace", {"audit", ""}, 2, {"TRACE", "empty"}},
    {"audit_empty_out", {"audit", "--out-json", ""}, 2, {"--out-json", "empty"}},
    {"trace_and_prompt", {"audit", "t", "--prompt", "x"}, 2, {"TRACE", "--prompt"}},
    {"trace_and_arena", {"audit", "t", "--arena", "1GiB"}, 2, {"TRACE", "--arena"}},
    {"trace_and_out_trace", {"audit", "t", "--out-trace", "u"}, 2, {"TRACE", "--out-trace"}},
    {"two_traces", {"audit", "t", "u"}, 2, {"u"}},
    {"tokens_without_prompt", {"audit", "--max-new-tokens", "3"}, 2, {"--prompt"}},
    {"decode_prompt_too_long", {"decode", "--prompt", too_long()}, 2, {"prompt", "2048"}},
    {"audit_prompt_too_long", {"audit", "--prompt", too_long()}, 2, {"prompt", "2048"}},
    {"decode_arena_too_small", {"decode", "--arena", "1MiB"}, 3, {"arena", "1048576", "raise"}},
    {"audit_arena_too_small", {"audit", "--arena", "1MiB"}, 3, {"arena", "1048576", "raise"}},
    {"limit_of_a_byte_names_every_term",
     {"decode", "--vram-limit", "1B"},
     3,
     {"KV pages", "activations", "reserved", "least that streaming needs", "limit of 1;"}},
    {"audit_limit_of_a_byte",
     {"audit", "--vram-limit", "1B"},
     3,
     {"KV pages", "activations", "reserved", "least that streaming needs", "limit of 1;"}},
    {"limit_of_a_fraction_of_a_byte",
     {"decode", "--vram-limit", "0.0000000001"},
     2,
     {"--vram-limit", "less than a byte"}},
    {"limit_zero_of_a_gpu",
     {"decode", "--device", "cuda", "--vram-limit", "0GiB"},
     2,
     {"--vram-limit", "0GiB", "nothing"}},
    {"limit_negative_of_a_gpu",
     {"audit", "--device", "cuda", "--vram-limit=-1GiB"},
     2,
     {"--vram-limit", "-1GiB", "negative"}},
    {"limit_without_unit_of_a_gpu",
     {"decode", "--device", "cuda", "--vram-limit", "8"},
     2,
     {"--vram-limit", "'8'", "unit"}},
    {"limit_above_the_whole_gpu",
     {"audit", "--device", "cuda", "--vram-limit", "1.5"},
     2,
     {"--vram-limit", "1.5", "more than the whole"}},
    {"no_gpu_visible",
     {"decode", "--device", "cuda"},
     3,
     {"--device host"},
     {{"CUDA_VISIBLE_DEVICES="}, {}}},
    {"no_gpu_to_plan_for",
     {"plan", ASSAY_SOURCE_DIR "/scenarios/embedded/micro-qwen3", "--device", "cuda"},
     3,
     {"--device host"},
     {{"CUDA_VISIBLE_DEVICES="}, {}}},
    {"limit_zero_of_a_gpu_to_plan_for",
     {"plan", ASSAY_SOURCE_DIR "/scenarios/embedded/micro-qwen3", "--device", "cuda",
      "--vram-limit", "0GiB"},
     2,
     {"--vram-limit", "0GiB", "nothing"}},
    {"device_unknown", {"decode", "--device", "tpu"}, 2, {"--device", "tpu"}},
    {"knob_no_number",
     {"decode"},
     2,
     {"ASSAY_KV_PAGE_TOKENS=abc", "positive whole number"},
     {{"ASSAY_KV_PAGE_TOKENS=abc"}, {}}},
    {"knob_zero", {"audit"}, 2, {"ASSAY_HOST_SPIN_NS=0"}, {{"ASSAY_HOST_SPIN_NS=0"}, {}}},
    {"knob_no_instruction_set", {"decode"}, 2, {"ASSAY_HOST_ISA=4"}, {{"ASSAY_HOST_ISA=4"}, {}}},
    {"knob_wraps",
     {"decode"},
     2,
     {"ASSAY_KV_PAGE_TOKENS=4294967297"},
     {{"ASSAY_KV_PAGE_TOKENS=4294967297"}, {}}},
    {"knob_too_large", {"audit"}, 2, {"257", "256"}, {{"ASSAY_KV_PAGE_TOKENS=257"}, {}}},
    {"checkpoint_missing", {"decode", "--checkpoint", nowhere}, 2, {nowhere.c_str()}},
    {"audit_checkpoint_missing", {"audit", "--checkpoint", nowhere}, 2, {nowhere.c_str()}},
    {"json_nowhere", {"audit", "--out-json", nowhere}, 3, {nowhere.c_str(), "check"}},
    {"markdown_nowhere", {"audit", "--out-markdown", nowhere}, 3, {nowhere.c_str(), "check"}},
    {"trace_nowhere", {"audit", "--out-trace", nowhere}, 3, {nowhere.c_str(), "create"}},
    {"json_is_folder", {"audit", "--out-json", "/tmp"}, 3, {"/tmp"}},
    {"json_disk_full", {"audit", "--out-json", "/dev/full"}, 3, {"/dev/full", "No space"}},
    {"markdown_disk_full", {"audit", "--out-markdown", "/dev/full"}, 3, {"/dev/full", "No space"}},
    {"trace_disk_full", {"audit", "--out-trace", "/dev/full"}, 3, {"/dev/full", "No space"}},
    {"no_temporary_folder", {"audit"}, 3, {"TMPDIR"}, {{"TMPDIR=" + nowhere}, {}}},
    {"audit_into_full_disk", {"audit"}, 3, {"standard output"}, {{}, "/dev/full"}},
    {"decode_into_full_disk", {"decode"}, 3, {"standard output"}, {{}, "/dev/full"}},
    {"list_into_full_disk", {"list", "counters"}, 3, {"standard output"}, {{}, "/dev/full"}},
    {"doctor_into_full_disk", {"doctor"}, 3, {"standard output"}, {{}, "/dev/full"}},
    {"help_into_full_disk", {"--help"}, 3, {"standard output"}, {{}, "/dev/full"}},
    {"decode_without_stdout", {"decode"}, 3, {"standard output"}, {{}, "-"}},
};

class BadInput : public testing::TestWithParam<slip> {};

TEST_P(BadInput, ends_in_one_line_that_names_the_fix) {
  const ending end = run(GetParam().given, GetParam().around);
  EXPECT_EQ(end.exit_code, GetParam().exit_code) << end.err;
  EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
  for (const char* each : GetParam().says) EXPECT_THAT(end.err, HasSubstr(each));
  EXPECT_EQ(end.out, "");
}

INSTANTIATE_TEST_SUITE_P(Each, BadInput, testing::ValuesIn(slips),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(Output, no_report_stays_of_a_run_that_failed) {
  const scratch out;
  write_file(out / "old.json", "{\"of\": \"yesterday\"}");
  const ending end = run({"audit", "--arena", "1MiB", "--out-json", out / "old.json",
                          "--out-markdown", out / "new.md", "--out-trace", out / "run.trace"});
  EXPECT_EQ(end.exit_code, 3) << end.err;
  EXPECT_TRUE(std::filesystem::is_empty(out.path()));
}

TEST(Output, limit_on_file_sizes_is_reported_like_a_full_disk) {
  const scratch out;
  rlimit usual{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &usual), 0);
  const rlimit tight{100'000, usual.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  const ending end = run({"audit", "--out-trace", out / "run.trace"});
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &usual), 0);
  EXPECT_EQ(end.exit_code, 3) << end.err;
  EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
  EXPECT_THAT(end.err, HasSubstr("ulimit -f"));
  EXPECT_EQ(end.out, "");
}

TEST(Output, devices_stay_when_they_are_full) {
  static_cast<void>(run({"audit", "--prompt", "Moses", "--out-json", "/dev/full"}));
  EXPECT_TRUE(std::filesystem::exists("/dev/full"));
}

TEST(Output, two_outputs_must_not_share_a_file) {
  const scratch out;
  for (const arguments& given :
       {arguments{"--out-json", "--out-markdown"}, arguments{"--out-json", "--out-trace"},
        arguments{"--out-markdown", "--out-trace"}}) {
    const ending end = run({"audit", given[0], out / "x", given[1], out / "./x"});
    EXPECT_EQ(end.exit_code, 2) << end.err;
    EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
    EXPECT_THAT(end.err, testing::AllOf(HasSubstr(given[0]), HasSubstr(given[1])));
  }
  EXPECT_TRUE(std::filesystem::is_empty(out.path()));
}

// Names that do not exist yet and have no folder before them are as much one file as others are.
TEST(Output, two_names_of_a_file_to_be_are_one) {
  const std::string name = "assay-cli-test-" + std::to_string(::getpid());
  const std::string link = name + "-link";
  std::filesystem::create_symlink(name, link);
  for (const std::string& other : {"./" + name, link}) {
    const ending end = run({"audit", "--prompt", "Moses", "--max-new-tokens", "1", "--out-json",
                            name, "--out-trace", other});
    EXPECT_EQ(end.exit_code, 2) << other << ": " << end.err;
    EXPECT_FALSE(std::filesystem::exists(name));
    std::filesystem::remove(name);
  }
  std::filesystem::remove(link);
}

TEST(Output, text_that_arrived_is_not_undone_by_a_full_stderr) {
  for (const char* err : {"/dev/full", "-"}) {
    const ending end = run({"decode", "--max-new-tokens", "3"}, {{}, {}, err});
    EXPECT_EQ(end.exit_code, 0) << err;
    EXPECT_NE(end.out, "");
  }
}

// Root has no limit on its threads; a stack that no address space holds stops them as well.
TEST(Output, threads_that_cannot_start_are_no_fault_of_the_program) {
  rlimit usual{};
  ASSERT_EQ(::getrlimit(RLIMIT_STACK, &usual), 0);
  const rlimit huge{std::min<rlim_t>(usual.rlim_max, rlim_t{1} << 47), usual.rlim_max};
  if (huge.rlim_cur < (rlim_t{1} << 47)) GTEST_SKIP() << "the stack's hard limit is lower";
  ASSERT_EQ(::setrlimit(RLIMIT_STACK, &huge), 0);
  const ending end = run({"decode", "--max-new-tokens", "3"});
  ASSERT_EQ(::setrlimit(RLIMIT_STACK, &usual), 0);
  EXPECT_EQ(end.exit_code, 3) << end.err;
  EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
  EXPECT_THAT(end.err, HasSubstr("thread"));
}

// A stack that is too small ended in a signal without a word, and a file that could not be opened
// was said to lack /proc.
TEST(Output, a_limit_that_cripples_is_named_with_what_would_do) {
  for (const auto& [resource, least, flag] :
       {std::tuple{RLIMIT_STACK, rlim_t{64} << 10, "ulimit -s 512"},
        std::tuple{RLIMIT_NOFILE, rlim_t{10}, "ulimit -n 16"}}) {
    rlimit usual{};
    ASSERT_EQ(::getrlimit(resource, &usual), 0);
    const rlimit tight{least, usual.rlim_max};
    ASSERT_EQ(::setrlimit(resource, &tight), 0);
    const ending end = run({"decode", "--max-new-tokens", "3"});
    ASSERT_EQ(::setrlimit(resource, &usual), 0);
    EXPECT_EQ(end.exit_code, 3) << end.err;
    EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
    EXPECT_THAT(end.err, HasSubstr(flag));
    EXPECT_EQ(end.out, "");
  }
}

// A model that was made for a million positions needs none of them for three tokens.
TEST(Memory, decode_takes_what_its_request_needs) {
  const checkpoint_copy model;
  model.edit_json("config.json", [](auto& c) { c["max_position_embeddings"] = 1 << 20; });
  const ending few = run({"decode", "--checkpoint", model.folder(), "--max-new-tokens", "3"});
  EXPECT_EQ(few.exit_code, 0) << few.err;
  const arguments many{"decode", "--checkpoint", model.folder(), "--max-new-tokens", "90000"};
  EXPECT_EQ(run(many).exit_code, 0) << "more than the knob's default, and nobody set the knob";
  for (const ending& end : {run(many, {{"ASSAY_HOST_ARENA_BYTES=1073741824"}, {}}),
                            run({"decode", "--checkpoint", model.folder(), "--max-new-tokens",
                                 "90000", "--arena", "1GiB"})}) {
    EXPECT_EQ(end.exit_code, 3) << end.err;
    EXPECT_THAT(end.err, testing::AllOf(HasSubstr("1073741824"), HasSubstr("--arena")));
  }
}

// A pass of more operations than the queue holds: the caller sleeps inside a call that submits, and
// no wait has that time. Pages of one token need a copy of their own for each.
TEST(Queue, that_is_full_is_no_wait_that_a_counter_left_out) {
  const ending end = run({"audit", "--scenario", "long-prompt"}, {{"ASSAY_KV_PAGE_TOKENS=1"}, {}});
  EXPECT_NE(end.exit_code, 1) << end.out;
  EXPECT_THAT(end.out, HasSubstr("0 findings"));
}

}  // namespace
}  // namespace assay::cli_test
