// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this text, JSON, Markdown and exit code of one audit could contradict each other, a kept
// trace could be judged differently from the run it came from, and the text could drift from the
// reference.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "harness/cli/output_file.h"
#include "runtime/telemetry/catalog.h"
#include "tests/cli/program.h"

namespace assay::cli_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

struct audited_once {
  scratch out;
  ending end = run({"audit", "--out-json", out / "run.json", "--out-markdown", out / "run.md",
                    "--out-trace", out / "run.trace"});
};

// A run costs half a second; the tests only read it. A busy machine may leave gaps, which are 4; a
// finding (1) on an honest run is a defect of the audit.
const audited_once& one_run() {
  static const audited_once all;
  return all;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::size_t count_of(const json& document, const char* verdict) {
  const json& all = document["counters"];
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [&](const json& c) { return c["verdict"] == verdict; }));
}

// However the program ends, a path that is there is a whole report.
TEST(Output, is_there_when_it_is_whole_and_not_before) {
  const scratch out;
  const std::string path = out / "page.html";
  write_file(path, "the last run's");
  {
    auto page = cli::output_file::open(path);
    ASSERT_TRUE(page);
    ASSERT_TRUE(page->append("half"));
    EXPECT_FALSE(std::filesystem::exists(path)) << "neither half of one nor the last run's";
  }
  EXPECT_TRUE(std::filesystem::is_empty(out.path()));
  {
    auto page = cli::output_file::open(path);
    ASSERT_TRUE(page);
    ASSERT_TRUE(page->append("half, "));
    ASSERT_TRUE(page->write("and the other"));
  }
  EXPECT_EQ(contents_of(path), "half, and the other");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(out.path()), {}), 1);
}

TEST(Output, that_another_program_is_writing_is_refused_until_that_one_is_done) {
  const scratch out;
  const std::string path = out / "page.html";
  for (const bool is_finished : {true, false}) {
    auto first = std::make_optional(cli::output_file::open(path));
    ASSERT_TRUE(*first && (*first)->append("one's"));
    const auto second = cli::output_file::open(path);
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().message, HasSubstr("another program is writing it now"));
    EXPECT_TRUE(!is_finished || (*first)->finish());
    first.reset();
    EXPECT_EQ(contents_of(path), is_finished ? "one's" : "");
    auto third = cli::output_file::open(path);
    ASSERT_TRUE(third && third->write("another's"));
    EXPECT_EQ(contents_of(path), "another's");
  }
}

// Letters of one program only, all of them, however the programs come between each other.
TEST(Output, of_several_programs_at_one_path_is_never_a_mix) {
  const scratch out;
  const std::string path = out / "page.html";
  std::vector<pid_t> writers;
  for (const char letter : {'a', 'b', 'c'}) {
    writers.push_back(::fork());
    if (writers.back() != 0) continue;
    for (int i = 0; i < 300; ++i) {
      auto page = cli::output_file::open(path);
      for (int part = 0; page && part < 4; ++part)
        if (!page->append(std::string(1000, letter))) ::_exit(1);
      if (page && !page->finish()) ::_exit(2);
    }
    ::_exit(0);
  }
  std::size_t seen = 0;
  for (std::size_t at = 0; at < writers.size();) {
    const std::string text = contents_of(path);
    seen += text.empty() ? 0 : 1;
    ASSERT_TRUE(text.empty() || text == std::string(4000, text[0])) << text.size();
    int status = 0;
    if (::waitpid(writers[at], &status, WNOHANG) != writers[at]) continue;
    EXPECT_EQ(status, 0) << "its file was taken away, or renamed by another";
    ++at;
  }
  EXPECT_GT(seen, 0U);
}

TEST(Output, through_a_link_makes_what_the_link_names_and_keeps_the_link) {
  const scratch out;
  std::filesystem::create_symlink("real.json", out / "link.json");
  for (const char* text : {"one", "two"}) {
    auto json_file = cli::output_file::open(out / "link.json");
    ASSERT_TRUE(json_file && json_file->write(text));
    EXPECT_TRUE(std::filesystem::is_symlink(out / "link.json"));
    EXPECT_EQ(contents_of(out / "real.json"), text);
  }
}

TEST(Audit, run_of_the_embedded_checkpoint_is_clean_or_undecided) {
  EXPECT_THAT(one_run().end.exit_code, testing::AnyOf(0, 4)) << one_run().end.out;
  EXPECT_EQ(one_run().end.err, "") << "progress belongs on a terminal";
}

TEST(Audit, text_json_and_markdown_say_the_same) {
  const std::string headline = first_line(one_run().end.out);
  EXPECT_THAT(contents_of(one_run().out / "run.md"), HasSubstr(headline));
  const json document = json::parse(contents_of(one_run().out / "run.json"));
  EXPECT_EQ(document["exit_code"], one_run().end.exit_code);
  std::string counted = std::to_string(document["counters"].size()) + " counters: ";
  for (const char* verdict : {"agree", "disagree", "undecided", "unmeasured"})
    counted += std::to_string(count_of(document, verdict)) + " " + verdict +
               (verdict == std::string("unmeasured") ? "; " : ", ");
  EXPECT_THAT(headline, testing::StartsWith(counted));
  for (const json& counter : document["counters"]) {
    const std::string name = counter["name"];
    EXPECT_THAT(one_run().end.out, HasSubstr(name));
    EXPECT_THAT(contents_of(one_run().out / "run.md"), HasSubstr(name));
  }
}

