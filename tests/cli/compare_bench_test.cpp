// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, binaries that could take turns might not, a calibration could start from nothing
// each time, or shards of a run be judged apart.
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace assay::cli_test {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

const std::string kernels = ASSAY_KERNELS_BENCH;

int shell(const std::string& line) {
  return WEXITSTATUS(std::system(line.c_str()));
}

// A binary that serves slices: a script with two rows, whose calls take `ns`; `first` is what each
// worker does before it is ready.
std::string serving(const scratch& folder, const std::string& name, const std::string& ns,
                    const std::string& first = "true") {
  const std::string path = folder / name;
  write_file(path,
             "#!/bin/sh\ncase \"$*\" in\n*assay_worker_protocol*) echo assay worker 1 ;;\n"
             "*list_tests*) echo f/one; echo f/two ;;\n"
             "*) " +
                 first + "; echo ready; while read -r line; do echo slice 100 " + ns +
                 "; done ;;\nesac\n");
  EXPECT_EQ(::chmod(path.c_str(), 0755), 0);
  return path;
}

// The binary with its `at`th byte of `what` changed; what is changed is never reached by a run.
void write_changed(const std::string& path, std::string bytes, const std::string& what,
                   std::size_t at) {
  const std::size_t start = bytes.find(what);
  ASSERT_NE(start, std::string::npos) << what;
  bytes[start + at] ^= 1;
  write_file(path, bytes);
  EXPECT_EQ(::chmod(path.c_str(), 0755), 0);
}

std::string controls_of(const std::string& base, const std::string& head) {
  const ending end = run({"compare", "--base-bin", base, "--head-bin", head, "--scenarios",
                          "^kv_pages/take", "--screen-pairs", "6", "--slice", "100us"});
  EXPECT_THAT(end.exit_code, AnyOf(0, 1, 4)) << end.out << end.err;
  return end.out;
}

// A build id differs between two links of the same code; one letter of a constant is other code.
TEST(CompareBench, same_code_is_what_is_loaded_and_not_the_files_bytes) {
  const scratch out;
  const std::string bytes = contents_of(kernels);
  // Name, type 3 and padding of the note, and the id behind them.
  const std::string build_id_note("\x03\0\0\0GNU\0", 8);
  write_changed(out / "relinked", bytes, build_id_note, 8);
  write_changed(out / "changed", bytes, "is no row; see --benchmark_list", 0);
  const std::string same = "the same machine code on both sides";
  EXPECT_THAT(controls_of(kernels, out / "relinked"), HasSubstr(same));
  EXPECT_THAT(controls_of(kernels, out / "changed"), Not(HasSubstr(same)));
}

// The second link of the one program is a third slower by where its code lies, and by nothing else.
TEST(CompareBench, code_that_was_only_moved_is_called_layout_and_a_change_is_found) {
  const auto against = [](const char* head) {
    return run({"compare", "--base-bin", ASSAY_LAYOUT_ONE, "--head-bin", head, "--screen-pairs",
                "6", "--confirm-pairs", "6", "--floor", "0%"});
  };
  const ending moved = against(ASSAY_LAYOUT_TWO);
  EXPECT_THAT(moved.out, HasSubstr("+30.0 %"));
  EXPECT_THAT(moved.out, HasSubstr("layout: it looks worse"));
  EXPECT_THAT(moved.exit_code, AnyOf(0, 4)) << moved.out << moved.err;  // 4: a control has moved
  const ending changed = against(ASSAY_LAYOUT_CHANGED);
  EXPECT_THAT(changed.out, HasSubstr("+30.0 %"));
  EXPECT_THAT(changed.out, Not(HasSubstr("layout: ")));
  EXPECT_THAT(changed.exit_code, AnyOf(1, 4)) << changed.out << changed.err;
}

TEST(CompareBench, same_script_is_not_the_same_code) {
  const scratch out;
  EXPECT_THAT(run({"compare", "--base-bin", serving(out, "base", "1000"), "--head-bin",
                   serving(out, "head", "1000"), "--screen-pairs", "6"})
                  .out,
              Not(HasSubstr("the same machine code")));
}

TEST(CompareBench, our_kernels_take_turns_and_are_judged_again_from_the_log) {
  const scratch out;
  const arguments sides{
      "compare",        "--base-bin",     kernels, "--head-bin",      kernels, "--scenarios",
      "^kv_pages/take", "--screen-pairs", "6",     "--confirm-pairs", "6"};
  arguments turns = sides;
  turns.insert(turns.end(), {"--out-samples", out / "s.jsonl", "--out-html", out / "c.html"});
  const ending end = run(turns);
  EXPECT_THAT(end.exit_code, AnyOf(0, 4)) << end.out << end.err;
  EXPECT_THAT(end.out, HasSubstr("kv_pages/take_give_back/64/real_time"));
  EXPECT_THAT(end.out, HasSubstr("pairs of processes that take turns"));
  EXPECT_THAT(contents_of(out / "s.jsonl"), HasSubstr("\"slices_ns\":["));
  EXPECT_THAT(contents_of(out / "c.html"), HasSubstr("<!doctype html>"));
  EXPECT_EQ(run({"compare", out / "s.jsonl"}).out, end.out);
  arguments processes = sides;
  processes.insert(processes.end(), {"--process-grain", "--out-samples", out / "p.jsonl"});
  EXPECT_THAT(run(processes).exit_code, AnyOf(0, 4));
  EXPECT_THAT(contents_of(out / "p.jsonl"), Not(HasSubstr("slices_ns")));
}

TEST(CompareBench, bench_says_that_it_serves_and_refuses_what_it_has_not) {
  const scratch out;
  EXPECT_EQ(shell(kernels + " --benchmark_list_tests=true --assay_worker_protocol >" + (out / "a")),
            0);
  EXPECT_EQ(contents_of(out / "a"), "assay worker 1\n");
  EXPECT_EQ(shell(kernels + " --assay_worker=nothing 2>" + (out / "b") + " </dev/null"), 2);
  EXPECT_THAT(contents_of(out / "b"), HasSubstr("nothing: is no row"));
  EXPECT_EQ(shell(kernels + " --no_such_flag >/dev/null 2>&1"), 2);
  EXPECT_EQ(shell(kernels +
                  " --benchmark_filter=^kv_pages/take --benchmark_min_time=0.01"
                  " --benchmark_format=json >" +
                  (out / "c") + " 2>/dev/null"),
            0);
  const json document = json::parse(contents_of(out / "c"));
  EXPECT_EQ(document["benchmarks"][0]["asked_threads"], 1.0);
  EXPECT_EQ(document["benchmarks"][0]["realised_threads"], 1.0);
}

TEST(CompareBench, calibration_goes_on_where_it_stopped) {
  const scratch out;
  const std::string base = serving(out, "base", "1000");
  const std::string head = serving(out, "head", "1000 ");
  const auto calibrate = [&](const std::string& results) {
    return run({"compare", "--calibrate", out / "f.json", "--base-bin", base, "--head-bin", head,
                "--confirm-pairs", "2", "--results", results});
  };
  const auto logs = [&] {
    std::size_t count = 0;
    for (const auto& each : std::filesystem::directory_iterator(out / "f.json.logs"))
      count += each.path().extension() == ".jsonl";
    return count;
  };
  const ending first = calibrate("5");
  EXPECT_EQ(first.exit_code, 3) << first.out << first.err;
  EXPECT_THAT(first.out, HasSubstr("2 rows have fewer than 40 results"));
  EXPECT_EQ(logs(), 5U);
  const ending second = calibrate("20");
  EXPECT_EQ(second.exit_code, 0) << second.out << second.err;
  EXPECT_EQ(logs(), 20U);
  // Forty of the family, twenty of each row.
  const json floors = json::parse(contents_of(out / "f.json"));
  ASSERT_EQ(floors["rows"].size(), 2U);
  EXPECT_EQ(floors["rows"][0]["results_count"], 40);
  EXPECT_EQ(floors["rows"][0]["is_of_family"], true);
  EXPECT_EQ(floors["provenance"][0]["value"], "20");
  // Other rows in the folder get no more results, and are not waited for.
  const ending alone =
      run({"compare", "--calibrate", out / "f.json", "--base-bin", base, "--head-bin", head,
           "--scenarios", "^f/one$", "--confirm-pairs", "2", "--results", "21"});
  EXPECT_EQ(alone.exit_code, 0) << alone.err;
  EXPECT_EQ(logs(), 21U);
  const ending used = run({"compare", "--base-bin", base, "--head-bin", head, "--floors",
                           out / "f.json", "--screen-pairs", "6", "--confirm-pairs", "6"});
  EXPECT_THAT(used.out, HasSubstr("2.0 % (threshold) for 2 rows")) << used.err;
  // A file of other rows leaves all of these uncalibrated, and would not say so.
  std::string of_others = contents_of(out / "f.json");
  for (std::size_t at = 0; (at = of_others.find("\"f/", at)) != std::string::npos; ++at)
    of_others[at + 1] = 'g';
  write_file(out / "g.json", of_others);
  const ending idle =
      run({"compare", "--base-bin", base, "--head-bin", head, "--floors", out / "g.json"});
  EXPECT_EQ(idle.exit_code, 2) << idle.out;
  EXPECT_THAT(idle.err, HasSubstr("has a floor for none of 2 rows, such as f/one"));
  // Floors of pairs that take turns are too narrow for processes that do not.
  const ending otherwise = run({"compare", "--base-bin", base, "--head-bin", head, "--floors",
                                out / "f.json", "--slice", "5ms"});
  EXPECT_EQ(otherwise.exit_code, 2) << otherwise.out;
  EXPECT_THAT(otherwise.err, HasSubstr("calibrate as you measure"));
}

// One other order may leave a row where it was, and a second move it by a fifth: a floor that knew
// the first alone would call the second a finding.
TEST(CompareBench, calibration_takes_links_by_turns_and_the_worst_makes_the_floor) {
  const scratch out;
  const std::string base = serving(out, "base", "1000");
  const std::string near = serving(out, "near", "1000 ");
  const std::string far = serving(out, "far", "1200");
  const auto floor_with = [&](const std::string& file, const arguments& more) {
    arguments line{"compare", "--calibrate",     out / file, "--base-bin", base, "--head-bin",
                   near,      "--confirm-pairs", "2",        "--results",  "20"};
    line.insert(line.end(), more.begin(), more.end());
    const ending end = run(line);
    EXPECT_EQ(end.exit_code, 0) << end.out << end.err;
    const json floors = json::parse(contents_of(out / file));
    EXPECT_EQ(floors["rows"].size(), 2U);
    return floors["rows"][0]["floor_ratio"].get<double>();
  };
  EXPECT_LT(floor_with("one.json", {}), 0.01);
  EXPECT_NEAR(floor_with("two.json", {"--relinked-bin", far}), 0.2, 0.01);
  const ending idle =
      run({"compare", "--base-bin", base, "--head-bin", near, "--relinked-bin", far});
  EXPECT_EQ(idle.exit_code, 2);
  EXPECT_THAT(idle.err, HasSubstr("--relinked-bin changes nothing without --calibrate"));
}

TEST(CompareBench, calibration_of_the_same_bytes_or_of_commands_is_refused) {
  const scratch out;
  const std::string base = serving(out, "base", "1000");
  const ending same =
      run({"compare", "--calibrate", out / "f.json", "--base-bin", base, "--head-bin", base});
  EXPECT_EQ(same.exit_code, 2);
  EXPECT_THAT(same.err, HasSubstr("ASSAY_LINK_SALT"));
  EXPECT_EQ(
      run({"compare", "--calibrate", out / "f.json", "--base-cmd", "true", "--head-cmd", "true"})
          .exit_code,
      2);
  EXPECT_EQ(run({"compare", "--calibrate", out / "f.json"}).exit_code, 2);
}

TEST(CompareBench, shards_are_judged_as_one_run) {
  const scratch out;
  const std::string base = serving(out, "base", "1000");
  const std::string head = serving(out, "head", "1300");
  const auto shard = [&](const std::string& part, const std::string& log) {
    return run({"compare", "--base-bin", base, "--head-bin", head, "--shard", part, "--floor", "0%",
                "--screen-pairs", "6", "--confirm-pairs", "6", "--out-samples", out / log});
  };
  EXPECT_THAT(shard("1/2", "1.jsonl").exit_code, AnyOf(1, 4));
  EXPECT_THAT(shard("2/2", "2.jsonl").exit_code, AnyOf(1, 4));
  const ending merged = run({"compare", "--merge", out / "1.jsonl", "--merge", out / "2.jsonl"});
  EXPECT_THAT(merged.exit_code, AnyOf(1, 4)) << merged.err;
  EXPECT_THAT(merged.out, HasSubstr("2 rows: "));
  EXPECT_THAT(merged.out, HasSubstr("+30.0 %"));
  const ending half = run({"compare", "--merge", out / "2.jsonl"});
  EXPECT_EQ(half.exit_code, 3);
  EXPECT_THAT(half.out, HasSubstr("INCOMPLETE: shard 1 of 2 is missing"));
  EXPECT_EQ(shard("3/2", "3.jsonl").exit_code, 2);
}

// Once a worker has run, `change` is done to the base's file while it is measured.
ending compared_while(const scratch& out, const std::string& change) {
  const std::string base = serving(out, "base", "1000");
  const std::string head =
      serving(out, "head", "1000",
              "if [ -e " + (out / "seen") + " ]; then cd " + out.path().string() + " && " + change +
                  "; fi >/dev/null 2>&1; : >>" + (out / "seen"));
  return run({"compare", "--base-bin", base, "--head-bin", head, "--screen-pairs", "6",
              "--confirm-pairs", "6", "--out-samples", out / "s.jsonl", "--out-json",
              out / "c.json"});
}

TEST(CompareBench, program_that_is_replaced_while_it_is_measured_ends_the_run) {
  for (const char* change :
       {"echo '# rebuilt' >>base", "rm base", "cp base fresh && echo >>fresh && mv fresh base",
        "cp -p base kept && sed -i 's/1000/1001/' base && touch -r kept base"}) {
    const scratch out;
    const ending end = compared_while(out, change);
    EXPECT_EQ(end.exit_code, 3) << change << end.out;
    EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
    EXPECT_THAT(end.err, HasSubstr(out / "base"));
    EXPECT_THAT(end.err, HasSubstr("was replaced while it was measured"));
    EXPECT_EQ(end.out, "");
    EXPECT_FALSE(std::filesystem::exists(out / "c.json"));
    const ending later = run({"compare", out / "s.jsonl"});
    EXPECT_EQ(later.exit_code, 3);
    EXPECT_THAT(later.out, HasSubstr("INCOMPLETE: "));
    EXPECT_THAT(later.out, HasSubstr("was replaced while it was measured"));
  }
}

TEST(CompareBench, same_program_in_another_place_or_time_goes_on) {
  for (const char* change : {"touch base", "cp -p base fresh && mv fresh base"}) {
    const scratch out;
    const ending end = compared_while(out, change);
    EXPECT_THAT(end.exit_code, AnyOf(0, 4)) << change << end.err;
    EXPECT_EQ(end.err, "");
  }
}

TEST(CompareBench, program_of_a_command_line_is_looked_after_too) {
  const scratch out;
  for (const char* name : {"base", "head"}) {
    write_file(out / name, std::string("#!/bin/sh\n") +
                               (name[0] == 'h' ? "echo >>" + (out / "base") + "\n" : ""));
    EXPECT_EQ(::chmod((out / name).c_str(), 0755), 0);
  }
  const ending end = run({"compare", "--base-cmd", "exec " + (out / "base") + " a/b", "--head-cmd",
                          out / "head", "--screen-pairs", "6"});
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.err, HasSubstr((out / "base") + ": was replaced while it was measured"));
}

