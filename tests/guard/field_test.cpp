// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this the guard could pass over the very defects that metrics of the field have shipped,
// or find some where there are none.
#include <gmock/gmock.h>

#include "harness/guard/checks.h"
#include "harness/guard/guard.h"
#include "tests/guard/guarded.h"

namespace assay::guard_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(Field, a_hit_counter_that_stands_and_a_latency_of_zero_are_found_in_the_shape_of_vllm) {
  const auto report = report_of(fixture("vllm.contract.json"),
                                {{fixture("vllm.prom"), fixture("vllm-later.prom")}});
  EXPECT_THAT(found_in(report), UnorderedElementsAre("never-moved vllm:prefix_cache_hits_total",
                                                     "unit-in-name vllm:kv_cache_usage_perc",
                                                     "histogram vllm:time_to_first_token_seconds"));
  EXPECT_EQ(outcome_of(report), model::outcome::found);
}

TEST(Field, a_rate_that_calls_itself_a_counter_and_blanks_are_found_in_the_shape_of_dcgm) {
  const auto report = report_of(fixture("dcgm.contract.json"),
                                {{fixture("dcgm.prom"), fixture("dcgm-later.prom")}});
  EXPECT_THAT(found_in(report),
              UnorderedElementsAre("wrong-kind DCGM_FI_PROF_PCIE_TX_BYTES",
                                   "never-moved DCGM_FI_PROF_PCIE_RX_BYTES",
                                   "range DCGM_FI_DEV_GPU_UTIL", "range DCGM_FI_DEV_FB_USED"));
  for (const auto& found : report.findings)
    if (found.subject == "DCGM_FI_DEV_GPU_UTIL") {
      EXPECT_THAT(found.message, HasSubstr("808334905"));
      EXPECT_THAT(found.message, HasSubstr("1 more"));
      EXPECT_EQ(found.where, "dcgm.prom:4");
    }
}

TEST(Field, a_counter_that_falls_and_a_NaN_are_found_in_the_shape_of_node_exporter) {
  const auto report = report_of(fixture("node.contract.json"),
                                {{fixture("node.prom"), fixture("node-later.prom")}});
  EXPECT_THAT(found_in(report), UnorderedElementsAre("wrong-kind node_cpu_seconds_total",
                                                     "range node_filesystem_files_free",
                                                     "never-written node_filesystem_size_bytes"));
}

TEST(Field, a_rate_named_seconds_and_a_path_that_nothing_reads_are_found_in_the_shape_of_llama) {
  guarded what{
      {fixture("llama.prom")}, {fixture("llama.md")}, {fixture("llama-source/server.cpp")}};
  const auto report = report_of(fixture("llama.contract.json"), what);
  EXPECT_THAT(found_in(report),
              UnorderedElementsAre("unit-in-name llamacpp:prompt_tokens_seconds",
                                   "unit-in-name llamacpp:predicted_tokens_seconds",
                                   "ratio llamacpp:predicted_tokens_seconds",
                                   "documented-absent llamacpp:kv_cache_usage_ratio",
                                   "undocumented llamacpp:requests_deferred",
                                   "no-writer llamacpp:requests_deferred",
                                   "variable-unread LLAMA_ARG_AUTH_PATH",
                                   "variable-undocumented LLAMA_ARG_AUTH_FILE"));
  EXPECT_EQ(report.not_judged.size(), 4u) << "whether four counters move needs a second snapshot";
}

// Each pair differs by the fault alone.
struct near_pair {
  const char* check;
  const char* metric;
  const char* further;
  std::vector<const char*> honest;
  std::vector<const char*> faulty;
  const char* rule;
};

