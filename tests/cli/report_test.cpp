// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a report could look whole and not be, differ from one reading to the next, or hide
// where a real run's time went.
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "probes/trace/assay_trace.h"
#include "tests/cli/program.h"
#include "tests/reports/trace_event_rules.h"

namespace assay::cli_test {
namespace {

using testing::HasSubstr;

// One short run for all tests here.
const std::string& recorded() {
  static const std::string bytes = [] {
    const scratch out;
    static_cast<void>(
        run({"audit", "--prompt", "Moses", "--max-new-tokens", "24", "--out-trace", out / "t"}));
    return contents_of(out / "t");
  }();
  return bytes;
}

class Report : public testing::Test {
 protected:
  ending report(std::string_view bytes, arguments more = {}) {
    write_file(trace_, bytes);
    more.insert(more.begin(), {"report", trace_});
    return run(more);
  }
  arguments all_forms(const std::string& tag) {
    return {"--html", out_ / (tag + ".html"), "--markdown", out_ / (tag + ".md"),
            "--json", out_ / (tag + ".json"), "--timeline", out_ / (tag + ".trace.json")};
  }
  scratch out_;
  std::string trace_ = out_ / "some.trace";
};

TEST_F(Report, divides_the_time_of_a_real_run_and_says_the_same_twice) {
  const ending first = report(recorded(), all_forms("one"));
  const ending second = report(recorded(), all_forms("two"));
  EXPECT_EQ(first.err, "");
  EXPECT_EQ(first.out, second.out);
  for (const char* form : {".html", ".md", ".json", ".trace.json"})
    EXPECT_EQ(contents_of(out_ / (std::string("one") + form)),
              contents_of(out_ / (std::string("two") + form)))
        << form;
  const auto document = nlohmann::json::parse(contents_of(out_ / "one.json"));
  EXPECT_EQ(document["exit_code"], first.exit_code);
  const auto& decode = document["decode"];
  EXPECT_GT(decode["passes_count"], 4);
  EXPECT_EQ(document["steps"].size(), decode["passes_count"].get<std::size_t>());
  EXPECT_EQ(decode["closure_ns"], 0);
  EXPECT_GT(decode["parts"]["compute_ns"], 0);
  std::int64_t explained_ns = decode["residual_ns"];
  for (const auto& [name, ns] : decode["parts"].items()) explained_ns += ns.get<std::int64_t>();
  EXPECT_EQ(explained_ns, decode["wall_ns"].get<std::int64_t>());
}

TEST_F(Report, says_how_the_run_was_started_what_the_machine_was_like_and_what_observing_cost) {
  const ending done = report(recorded(), {"--json", out_ / "state.json"});
  const auto document = nlohmann::json::parse(contents_of(out_ / "state.json"));
  std::map<std::string, std::string> facts;
  for (const auto& fact : document["audit"]["facts"]) facts[fact["name"]] = fact["value"];
  EXPECT_THAT(facts["command line"], HasSubstr("audit --prompt Moses --max-new-tokens 24"));
  EXPECT_FALSE(facts["knobs"].empty());
  EXPECT_FALSE(facts["build type"].empty());
  EXPECT_THAT(facts["observer cost, estimated"], HasSubstr("records a step"));
  // A busy machine may leave it no time, and then says so.
  EXPECT_THAT(facts["observer cost, measured"],
              testing::AnyOf(HasSubstr("median ratio"), HasSubstr("--observer-cost")));
  std::map<std::string, nlohmann::json> conditions;
  for (const auto& each : document["conditions"]) conditions[each["name"]] = each;
  // Before the run, before its one request, behind it.
  EXPECT_EQ(conditions["cores that the process may use"]["samples_count"], 3);
  EXPECT_GT(conditions["core clock, timed"]["least"], 100'000'000);
  for (const auto& [name, each] : conditions)
    EXPECT_NE(each.contains("absence"), each["samples_count"] > 0) << name;
  EXPECT_THAT(done.out, HasSubstr("The machine's state during the run"));
}

TEST_F(Report, the_timeline_has_each_call_its_work_and_the_arrow_between_as_viewers_want_it) {
  static_cast<void>(report(recorded(), {"--timeline", out_ / "t.json"}));
  const auto document = nlohmann::json::parse(contents_of(out_ / "t.json"));
  EXPECT_THAT(reports::trace_event_rules::breaches(document), testing::IsEmpty());
  std::map<std::string, int> phases;
  std::map<std::string, int> categories;
  std::map<std::string, int> arrows;
  int copies = 0;
  for (const auto& event : document["traceEvents"]) {
    const std::string phase = event["ph"];
    ++phases[phase];
    if (phase == "X") ++categories[event["cat"]];
    if (phase == "f") ++arrows[event["name"]];
    if (phase == "X" && event["cat"] == "device" && event["name"].get<std::string>()[0] == 'c')
      ++copies;
  }
  EXPECT_GT(phases["X"], 400);
  EXPECT_GT(phases["C"], 58);
  EXPECT_GT(phases["B"], 24);
  EXPECT_EQ(arrows["submission"], categories["device"]) << "an arrow to each piece of work";
  EXPECT_EQ(arrows["first use"] + arrows["waited for"], copies) << "and one from each copy";
  EXPECT_GT(arrows["first use"], 24);
  EXPECT_GT(arrows["waited for"], 24);
}

TEST_F(Report, a_cut_trace_is_reported_as_far_as_it_goes_and_says_so_first) {
  const ending end =
      report(std::string_view(recorded()).substr(0, recorded().size() * 3 / 4), all_forms("cut"));
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_LT(end.out.find("INCOMPLETE (cut off after block "), end.out.find("Speed:"));
  EXPECT_THAT(contents_of(out_ / "cut.html"), HasSubstr("INCOMPLETE (cut off after block "));
  EXPECT_THAT(end.out, HasSubstr("What came after the trace was cut off"));
  const auto timeline = nlohmann::json::parse(contents_of(out_ / "cut.trace.json"));
  EXPECT_TRUE(timeline["otherData"].contains("incompleteness"));
}

// The trace as it is when the clock jumps back by an hour half way through its records.
std::string set_back(std::string bytes) {
  static assay_crc32_table table;
  assay_crc32_init(&table);
  std::vector<assay_record*> all;
  std::vector<assay_block_header*> blocks;
  for (std::size_t at = sizeof(assay_file_header); at < bytes.size();) {
    auto* block = reinterpret_cast<assay_block_header*>(bytes.data() + at);
    auto* first = reinterpret_cast<assay_record*>(block + 1);
    const std::size_t count = block->payload_bytes / sizeof(assay_record);
    blocks.push_back(block);
    for (std::size_t i = 0; block->type == ASSAY_BLOCK_RECORDS && i < count; ++i)
      all.push_back(first + i);
    at += sizeof(assay_block_header) + block->payload_bytes;
  }
  constexpr std::int64_t hour_ns = 3'600'000'000'000;
  for (std::size_t i = all.size() / 2; i < all.size(); ++i)
    for (std::int64_t* stamp : {&all[i]->start_ns, &all[i]->end_ns})
      if (*stamp != 0) *stamp -= hour_ns;
  for (assay_block_header* each : blocks) {
    each->crc32 = 0;
    each->crc32 = assay_crc32(&table, 0, each, sizeof(*each) + each->payload_bytes);
  }
  return bytes;
}

TEST_F(Report, a_clock_that_goes_backwards_is_what_every_form_says_first) {
  const ending end = report(set_back(recorded()), all_forms("back"));
  EXPECT_EQ(end.exit_code, 4) << end.err;
  EXPECT_EQ(end.err, "");
  const std::string headline = end.out.substr(0, end.out.find('\n'));
  EXPECT_THAT(headline, testing::StartsWith("FOUND by the audit"));
  EXPECT_THAT(headline, HasSubstr("R17 CLOCK_SKEW"));
  EXPECT_THAT(headline, HasSubstr("not to be believed"));
  EXPECT_THAT(end.out, HasSubstr("1 passes end before they begin: a clock went backwards"));
  for (const char* form : {"back.html", "back.md"})
    EXPECT_THAT(contents_of(out_ / form), HasSubstr("FOUND by the audit")) << form;
  EXPECT_EQ(nlohmann::json::parse(contents_of(out_ / "back.json"))["exit_code"], 4);
}

TEST_F(Report, a_run_without_a_decode_step_has_a_reason_in_place_of_each_figure) {
  static_cast<void>(
      run({"audit", "--prompt", "Moses", "--max-new-tokens", "1", "--out-trace", trace_}));
  const ending end = run({"report", trace_, "--json", out_ / "none.json"});
  EXPECT_THAT(end.exit_code, testing::AnyOf(0, 4)) << end.err;
  EXPECT_THAT(end.out, HasSubstr("decode unmeasured (the trace holds no two tokens"));
  EXPECT_THAT(end.out,
              HasSubstr("Where a decode step's time went: the trace holds no decode step"));
  const auto document = nlohmann::json::parse(contents_of(out_ / "none.json"));
  EXPECT_EQ(document["decode"]["passes_count"], 0);
  EXPECT_TRUE(document["steps"].empty());
}

TEST_F(Report, what_is_no_trace_leaves_one_line_and_no_page) {
  std::string newer = recorded();
  newer[8] = 9;
  for (const std::string& bytes :
       {std::string(), std::string("{}"), newer, recorded().substr(0, 20)}) {
    const ending end = report(bytes, all_forms("none"));
    EXPECT_NE(end.exit_code, 0);
    EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
    EXPECT_EQ(end.out, "");
    for (const char* form : {".html", ".md", ".json", ".trace.json"})
      EXPECT_FALSE(std::filesystem::exists(out_ / (std::string("none") + form))) << form;
  }
}

TEST_F(Report, a_full_disk_is_one_line_and_no_success) {
  for (const char* form : {"--html", "--markdown", "--json", "--timeline"}) {
    const ending end = report(recorded(), {form, "/dev/full"});
    EXPECT_EQ(end.exit_code, 3) << form;
    EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
    EXPECT_THAT(end.err, HasSubstr("/dev/full"));
  }
}

TEST_F(Report, does_not_write_over_its_trace) {
  const ending end = report(recorded(), {"--html", trace_});
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
  EXPECT_EQ(contents_of(trace_), recorded());
}

// Two traces: the one that is whole, and another.
class ReportOfTwo : public Report {
 protected:
  ending against(std::string_view other, const std::string& tag) {
    write_file(trace_, recorded());
    write_file(other_, other);
    return run({"report", trace_, other_, "--html", out_ / (tag + ".html"), "--markdown",
                out_ / (tag + ".md"), "--json", out_ / (tag + ".json")});
  }
  std::string other_ = out_ / "other.trace";
};

TEST_F(ReportOfTwo, a_trace_does_not_differ_from_its_copy) {
  const ending end = against(recorded(), "same");
  EXPECT_EQ(end.err, "");
  EXPECT_THAT(end.out, HasSubstr("no difference that this data can show"));
  const auto document = nlohmann::json::parse(contents_of(out_ / "same.json"));
  EXPECT_EQ(document["exit_code"], end.exit_code);
  EXPECT_EQ(document["token_ids"], "same");
  EXPECT_EQ(document["aligned_steps_count"], document["first"]["steps_count"]);
  EXPECT_GT(document["counts"].size(), 50u);
  for (const auto& each : document["counts"]) EXPECT_EQ(each["verdict"], "same") << each["subject"];
  for (const auto& each : document["times"])
    EXPECT_EQ(each["verdict"], "no difference that this data can show") << each["subject"];
  EXPECT_EQ(run({"report", trace_, trace_}).out, end.out) << "one file may be both";
}

TEST_F(ReportOfTwo, a_side_that_is_no_trace_leaves_one_line_that_names_it_and_no_page) {
  std::string newer = recorded();
  newer[8] = 9;
  for (const std::string& bytes :
       {std::string(), std::string("{}"), newer, recorded().substr(0, 20)}) {
    const ending end = against(bytes, "none");
    EXPECT_NE(end.exit_code, 0);
    EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
    EXPECT_THAT(end.err, HasSubstr("other.trace"));
    EXPECT_EQ(end.out, "");
    for (const char* form : {".html", ".md", ".json"})
      EXPECT_FALSE(std::filesystem::exists(out_ / (std::string("none") + form))) << form;
  }
  EXPECT_NE(run({"report", trace_, out_ / "absent"}).exit_code, 0);
}

TEST_F(ReportOfTwo, a_side_that_was_cut_says_so_first) {
  const ending end =
      against(std::string_view(recorded()).substr(0, recorded().size() * 3 / 4), "cut");
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_EQ(end.out.rfind("Of the second: INCOMPLETE (cut off after block ", 0), 0u) << end.out;
  EXPECT_THAT(end.out, HasSubstr("steps that only one of the two has"));
}

TEST_F(ReportOfTwo, neither_side_is_written_over_and_a_full_disk_is_no_success) {
  write_file(trace_, recorded());
  write_file(other_, recorded());
  for (const std::string& each : {trace_, other_}) {
    const ending end = run({"report", trace_, other_, "--json", each});
    EXPECT_EQ(end.exit_code, 2);
    EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
    EXPECT_EQ(contents_of(each), recorded());
  }
  EXPECT_EQ(run({"report", trace_, other_, "--html", "/dev/full"}).exit_code, 3);
  EXPECT_EQ(run({"report", trace_, other_, "--timeline", out_ / "t"}).exit_code, 2);
  EXPECT_EQ(run({"report", trace_, other_, trace_}).exit_code, 2);
}

TEST_F(ReportOfTwo, runs_without_a_step_in_common_are_not_comparable) {
  const std::string stepless = out_ / "stepless";
  static_cast<void>(
      run({"audit", "--prompt", "Moses", "--max-new-tokens", "1", "--out-trace", stepless}));
  const ending end = against(contents_of(stepless), "none");
  EXPECT_EQ(end.exit_code, 5);
  EXPECT_THAT(end.out, HasSubstr("NOT COMPARABLE: no decode step"));
  EXPECT_THAT(contents_of(out_ / "none.html"), HasSubstr("NOT COMPARABLE"));
  EXPECT_EQ(nlohmann::json::parse(contents_of(out_ / "none.json"))["outcome"], "not comparable");
}

// One pair can tell two processes apart and no two programs; several runs a side can.
TEST_F(ReportOfTwo, several_runs_a_side_are_read_and_named) {
  write_file(trace_, recorded());
  write_file(other_, recorded());
  const arguments sides{"report", "--first", trace_,          other_,   "--second",     other_,
                        trace_,   "--json",  out_ / "s.json", "--html", out_ / "s.html"};
  const ending end = run(sides);
  EXPECT_EQ(end.err, "");
  const auto document = nlohmann::json::parse(contents_of(out_ / "s.json"));
  EXPECT_EQ(document["runs"].size(), 4u);
  EXPECT_EQ(document["repeats_count"], 0);
  EXPECT_THAT(end.out, HasSubstr("in 2 runs of the first and 2 of the second"));
  EXPECT_THAT(end.out, HasSubstr("2 and 2 runs are too few"));
  EXPECT_THAT(contents_of(out_ / "s.html"), HasSubstr("Runs of both sides"));
  const ending cut = [&] {
    write_file(other_, std::string_view(recorded()).substr(0, recorded().size() * 3 / 4));
    return run(sides);
  }();
  EXPECT_EQ(cut.exit_code, 3);
  EXPECT_THAT(cut.out, HasSubstr("Run 2 of the first: its audit says could not measure."));
}

TEST_F(ReportOfTwo, a_repeat_is_a_run_of_its_own) {
  write_file(trace_, recorded());
  write_file(other_, recorded());
  for (const arguments& given :
       {arguments{"report", "--first", trace_, trace_, "--second", other_},
        arguments{"report", "--first", trace_}, arguments{"report", "--second", trace_},
        arguments{"report", trace_, "--first", trace_, "--second", other_}, arguments{"report"},
        arguments{"report", "--first", trace_, "--second", other_, "--timeline", out_ / "t"},
        arguments{"report", "--first", trace_, "--second", other_, "--json", other_},
        arguments{"report", "--first", trace_, "--second", other_, "--history", out_ / "h.db"}}) {
    const ending end = run(given);
    EXPECT_EQ(end.exit_code, 2) << testing::PrintToString(given);
    EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
    EXPECT_EQ(end.out, "");
  }
  EXPECT_EQ(contents_of(other_), recorded());
}

TEST_F(Report, names_launches_and_says_which_cache_may_have_served_them) {
  static_cast<void>(report(recorded(), {"--json", out_ / "n.json"}));
  const auto document = nlohmann::json::parse(contents_of(out_ / "n.json"));
  const auto& decode = document["decode"];
  EXPECT_EQ(decode["named_passes_count"], decode["passes_count"]);
  std::set<std::string> names;
  for (const auto& each : decode["launches"]) {
    names.insert(each.value("operator", ""));
    EXPECT_EQ(each["planned_weight_bytes"], each["weight_bytes"]) << each;
    EXPECT_EQ(each["calls_count"], each["launches_count"]);
    EXPECT_GT(each["call_ns"], 0);
  }
  EXPECT_EQ(names, (std::set<std::string>{"attention", "down_projection", "embedding", "gated_mlp",
                                          "head", "norm_qkv", "output_projection", "rotary"}));
}

TEST_F(Report, a_history_that_cannot_be_written_is_one_line_and_leaves_no_page) {
  for (const std::string& where : {out_ / "absent" + "/h.db", std::string("/dev/full")}) {
    const ending end =
        report(recorded(), {"--history", where, "--html", out_ / "h.html", "--commit", "c"});
    EXPECT_NE(end.exit_code, 0) << where;
    EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
    EXPECT_FALSE(std::filesystem::exists(out_ / "h.html")) << where;
  }
}

TEST_F(Report, a_report_is_kept_once_and_shows_in_the_trends) {
  const std::string kept = out_ / "h.db";
  for (int again = 0; again < 2; ++again)
    EXPECT_EQ(report(recorded(), {"--history", kept, "--commit", "c1"}).err, "");
  const ending listed = run({"history", "list", "--history", kept});
  EXPECT_EQ(std::count(listed.out.begin(), listed.out.end(), '\n'), 1) << listed.out;
  EXPECT_EQ(run({"history", "changes", "--history", kept, "--html", out_ / "t.html"}).err, "");
  EXPECT_THAT(contents_of(out_ / "t.html"), HasSubstr("decode step: residual"));
  EXPECT_EQ(run({"history", "changes", "--history", kept, "--html", kept}).exit_code, 2);
}

TEST_F(Report, a_lie_is_kept_beside_the_honest_trace_of_its_run) {
  const std::string lying = out_ / "lying";
  const std::string honest = out_ / "honest";
  EXPECT_EQ(run({"selftest", "--lie", "bits for bytes", "--out-trace", lying, "--out-honest-trace",
                 honest})
                .exit_code,
            0);
  EXPECT_EQ(run({"report", lying}).out.rfind("FOUND by the audit", 0), 0u);
  EXPECT_THAT(run({"report", honest, lying}).out, HasSubstr("0 differ between these two runs"));
  for (const arguments& wrong : {arguments{"selftest", "--lie", "no such", "--out-trace", lying},
                                 arguments{"selftest", "--lie", "bits for bytes"},
                                 arguments{"selftest", "--out-trace", lying},
                                 arguments{"selftest", "--lie", "bits for bytes", "--out-trace",
                                           lying, "--out-honest-trace", lying}}) {
    const ending end = run(wrong);
    EXPECT_EQ(end.exit_code, 2);
    EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
  }
}

}  // namespace
}  // namespace assay::cli_test