// A library that a program brings along is half of it. The system's stand in the blind spots.
TEST(CompareBench, library_that_is_replaced_while_it_is_measured_ends_the_run) {
  for (const bool is_replaced : {true, false}) {
    const scratch out;
    ASSERT_EQ(shell("mkdir " + (out / "lib") + " && cp -L \"$(ldd " + kernels +
                    " | sed -n 's/.*libfmt.* => \\(.*\\) (0x.*/\\1/p')\" " + (out / "lib/")),
              0);
    const std::string library = std::filesystem::directory_iterator(out / "lib")->path().string();
    const std::string change =
        is_replaced ? "cp " + library + " fresh && echo >>fresh && mv fresh " + library : "true";
    write_file(out / "head", "#!/bin/sh\ncd " + out.path().string() + " && " + change + "\n");
    ASSERT_EQ(::chmod((out / "head").c_str(), 0755), 0);
    const ending end =
        run({"compare", "--base-cmd", kernels + " --benchmark_list_tests=true", "--head-cmd",
             out / "head", "--screen-pairs", "6", "--confirm-pairs", "6"},
            {.environment = {"LD_LIBRARY_PATH=" + (out / "lib")}, .stdout_path = {}});
    if (is_replaced) {
      EXPECT_EQ(end.exit_code, 3) << end.out;
      EXPECT_THAT(end.err, HasSubstr(library + ": was replaced while it was measured"));
      continue;
    }
    EXPECT_THAT(end.exit_code, AnyOf(0, 1, 4)) << end.err;
    EXPECT_THAT(end.out,
                HasSubstr("watched for replacement: 2 programs and 1 library: " + library));
    EXPECT_THAT(end.out, HasSubstr("is not among those watched for replacement"));
  }
}