const near_pair pairs[] = {
    {"undeclared",
     R"({"name": "a_total", "kind": "counter", "unit": "count"})",
     R"(, "ignored": [{"name": "go_*", "reason": "the runtime's"}])",
     {"a_total 1\ngo_x 1\n"},
     {"a_total 1\nb_total 1\n"},
     "R26"},
    {"never-written",
     R"({"name": "a_total", "kind": "counter", "unit": "count"})",
     "",
     {"# TYPE a_total counter\na_total 0\n"},
     {"# TYPE a_total counter\n"},
     "R25"},
    {"never-moved",
     R"({"name": "a_total", "kind": "counter", "unit": "count", "exercised": true})",
     "",
     {"a_total 5\n", "a_total 6\n"},
     {"a_total 5\n", "a_total 5\n"},
     "R13"},
    {"never-moved",
     R"({"name": "a_total", "kind": "counter", "unit": "count", "exercised": true})",
     "",
     {"a_total 5\n"},
     {"a_total 0\n"},
     "R13"},
    {"wrong-kind",
     R"({"name": "a", "kind": "counter", "unit": "count"})",
     "",
     {"# TYPE a counter\na 1\n", "a 1\n"},
     {"# TYPE a gauge\na 1\n", "a 1\n"},
     "R11"},
    {"wrong-kind",
     R"({"name": "a", "kind": "counter", "unit": "count"})",
     "",
     {"a 2\n", "a 2\n"},
     {"a 2\n", "a 1\n"},
     "R11"},
    {"range",
     R"({"name": "a", "kind": "gauge", "unit": "ratio"})",
     "",
     {"a 1\n"},
     {"a 1.01\n"},
     "R12"},
    // What every program of Go publishes, and a node's clock.
    {"range",
     R"({"name": "go_gc_gomemlimit_bytes", "kind": "gauge", "unit": "bytes"})",
     "",
     {"go_gc_gomemlimit_bytes 9.223372036854776e+18\n"},
     {"go_gc_gomemlimit_bytes 1.8446744073709e+19\n"},
     "R12"},
    {"range",
     R"({"name": "go_gc_gogc_percent", "kind": "gauge", "unit": "percent"})",
     "",
     {"go_gc_gogc_percent 400\n"},
     {"go_gc_gogc_percent NaN\n"},
     "R12"},
    {"range",
     R"({"name": "clock_frequency_adjustment_ratio", "kind": "gauge", "unit": "ratio"},
        {"name": "cpu_limit_percent", "kind": "gauge", "unit": "percent"},
        {"name": "cpu_percent", "kind": "gauge", "unit": "percent"})",
     "",
     {"clock_frequency_adjustment_ratio 1.0000176\ncpu_limit_percent 400\ncpu_percent 40\n"},
     {"clock_frequency_adjustment_ratio 1.0000176\ncpu_limit_percent 400\ncpu_percent 400\n"},
     "R12"},
    {"histogram",
     R"({"name": "size_bytes", "kind": "histogram", "unit": "bytes"},
        {"name": "h_seconds", "kind": "histogram", "unit": "seconds"})",
     "",
     {"size_bytes_bucket{le=\"1\"} 3\nsize_bytes_bucket{le=\"+Inf\"} 3\nsize_bytes_sum 0\n"
      "size_bytes_count 3\nh_seconds_bucket{le=\"+Inf\"} 3\nh_seconds_sum 1\nh_seconds_count 3\n"},
     {"size_bytes_bucket{le=\"1\"} 3\nsize_bytes_bucket{le=\"+Inf\"} 3\nsize_bytes_sum 0\n"
      "size_bytes_count 3\nh_seconds_bucket{le=\"+Inf\"} 3\nh_seconds_sum 0\nh_seconds_count 3\n"},
     "R13"},
    {"range",
     R"({"name": "a", "kind": "gauge", "unit": "celsius"})",
     "",
     {"a -3\n"},
     {"a +Inf\n"},
     "R12"},
    {"range",
     R"({"name": "a", "kind": "gauge", "unit": "bytes"})",
     "",
     {"a 0\n"},
     {"a -1\n"},
     "R12"},
    {"range",
     R"({"name": "a", "kind": "gauge", "unit": "count"})",
     "",
     {"a 4294967294\n"},
     {"a 4294967295\n"},
     "R12"},
    {"histogram",
     R"({"name": "h", "kind": "histogram", "unit": "seconds"})",
     "",
     {"# TYPE h histogram\nh_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_sum 9\nh_count 3\n"},
     {"# TYPE h histogram\nh_bucket{le=\"1\"} 4\nh_bucket{le=\"+Inf\"} 3\nh_sum 9\nh_count 3\n"},
     "R13"},
    {"histogram",
     R"({"name": "h", "kind": "histogram", "unit": "seconds"})",
     "",
     {"h_bucket{le=\"+Inf\",x=\"1\"} 3\nh_sum{x=\"1\"} 9\nh_count{x=\"1\"} 3\n"},
     {"h_bucket{le=\"+Inf\",x=\"1\"} 3\nh_sum{x=\"1\"} 9\nh_count{x=\"1\"} 4\n"},
     "R13"},
    {"histogram",
     R"({"name": "h", "kind": "histogram", "unit": "seconds"})",
     "",
     {"h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_sum 9\nh_count 3\n",
      "h_bucket{le=\"1\"} 3\nh_bucket{le=\"+Inf\"} 4\nh_sum 10\nh_count 4\n"},
     {"h_bucket{le=\"1\"} 4\nh_bucket{le=\"+Inf\"} 3\nh_sum 9\nh_count 3\n",
      "h_bucket{le=\"1\"} 4\nh_bucket{le=\"+Inf\"} 5\nh_sum 10\nh_count 5\n"},
     "R13"},
    {"histogram",
     R"({"name": "h", "kind": "histogram", "unit": "seconds"})",
     "",
     {"h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_sum 9\nh_count 3\n"},
     {"# TYPE h histogram\nh_sum 9\nh_count 3\n"},
     "R13"},
    {"histogram",
     R"({"name": "h", "kind": "histogram", "unit": "seconds"})",
     "",
     {"h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_sum 9\nh_count 3\n"},
     {"h_bucket{le=\"one\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_sum 9\nh_count 3\n"},
     "R13"},
    {"histogram",
     R"({"name": "h", "kind": "histogram", "unit": "seconds"})",
     "",
     {"h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_sum 9\nh_count 3\n"},
     {"h_bucket{le=\"1.0\"} 2\nh_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_sum 9\nh_count "
      "3\n"},
     "R13"},
    {"histogram",
     R"({"name": "h", "kind": "histogram", "unit": "seconds"})",
     "",
     {"h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_sum 9\nh_count 3\n",
      "h_bucket{le=\"1\"} 3\nh_bucket{le=\"+Inf\"} 4\nh_sum 9.5\nh_count 4\n"},
     {"h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_sum 9\nh_count 3\n",
      "h_bucket{le=\"1\"} 3\nh_bucket{le=\"+Inf\"} 4\nh_sum 8.5\nh_count 4\n"},
     "R16"},
    {"histogram",
     R"({"name": "h", "kind": "histogram", "unit": "seconds"})",
     "",
     {"h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_sum 9\nh_count 3\n",
      "h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 4\nh_sum 10.5\nh_count 4\n"},
     {"h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_sum 9\nh_count 3\n",
      "h_bucket{le=\"1\"} 1\nh_bucket{le=\"+Inf\"} 4\nh_sum 12\nh_count 4\n"},
     "R16"},
    {"histogram",
     R"({"name": "h", "kind": "histogram", "unit": "seconds"})",
     "",
     {"h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_sum 9\nh_count 3\n"},
     {"h_bucket{le=\"5\"} 0\nh_bucket{le=\"+Inf\"} 3\nh_sum 0.009\nh_count 3\n"},
     "R13"},
    {"histogram",
     R"({"name": "h", "kind": "histogram", "unit": "seconds"})",
     "",
     {"h_bucket{le=\"1\"} 3\nh_bucket{le=\"+Inf\"} 3\nh_sum 2.5\nh_count 3\n"},
     {"h_bucket{le=\"1\"} 3\nh_bucket{le=\"+Inf\"} 3\nh_sum 2500\nh_count 3\n"},
     "R13"},
    {"histogram",
     R"({"name": "h", "kind": "histogram", "unit": "seconds"})",
     "",
     {"h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_sum 9\nh_count 3\n",
      "h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 13\nh_sum 30\nh_count 13\n"},
     {"h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_sum 9\nh_count 3\n",
      "h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 13\nh_sum 13\nh_count 13\n"},
     "R16"},
    {"histogram",
     R"({"name": "h", "kind": "gaugehistogram", "unit": "bytes"})",
     "",
     {"h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_gcount 3\nh_gsum 9\n",
      "h_bucket{le=\"1\"} 1\nh_bucket{le=\"+Inf\"} 1\nh_gcount 1\nh_gsum 1\n"},
     {"h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_gcount 4\nh_gsum 9\n"},
     "R13"},
    {"undeclared",
     R"({"name": "h", "kind": "histogram", "unit": "seconds"})",
     "",
     {"h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_sum 9\nh_count 3\n"},
     {"h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_sum 9\nh_count 3\nh_total 3\n"},
     "R26"},
    {"undeclared",
     R"({"name": "s", "kind": "summary", "unit": "seconds"})",
     "",
     {"s{quantile=\"0.5\"} 1\ns_sum 3\ns_count 3\n"},
     {"s_sum 3\ns_count 3\ns_bucket{le=\"+Inf\"} 3\n"},
     "R26"},
    {"undeclared",
     R"({"name": "a_total", "kind": "counter", "unit": "count"})",
     "",
     {"a_total 1\na_created 100\n"},
     {"a_total 1\na_total_sum 4\n"},
     "R26"},
    {"unit-in-name",
     R"({"name": "a", "kind": "gauge", "unit": "seconds"})",
     "",
     {"# TYPE a gauge\n# UNIT a seconds\na 1\n# EOF\n"},
     {"# TYPE a gauge\n# UNIT a milliseconds\na 1\n# EOF\n"},
     "R10"},
    {"input",
     R"({"name": "a", "kind": "gauge", "unit": "seconds"})",
     "",
     {"# TYPE a gauge\n# UNIT a seconds\na 1\n# EOF\n"},
     {"# TYPE a gauge\n# UNIT a seconds\na 1\n"},
     ""},
    {"balance",
     R"({"name": "n", "kind": "gauge", "unit": "count"}, {"name": "all", "kind": "gauge", "unit": "count"})",
     R"(, "balances": [{"name": "b", "equation": "n{s=\"hit\"} + n{s=\"miss\"} = all"}])",
     {"n{s=\"hit\"} 2\nn{s=\"miss\"} 3\nall 5\n"},
     {"n{s=\"hit\"} 2\nn{s=\"miss\"} 3\nall 6\n"},
     "R07"},
    {"ratio",
     R"({"name": "r", "kind": "gauge", "unit": "ratio"}, {"name": "p", "kind": "counter", "unit": "count"}, {"name": "w", "kind": "counter", "unit": "count"})",
     R"(, "ratios": [{"name": "b", "ratio": "r", "part": "p", "whole": "w", "over": "last"}])",
     {"r 0.5\np 1\nw 2\n", "r 0.25\np 2\nw 6\n"},
     {"r 0.5\np 1\nw 2\n", "r 0.33\np 2\nw 6\n"},
     "R24"},
};