TEST(Audit, kept_trace_is_judged_byte_for_byte_as_the_run_was) {
  const scratch out;
  const ending again = run({"audit", one_run().out / "run.trace", "--out-json", out / "again.json",
                            "--out-markdown", out / "again.md"});
  EXPECT_EQ(again.exit_code, one_run().end.exit_code);
  EXPECT_EQ(again.out, one_run().end.out);
  EXPECT_EQ(contents_of(out / "again.json"), contents_of(one_run().out / "run.json"));
  EXPECT_EQ(contents_of(out / "again.md"), contents_of(one_run().out / "run.md"));
}

TEST(Audit, strict_takes_an_unmeasured_counter_for_undecided) {
  const scratch out;
  const ending strict =
      run({"audit", one_run().out / "run.trace", "--strict", "--out-json", out / "s.json"});
  const json document = json::parse(contents_of(out / "s.json"));
  ASSERT_GT(count_of(document, "unmeasured"), 0U);
  EXPECT_EQ(strict.exit_code, one_run().end.exit_code == 1 ? 1 : 4);
  EXPECT_EQ(document["exit_code"], strict.exit_code);
}

TEST(Audit, json_fits_the_published_schema) {
  const std::string command = std::string(ASSAY_PYTHON) +
                              " -B " ASSAY_SOURCE_DIR "/tests/reports/validate.py " +
                              (one_run().out / "run.json");
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(Audit, no_terminal_gets_no_escape_sequences) {
  EXPECT_EQ(one_run().end.out.find('\033'), std::string::npos);
  EXPECT_EQ(contents_of(one_run().out / "run.md").find('\033'), std::string::npos);
}

TEST(Audit, keeps_no_temporary_file) {
  const scratch folder;
  static_cast<void>(run({"audit", "--prompt", "Moses", "--max-new-tokens", "2"},
                        {{"TMPDIR=" + folder.path().string()}, {}}));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(List, has_one_line_for_each_counter) {
  const ending end = run({"list", "counters"});
  EXPECT_EQ(end.exit_code, 0);
  for (const auto& counter : telemetry::catalog())
    EXPECT_THAT(end.out, HasSubstr("\n" + std::string(counter.name.value) + " "));
  EXPECT_EQ(static_cast<std::size_t>(std::count(end.out.begin(), end.out.end(), '\n')),
            telemetry::catalog().size() + 1);
}

TEST(List, prints_every_other_table) {
  for (const auto& [table, row] : {std::pair{"knobs", "ASSAY_KV_PAGE_TOKENS"},
                                   std::pair{"rules", "R04"}, std::pair{"lies", "R16"}}) {
    const ending end = run({"list", table});
    EXPECT_EQ(end.exit_code, 0);
    EXPECT_THAT(end.out, HasSubstr(row));
  }
}

TEST(Doctor, examines_and_is_content) {
  const ending end = run({"doctor"});
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(end.out, HasSubstr("yes       thread accounts"));
  for (const char* each : {"CUDA device", "CUPTI records", "CUDA events", "NVML", "host_read"})
    EXPECT_THAT(end.out, HasSubstr(std::string(" ") + each + " "));
  EXPECT_THAT(end.out, testing::AnyOf(HasSubstr("links of a GPU"), HasSubstr("device_read")));
  EXPECT_THAT(end.out, testing::ContainsRegex("yes       f32_fma +[0-9.]+ GFLOP/s measured: "));
  EXPECT_THAT(end.out, testing::AnyOf(HasSubstr("no        GPU arithmetic    "),
                                      HasSubstr("yes       GPU bf16_tensor ")));
}

TEST(Doctor, measures_the_arithmetic_that_a_run_so_set_would_use) {
  EXPECT_THAT(run({"doctor"}, {{"ASSAY_HOST_ISA=1"}, {}}).out,
              testing::ContainsRegex("f32_fma .*between 16-byte registers"));
  EXPECT_THAT(run({"doctor"}, {{"ASSAY_HOST_ISA=4"}, {}}).out,
              HasSubstr("no        arithmetic        ASSAY_HOST_ISA=4"));
}

TEST(Help, is_clean_and_on_stdout) {
  for (const arguments& given : {arguments{"--help"}, arguments{"--help-all"},
                                 arguments{"audit", "--help"}, arguments{"list", "--help"}}) {
    const ending end = run(given);
    EXPECT_EQ(end.exit_code, 0);
    EXPECT_EQ(end.err, "");
    EXPECT_THAT(end.out, HasSubstr("--help"));
  }
}

TEST(Decode, greedy_text_is_the_references) {
  const json reference =
      json::parse(contents_of(ASSAY_SOURCE_DIR "/scenarios/embedded/micro-qwen3/reference.json"));
  const json& prompt = reference["prompts"][0];
  ASSERT_EQ(prompt["text"], "In the beginning God created");
  const ending end = run({"decode", "--prompt", prompt["text"], "--max-new-tokens", "100"});
  EXPECT_EQ(end.exit_code, 0);
  ASSERT_GT(end.out.size(), 200U);
  const std::string text = prompt["greedy_fp32_text"];
  EXPECT_EQ(end.out.substr(0, 200), text.substr(0, 200));
}

TEST(Decode, seed_decides_what_temperature_draws) {
  const auto text_of = [](const char* seed) {
    return run({"decode", "--temperature", "1", "--seed", seed, "--max-new-tokens", "40"}).out;
  };
  EXPECT_EQ(text_of("7"), text_of("7"));
  EXPECT_NE(text_of("7"), text_of("8"));
  EXPECT_NE(text_of("18446744073709551615"), text_of("0"));
}

}  // namespace
}  // namespace assay::cli_test