// What makes a shard's binary another: not its build id, nor its folder's name, but its code.
TEST(CompareBench, shards_of_builds_in_two_folders_are_one_run_where_they_load_the_same) {
  const scratch one;
  const scratch two;
  const std::string bytes = contents_of(kernels);
  const std::string kept_text = "is no row; see --benchmark_list";
  const auto with_path = [&](const scratch& at, const std::string& name, const std::string& path) {
    std::string changed = bytes;
    ASSERT_LE(path.size(), kept_text.size());
    changed.replace(changed.find(kept_text), path.size(), path);
    write_file(at / name, changed);
    EXPECT_EQ(::chmod((at / name).c_str(), 0755), 0);
  };
  with_path(one, "b", one / "");
  with_path(two, "b", two / "");
  with_path(two, "x", one / "");
  const auto shard = [&](const std::string& part, const std::string& base) {
    const std::string log = one / (part.substr(0, 1) + ".jsonl");
    EXPECT_THAT(
        run({"compare", "--base-bin", base, "--head-bin", kernels, "--scenarios", "^kv_pages/",
             "--shard", part, "--screen-pairs", "6", "--slice", "100us", "--out-samples", log})
            .exit_code,
        AnyOf(0, 1, 4));
    return log;
  };
  const std::string first = shard("1/2", one / "b");
  std::string second = shard("2/2", two / "b");
  const ending merged = run({"compare", "--merge", first, "--merge", second});
  EXPECT_THAT(merged.exit_code, AnyOf(0, 1, 4)) << merged.err;
  EXPECT_THAT(merged.out, HasSubstr("different files that load the same"));
  second = shard("2/2", two / "x");
  const ending foreign = run({"compare", "--merge", first, "--merge", second});
  EXPECT_EQ(foreign.exit_code, 2);
  EXPECT_TRUE(is_one_complaint(foreign.err)) << foreign.err;
  EXPECT_THAT(foreign.err, HasSubstr("other base code than in"));
}