TEST(Near, each_check_finds_the_fault_and_nothing_without_it) {
  for (const near_pair& pair : pairs) {
    SCOPED_TRACE(std::string(pair.check) + " of " + pair.metric);
    guarded honest, faulty;
    for (const char* text : pair.honest) honest.metrics.push_back({"honest.prom", text});
    for (const char* text : pair.faulty) faulty.metrics.push_back({"faulty.prom", text});
    const named_text contract = contract_with(pair.metric, pair.further);
    EXPECT_THAT(found_in(report_of(contract, honest)), IsEmpty());
    const auto report = report_of(contract, faulty);
    ASSERT_EQ(report.findings.size(), 1u);
    EXPECT_EQ(report.findings[0].check, pair.check);
    EXPECT_EQ(report.findings[0].rule, pair.rule);
  }
}

TEST(Near, a_figure_of_a_finding_is_as_long_as_it_must_be) {
  const auto says = [](const char* metric, const char* text, const char* figures) {
    const auto report = report_of(contract_with(metric), {{{"m", text}}});
    ASSERT_EQ(report.findings.size(), 1u);
    EXPECT_THAT(report.findings[0].message, HasSubstr(figures));
  };
  says(R"({"name": "h", "kind": "histogram", "unit": "seconds"})",
       "h_bucket{le=\"0.1\"} 3\nh_bucket{le=\"+Inf\"} 3\nh_sum 123456789.123456\nh_count 3\n",
       "its _sum is 1.23457e+08, and what its buckets hold comes to 0 at least and 0.4 at most");
  constexpr const char* share = R"({"name": "a", "kind": "gauge", "unit": "ratio"})";
  says(share, "a 1.00000012\n", "a is 1.0000001: above 1, the most of its unit");
  says(share, "a 808334905\n", "a is 808334905: above 1");
  says(share, "a 0.30000000000000004e1\n", "a is 3: above 1");
}

