// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a run that was stopped could leave processes behind or pass for a whole one, and
// text, JSON, Markdown and exit code of one comparison could contradict each other.
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace assay::cli_test {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;

const std::string traps = ASSAY_SOURCE_DIR "/tests/fixtures/compare/traps/";

// A busy machine may contaminate a run, which is 4; nothing may find a regression (1) where both
// sides are the same command.
TEST(Compare, equal_commands_are_clean_or_undecided_in_every_form) {
  const scratch out;
  const ending end =
      run({"compare", "--base-cmd", "sleep 0.005", "--head-cmd", "sleep 0.005", "--screen-pairs",
           "6", "--confirm-pairs", "6", "--out-json", out / "c.json", "--out-markdown",
           out / "c.md", "--out-samples", out / "c.jsonl"});
  EXPECT_THAT(end.exit_code, AnyOf(0, 4)) << end.out << end.err;
  EXPECT_EQ(end.err, "");
  const json document = json::parse(contents_of(out / "c.json"));
  EXPECT_EQ(document["exit_code"], end.exit_code);
  EXPECT_EQ(document["rows"].size(), 1U);
  EXPECT_EQ(document["controls"].size(), 3U);
  const std::string headline = end.out.substr(0, end.out.find('\n'));
  EXPECT_THAT(contents_of(out / "c.md"), HasSubstr(headline));

  const ending again = run({"compare", out / "c.jsonl", "--out-json", out / "again.json"});
  EXPECT_EQ(again.exit_code, end.exit_code);
  EXPECT_EQ(again.out, end.out);
  EXPECT_EQ(contents_of(out / "again.json"), contents_of(out / "c.json"));
  const std::string command =
      std::string(ASSAY_PYTHON) +
      " -B " ASSAY_SOURCE_DIR "/tests/reports/validate.py --schema comparison " + (out / "c.json");
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(Compare, number_that_a_command_prints_is_the_measure) {
  const ending end =
      run({"compare", "--base-cmd", "echo 10 ms", "--head-cmd", "echo 20 ms", "--format", "number",
           "--floor", "0%", "--screen-pairs", "6", "--confirm-pairs", "8"});
  // Only a control that moved may withdraw it.
  EXPECT_THAT(end.exit_code, AnyOf(1, 4)) << end.out;
  EXPECT_THAT(end.out, HasSubstr("10.00 ms  20.00 ms  x 2.000"));
  EXPECT_THAT(end.out, AnyOf(HasSubstr("1 regressed"), HasSubstr("looked regressed")));
}

TEST(Compare, side_that_fails_is_errored_and_is_no_speedup) {
  const ending end = run({"compare", "--base-cmd", "echo 10 ms", "--head-cmd",
                          "echo cannot open >&2; exit 7", "--format", "number"});
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.out, HasSubstr("head: exit status 7: cannot open"));
  const ending hangs = run({"compare", "--base-cmd", "echo 10 ms", "--head-cmd", "sleep 1000",
                            "--format", "number", "--process-limit", "300ms"});
  EXPECT_EQ(hangs.exit_code, 3);
  EXPECT_THAT(hangs.out, HasSubstr("head: still running after"));
}

class Stop : public testing::TestWithParam<int> {};

TEST_P(Stop, keeps_the_samples_and_leaves_no_process) {
  const scratch out;
  const std::string pids = out / "pids";
  const std::string line = "echo $$ >> " + pids + "; sleep 0.05";
  program compare(
      {"compare", "--base-cmd", line, "--head-cmd", line + " ", "--out-samples", out / "s.jsonl"});
  while (contents_of(out / "s.jsonl").find("\"slot\":3") == std::string::npos)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ASSERT_EQ(::kill(compare.pid(), GetParam()), 0);
  const ending end = compare.wait();
  const bool is_killed = GetParam() == SIGKILL;
  EXPECT_EQ(end.exit_code, is_killed ? -SIGKILL : 3) << end.err;
  EXPECT_THAT(end.out, HasSubstr(is_killed ? "" : "INCOMPLETE: interrupted after"));
  const ending later = run({"compare", out / "s.jsonl"});
  EXPECT_EQ(later.exit_code, 3);
  EXPECT_THAT(later.out, HasSubstr(is_killed ? "the run was killed" : "interrupted after"));
  std::istringstream all(contents_of(pids));
  for (pid_t pid = 0; all >> pid;) {
    for (int i = 0; i < 500 && ::kill(pid, 0) == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_NE(::kill(pid, 0), 0) << pid;
  }
}

INSTANTIATE_TEST_SUITE_P(By, Stop, testing::Values(SIGINT, SIGTERM, SIGKILL), [](const auto& each) {
  return each.param == SIGINT ? "int" : each.param == SIGTERM ? "term" : "kill";
});

// A stand-in for a Google Benchmark binary: a script that lists one row and prints its JSON.
std::string stand_in(const std::string& real_time) {
  return "#!/bin/sh\ncase \"$*\" in\n*list_tests*) echo BM_x ;;\n"
         "*) echo '{\n\"benchmarks\": [{\"name\": \"BM_x\", \"real_time\": " +
         real_time + ", \"cpu_time\": 1, \"time_unit\": \"us\"}]}' ;;\nesac\n";
}

// A repository with two commits, the second one slower, and the shell to run git in it.
class repository {
 public:
  repository() {
    write_file(folder_ / "bench.in", stand_in("100"));
    write_file(folder_ / "assay-compare.json",
               R"({"build": "cp bench.in bench && chmod +x bench", "benchmark": "bench"})");
    sh("git init -q -b main . && git add -A && git commit -q -m one");
    sh("git checkout -q -b change");
    write_file(folder_ / "bench.in", stand_in("150"));
    sh("git commit -q -a -m two");
  }
  void sh(const std::string& line) const {
    const std::string whole = "cd " + folder_.path().string() +
                              " && export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c"
                              " GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c && " +
                              line;
    ASSERT_EQ(std::system(whole.c_str()), 0) << line;
  }
  ending compare(const std::string& flags) const {
    const std::string out = folder_ / "out.txt";
    const std::string line = "cd " + folder_.path().string() + " && " ASSAY_PROGRAM " compare " +
                             flags + " >" + out + " 2>&1";
    const int status = std::system(line.c_str());
    return {WEXITSTATUS(status), contents_of(out), {}};
  }
  std::string operator/(std::string_view name) const { return folder_ / name; }

 private:
  scratch folder_;
};

TEST(CompareRefs, change_is_built_beside_its_merge_base_and_found) {
  const repository repo;
  const ending end = repo.compare("--head change --floor 0% --screen-pairs 6 --confirm-pairs 8");
  EXPECT_THAT(end.exit_code, AnyOf(1, 4)) << end.out;
  EXPECT_THAT(end.out, HasSubstr("100.0 µs  150.0 µs  +50.0 %"));
  EXPECT_EQ(end.out.find("built before"), std::string::npos);
  const ending again = repo.compare("--head change --screen-pairs 2 --confirm-pairs 2");
  EXPECT_THAT(again.out, HasSubstr("built before"));
}

// A build takes minutes: who mistyped a flag learns it before.
TEST(CompareRefs, flags_that_say_nothing_are_refused_before_anything_is_built) {
  const repository repo;
  for (const char* flag :
       {"--budget soon", "--process-limit soon", "--threshold much", "--floor much",
        "--floors none.json", "--slice soon", "--shard 3", "--build-limit soon"})
    for (const char* verb : {"", "--calibrate f.json "}) {
      const ending end = repo.compare(std::string("--head change ") + verb + flag);
      EXPECT_THAT(end.exit_code, AnyOf(2, 3)) << flag << end.out;
      EXPECT_FALSE(std::filesystem::exists(repo / ".assay")) << verb << flag << end.out;
    }
}

TEST(CompareRefs, build_that_fails_or_leaves_nothing_measures_nothing) {
  const repository repo;
  write_file(repo / "broken.json",
             R"({"build": "echo no compiler >&2; exit 9", "benchmark": "b"})");
  const ending broken = repo.compare("--head change --recipe broken.json");
  EXPECT_EQ(broken.exit_code, 3);
  EXPECT_THAT(broken.out, HasSubstr("the build of base failed: exit status 9: no compiler"));
  write_file(repo / "empty.json", R"({"build": "true", "benchmark": "missing"})");
  const ending empty = repo.compare("--head change --recipe empty.json");
  EXPECT_EQ(empty.exit_code, 3);
  EXPECT_THAT(empty.out, HasSubstr("left no such file"));
}

TEST(CompareRefs, contradictions_are_refused) {
  const repository repo;
  write_file(repo / "outside.json", R"({"benchmark": "../bench"})");
  for (const auto& [flags, said] :
       {std::pair{"--head nowhere", "is no commit here"}, std::pair{"--head main", "are both"},
        std::pair{"--head change --recipe outside.json", "outside of the tree"},
        std::pair{"--head change --recipe none.json", "none.json: cannot be read"}}) {
    const ending end = repo.compare(flags);
    EXPECT_EQ(end.exit_code, 2) << end.out;
    EXPECT_THAT(end.out, HasSubstr(said));
  }
}

TEST(Compare, files_are_advisory_and_traps_keep_their_exit_codes) {
  const auto of = [](const std::string& name, const arguments& more = {}) {
    arguments given{"compare", traps + name + "/base.json", traps + name + "/head.json"};
    given.insert(given.end(), more.begin(), more.end());
    return run(given);
  };
  EXPECT_EQ(of("docs_only_change").exit_code, 0);
  EXPECT_THAT(of("docs_only_change").out, HasSubstr("advisory: "));
  EXPECT_EQ(of("docs_only_change", {"--strict"}).exit_code, 4);
  EXPECT_EQ(of("renamed_row").exit_code, 0);
  EXPECT_EQ(of("renamed_row", {"--strict"}).exit_code, 4);
  EXPECT_EQ(of("renamed_row", {"--alias", "BM_hash=BM_hash2"}).out.find("removed"),
            std::string::npos);
  EXPECT_EQ(of("truncated").exit_code, 2);
  EXPECT_TRUE(is_one_complaint(of("truncated").err)) << of("truncated").err;
  EXPECT_EQ(of("head_errored").exit_code, 3);
  EXPECT_EQ(of("machine_slower_by_12_percent", {"--control", "^control$"}).exit_code, 4);
  EXPECT_EQ(of("another_number_of_cpus").exit_code, 5);
  EXPECT_EQ(of("another_number_of_cpus", {"--any-environment"}).exit_code, 0);
}

TEST(Compare, contradictions_are_refused_in_one_line) {
  for (const arguments& given :
       {arguments{"compare"},
        {"compare", "--base-cmd", "true"},
        {"compare", "--base-bin", "a"},
        {"compare", "a", "--base-cmd", "b", "--head-cmd", "c"},
        {"compare", "--base-cmd", "a", "--head-cmd", "b", "--threshold", "0.02"},
        {"compare", "--base-cmd", "a", "--head-cmd", "b", "--budget", "8"},
        {"compare", "--base-cmd", "a", "--head-cmd", "b", "--format", "xml"},
        {"compare", "--base-cmd", "a", "--head-cmd", "b", "--control", "x"},
        {"compare", "--base-cmd", "a", "--head-cmd", "b", "--screen-pairs", "1"},
        {"compare", "a.json", "b.json", "--budget", "8m"},
        {"compare", "--base-bin", "/bin/true", "--head-bin", "/no/such"},
        {"compare", "--base-bin", "/bin/true", "--head-bin", "/bin/true", "--scenarios", "("},
        {"compare", "/no/such/file", "/no/such/file"},
        {"compare", traps + "renamed_row/base.json"}}) {
    const ending end = run(given);
    EXPECT_EQ(end.exit_code, 2) << testing::PrintToString(given) << end.out << end.err;
    EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
  }
}

TEST(Compare, output_that_names_an_input_leaves_it_as_it_is) {
  const std::string file = testing::TempDir() + "compare-input.json";
  std::filesystem::copy_file(traps + "renamed_row/base.json", file,
                             std::filesystem::copy_options::overwrite_existing);
  const auto size = std::filesystem::file_size(file);
  for (const arguments& given :
       {arguments{"compare", file, file, "--out-json", file},
        {"compare", "--merge", file, "--out-html", file},
        {"compare", "a", "b", "--head-coverage", "unit=" + file, "--out-markdown", file},
        {"compare", "--calibrate", file, "--log", file}}) {
    const ending end = run(given);
    EXPECT_EQ(end.exit_code, 2) << testing::PrintToString(given) << end.out << end.err;
    EXPECT_THAT(end.err, HasSubstr("would be overwritten"));
    ASSERT_TRUE(std::filesystem::exists(file)) << testing::PrintToString(given);
    EXPECT_EQ(std::filesystem::file_size(file), size);
  }
  std::filesystem::remove(file);
}

// Who judges a log again by another threshold must not read the verdicts of the old one.
TEST(Compare, flag_that_would_change_nothing_is_refused) {
  for (const arguments& given :
       {arguments{"compare", "a.json", "b.json", "--floors", "c.json"},
        {"compare", "a.json", "b.json", "--seed", "2"},
        {"compare", "a.json", "b.json", "--screen-pairs", "6"},
        {"compare", "a.json", "b.json", "--process-grain"},
        {"compare", "log.jsonl", "--threshold", "5%"},
        {"compare", "log.jsonl", "--metric", "cpu_time"},
        {"compare", "--merge", "log.jsonl", "--control", "x"},
        {"compare", "--merge", "log.jsonl", "--any-environment"},
        {"compare", "--base-cmd", "a", "--head-cmd", "b", "--metric", "cpu_time"},
        {"compare", "--base-cmd", "a", "--head-cmd", "b", "--bench-arg", "c"},
        {"compare", "--base-cmd", "a", "--head-cmd", "b", "--any-environment"}}) {
    const ending end = run(given);
    EXPECT_EQ(end.exit_code, 2) << testing::PrintToString(given) << end.out << end.err;
    EXPECT_THAT(end.err, HasSubstr(" changes nothing ")) << testing::PrintToString(given);
  }
}

}  // namespace
}  // namespace assay::cli_test