TEST(CompareCounts, decode_repeats_itself_to_the_last_digit_and_a_change_is_found) {
  const scratch out;
  const std::string counts = std::string(ASSAY_PROGRAM) + " decode --counts";
  const ending end =
      run({"compare", "--base-cmd", "true", "--head-cmd", "true", "--base-counts", counts,
           "--head-counts", counts, "--screen-pairs", "6", "--confirm-pairs", "6"});
  EXPECT_THAT(end.exit_code, AnyOf(0, 4)) << end.out << end.err;
  EXPECT_THAT(end.out, HasSubstr("embedded.request_0.token_ids"));
  EXPECT_THAT(end.out, Not(HasSubstr("errored")));
  ASSERT_EQ(shell(counts + " >" + (out / "base.json")), 0);
  json head = json::parse(contents_of(out / "base.json"));
  ASSERT_GT(head["rows"].size(), 30U);
  // Counters that start anew with each request are of all requests, not of the last.
  std::map<std::string, std::int64_t> counted;
  std::int64_t tokens = 0;
  for (const json& row : head["rows"]) {
    const std::string name = row["name"];
    if (name.ends_with(".tokens")) tokens += row["value"].get<std::int64_t>();
    if (row["unit"] != "hash") counted[name] = row["value"];
  }
  EXPECT_EQ(counted["runtime.engine.generated_tokens"], tokens);
  EXPECT_EQ(counted["runtime.tokenizer.decoded_tokens"], tokens);
  json less = head;
  less["rows"].erase(less["rows"].end() - 1);
  write_file(out / "less.json", less.dump());
  EXPECT_EQ(run({"compare", out / "base.json", out / "less.json"}).exit_code, 4);
  EXPECT_EQ(run({"compare", out / "less.json", out / "base.json"}).exit_code, 0);
  head["rows"][0]["value"] = head["rows"][0]["value"].get<std::int64_t>() + 1;
  write_file(out / "head.json", head.dump());
  EXPECT_EQ(run({"compare", out / "base.json", out / "base.json"}).exit_code, 0);
  const ending changed = run({"compare", out / "base.json", out / "head.json"});
  EXPECT_EQ(changed.exit_code, 1);
  EXPECT_THAT(changed.out, HasSubstr("an exact count: "));
}