TEST(Near, a_snapshot_of_OpenMetrics_that_is_cut_off_is_found_also_where_it_is_the_second) {
  const named_text contract = contract_with(R"({"name": "a", "kind": "gauge", "unit": "none"})");
  EXPECT_THAT(found_in(report_of(contract, {{{"m", "a 1\n# EOF\na 2\n"}}})),
              UnorderedElementsAre("input line 3"));
  EXPECT_THAT(found_in(report_of(contract, {{{"m", "a 1\n# EOF\n\n"}}})), IsEmpty());
  EXPECT_THAT(found_in(report_of(contract, {{{"m", "# TYPE a gauge\na 1\n"}}})), IsEmpty());
}

TEST(Near, a_file_in_a_document_is_no_metric) {
  const named_text contract =
      contract_with(R"({"name": "srv_a_total", "kind": "counter", "unit": "count"})",
                    R"(, "metric_prefixes": ["srv_"])");
  const auto found = [&](const std::string& words) {
    return found_in(report_of(contract, {{}, {{"page.md", "srv_a_total " + words}}}));
  };
  for (const char* words : {"see srv_metrics.md", "`srv_probe.py`", "in srv_data/", "/opt/srv_tool",
                            "src/srv_core/main.cpp", "srv_exporter-1.2.tar.gz", "./srv_tool"})
    EXPECT_THAT(found(words), IsEmpty()) << words;
  for (const char* words : {"srv_b_total", "srv_b_total/srv_a_total", "srv_b.", "(srv_b)",
                            "`srv_b`-like", "srv_a_total_bucket", "srv_a_bucket"})
    EXPECT_EQ(found(words).size(), 1u) << words;
}

TEST(Near, a_new_process_may_begin_its_counters_anew) {
  const named_text contract = contract_with(R"({"name": "a", "kind": "counter", "unit": "count"},
                       {"name": "process_start_time_seconds", "kind": "gauge", "unit": "seconds"})");
  const char* before = "a 5\nprocess_start_time_seconds 100\n";
  const auto restarted =
      report_of(contract, {{{"1", before}, {"2", "a 1\nprocess_start_time_seconds 200\n"}}});
  EXPECT_THAT(found_in(restarted), IsEmpty());
  EXPECT_EQ(restarted.not_judged.size(), 1u);
  const auto fallen =
      report_of(contract, {{{"1", before}, {"2", "a 1\nprocess_start_time_seconds 100\n"}}});
  EXPECT_THAT(found_in(fallen), UnorderedElementsAre("wrong-kind a"));
}

TEST(Near, a_counter_that_is_dead_after_a_restart_has_not_moved) {
  const named_text contract = contract_with(
      R"({"name": "a", "kind": "counter", "unit": "count", "exercised": true},
         {"name": "process_start_time_seconds", "kind": "gauge", "unit": "seconds"})");
  const named_text before{"1", "a 5\nprocess_start_time_seconds 100\n"};
  const named_text again{"2", "a 0\nprocess_start_time_seconds 200\n"};
  const named_text grown{"3", "a 1\nprocess_start_time_seconds 200\n"};
  EXPECT_THAT(found_in(report_of(contract, {{before, again}})),
              UnorderedElementsAre("never-moved a"));
  EXPECT_THAT(found_in(report_of(contract, {{before, again, again}})),
              UnorderedElementsAre("never-moved a"));
  EXPECT_THAT(found_in(report_of(contract, {{before, again, grown}})), IsEmpty());
}