TEST(CompareCoverage, unknown_is_a_question_mark_with_its_reason_in_every_form) {
  const scratch out;
  write_file(out / "a.info", "SF:/x/a.c\nDA:1,1\nDA:2,0\nend_of_record\n");
  write_file(out / "b.info", "SF:/x/a.c\nDA:1,0\nDA:2,0\nend_of_record\n");
  write_file(out / "d", "+++ b/a.c\n@@ -1 +1 @@\n-x\n+y\n+++ b/untested.c\n@@ -0,0 +1 @@\n+z\n");
  write_file(
      out / "bench.json",
      R"({"context": {}, "benchmarks": [{"name": "BM_x", "real_time": 1, "cpu_time": 1, "time_unit": "us"}]})");
  const ending end =
      run({"compare", out / "bench.json", out / "bench.json", "--base-coverage",
           "unit=" + (out / "a.info"), "--head-coverage", "unit=" + (out / "b.info"),
           "--base-coverage", "gone=" + (out / "a.info"), "--diff", out / "d", "--out-markdown",
           out / "c.md", "--out-html", out / "c.html", "--out-json", out / "c.json"});
  EXPECT_EQ(end.exit_code, 0) << end.err;
  for (const std::string& text :
       {end.out, contents_of(out / "c.md"), contents_of(out / "c.html")}) {
    EXPECT_THAT(text, HasSubstr("50.0 % → 0.0 % (-50.0 points)"));
    EXPECT_THAT(text, HasSubstr("50.0 % → ?"));
    EXPECT_THAT(text, HasSubstr("uploaded for the base only"));
    EXPECT_THAT(text, HasSubstr("0 of 1 (0.0 %)"));
    EXPECT_THAT(text, HasSubstr("untested.c"));
  }
  const json document = json::parse(contents_of(out / "c.json"));
  EXPECT_EQ(document["coverage"]["flags"][0]["head"]["absence"], "not uploaded");
  write_file(out / "cut.info", "SF:/x/a.c\nDA:1,1\n");
  const ending cut =
      run({"compare", out / "bench.json", out / "bench.json", "--head-coverage", out / "cut.info"});
  EXPECT_EQ(cut.exit_code, 2);
  EXPECT_TRUE(is_one_complaint(cut.err)) << cut.err;
}

}  // namespace
}  // namespace assay::cli_test