TEST(Near, an_everyday_word_of_a_document_explains_no_metric) {
  const named_text contract =
      contract_with(R"({"name": "srv_requests_total", "kind": "counter", "unit": "count"})",
                    R"(, "metric_prefixes": ["srv_"])");
  const auto found = [&](const char* words) {
    return found_in(report_of(contract, {{}, {{"page.md", words}}}));
  };
  for (const char* words : {"It serves requests.", "requests_total of what it serves"})
    EXPECT_THAT(found(words), UnorderedElementsAre("undocumented srv_requests_total")) << words;
  for (const char* words : {"`srv_requests_total` counts them", "srv_requests in OpenMetrics"})
    EXPECT_THAT(found(words), IsEmpty()) << words;
}

// Each pair is a name, a unit that it does not contradict, and one that it does.
TEST(Near, a_unit_is_seen_wherever_it_stands_in_a_name) {
  const auto found = [&](const std::string& name, const std::string& unit) {
    const named_text contract =
        contract_with(R"({"name": ")" + name + R"(", "kind": "gauge", "unit": ")" + unit + "\"}");
    return !found_in(report_of(contract, {{{"m", name + " 1\n"}}})).empty();
  };
  const char* const names[][3] = {{"wait_seconds_avg", "seconds", "milliseconds"},
                                  {"wait_seconds_p99", "seconds", "milliseconds"},
                                  {"wait_ms_max", "milliseconds", "seconds"},
                                  {"rx_bytes_peak", "bytes", "count"},
                                  {"heap_bytes_inuse", "bytes", "mebibytes"},
                                  {"bytes_max", "bytes", "mebibytes"},
                                  {"wait_time_ns", "nanoseconds", "microseconds"},
                                  {"grants_ns", "nanoseconds", "microseconds"},
                                  {"rx_bytes_per_second_avg", "bytes_per_second", "bytes"}};
  for (const auto& [name, honest, lie] : names) {
    EXPECT_FALSE(found(name, honest)) << name;
    EXPECT_TRUE(found(name, lie)) << name;
  }
  for (const char* name : {"pods_by_ns", "pods_ns", "waits_for_us", "wait_seconds_count",
                           "seconds_per_token", "tokens_per_request"})
    EXPECT_FALSE(found(name, "count")) << name;
}

TEST(Near, a_ratio_of_nothing_is_a_warning_where_it_is_published) {
  const named_text contract = contract_with(
      R"({"name": "r", "kind": "gauge", "unit": "ratio", "optional": true, "reason": "none at first"},
         {"name": "p", "kind": "counter", "unit": "count"}, {"name": "w", "kind": "counter", "unit": "count"})",
      R"(, "ratios": [{"name": "b", "ratio": "r", "part": "p", "whole": "w"}])");
  const auto zero = report_of(contract, {{{"1", "r 0\np 0\nw 0\n"}}});
  EXPECT_THAT(found_in(zero), UnorderedElementsAre("ratio r"));
  EXPECT_EQ(outcome_of(zero), model::outcome::clean);
  EXPECT_THAT(found_in(report_of(contract, {{{"1", "p 0\nw 0\n"}}})), IsEmpty());
}

TEST(Effort, a_check_that_looked_at_nothing_says_why) {
  const auto report = report_of(contract_with(R"({"name": "a", "kind": "gauge", "unit": "none"})"),
                                {{{"m", "a 1\n"}}});
  ASSERT_EQ(report.checks.size(), guard::checks().size());
  for (const auto& check : report.checks)
    EXPECT_EQ(check.evaluated == 0, !check.absence.empty()) << check.name;
}

TEST(Effort, what_measured_nothing_is_no_clean_run) {
  const named_text contract = contract_with(
      R"({"name": "a", "kind": "gauge", "unit": "none", "optional": true, "reason": "seldom"})",
      R"(, "variable_prefixes": ["A_"])");
  const auto report = report_of(contract, {{{"m", "# nothing\n"}}});
  EXPECT_EQ(outcome_of(report), model::outcome::could_not_measure);
}

}  // namespace
}  // namespace assay::guard_test
