// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a contract that was just begun could be broken by the very file that it was begun
// from, or hide what is wrong in it.
#include <gmock/gmock.h>

#include "harness/guard/contract_start.h"
#include "harness/guard/contradictions.h"
#include "harness/guard/guard.h"
#include "harness/ingest/guard_contract_json.h"
#include "tests/guard/guarded.h"

namespace assay::guard_test {
namespace {

using testing::Each;
using testing::Field;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

named_text begun_from(const named_text& metrics) {
  return {"begun.json", guard::contract_as_json(guard::contract_from(read(metrics.text)))};
}

// All that is found of a file by the contract that was begun from it: warnings, and never an error.
std::set<std::string> warned_of(const std::string& text) {
  const named_text metrics{"m.prom", text};
  const named_text contract = begun_from(metrics);
  const auto parsed = ingest::parse_guard_contract(contract.text, contract.file);
  EXPECT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_THAT(guard::contradictions(parsed.value()), IsEmpty());
  const auto report = report_of(contract, {{metrics}});
  EXPECT_EQ(outcome_of(report), model::outcome::clean);
  EXPECT_THAT(report.findings,
              Each(Field(&model::guard_finding::severity, model::severity::warning)));
  return found_in(report);
}

TEST(Init, a_contract_that_was_begun_from_a_file_is_kept_by_it_and_tells_its_defects) {
  EXPECT_THAT(warned_of(fixture("vllm.prom").text),
              UnorderedElementsAre("histogram vllm:time_to_first_token_seconds"));
  EXPECT_THAT(warned_of(fixture("node.prom").text),
              UnorderedElementsAre("range node_filesystem_files_free"));
  EXPECT_THAT(
      warned_of(fixture("dcgm.prom").text),
      UnorderedElementsAre("wrong-kind DCGM_FI_PROF_PCIE_TX_BYTES", "range DCGM_FI_DEV_FB_USED"));
  EXPECT_THAT(warned_of(fixture("llama.prom").text), IsEmpty());
  EXPECT_THAT(warned_of(fixture("node.prom").text + "# EOF\n" + fixture("node-later.prom").text +
                        "# EOF\n"),
              UnorderedElementsAre("range node_filesystem_files_free",
                                   "wrong-kind node_cpu_seconds_total"));
}

TEST(Init, what_a_field_s_exporters_publish_rightly_is_not_even_warned_of) {
  for (const char* text :
       {"# TYPE process_virtual_memory_max_bytes gauge\nprocess_virtual_memory_max_bytes "
        "1.8446744073709552e+19\n",
        "# TYPE container_spec_memory_limit_bytes gauge\ncontainer_spec_memory_limit_bytes "
        "9.223372036854771712e+18\n",
        "# TYPE jvm_memory_max_bytes gauge\njvm_memory_max_bytes -1\n",
        "# TYPE quota_bytes gauge\nquota_bytes +Inf\n",
        "# TYPE node_timex_offset_seconds gauge\nnode_timex_offset_seconds -1.2e-05\n",
        "# TYPE busy_ratio gauge\nbusy_ratio 1.0000000000000002\n",
        "# TYPE speedup_ratio gauge\nspeedup_ratio 3.2\n# TYPE write_amplification_ratio gauge\n"
        "write_amplification_ratio 12\n# TYPE compression_ratio gauge\ncompression_ratio 2.5\n",
        "# TYPE depth_bytes gaugehistogram\ndepth_bytes_bucket{le=\"1024\"} 4\n"
        "depth_bytes_bucket{le=\"+Inf\"} 5\ndepth_bytes_gcount 5\ndepth_bytes_gsum 9000\n# EOF\n"
        "# TYPE depth_bytes gaugehistogram\ndepth_bytes_bucket{le=\"1024\"} 2\n"
        "depth_bytes_bucket{le=\"+Inf\"} 3\ndepth_bytes_gcount 3\ndepth_bytes_gsum 5000\n# EOF\n"})
    EXPECT_THAT(warned_of(text), IsEmpty()) << text;
}

TEST(Init, what_may_be_a_lie_stays_a_warning) {
  const auto gauge = [](const std::string& name, const char* value) {
    return warned_of("# TYPE " + name + " gauge\n" + name + " " + value + "\n");
  };
  // A longest time that nobody saw, a difference without its sign, a fill of 350 %.
  EXPECT_THAT(gauge("a_max_seconds", "9223372036854775807"),
              UnorderedElementsAre("range a_max_seconds"));
  EXPECT_THAT(gauge("free_bytes", "18446744073708551616"),
              UnorderedElementsAre("range free_bytes"));
  EXPECT_THAT(gauge("free_bytes", "-1"), UnorderedElementsAre("range free_bytes"));
  EXPECT_THAT(gauge("fill_ratio", "3.5"), UnorderedElementsAre("range fill_ratio"));
  EXPECT_THAT(gauge("cpus_total", "8"), UnorderedElementsAre("wrong-kind cpus_total"));
  EXPECT_THAT(warned_of("# TYPE hit_ratio_total counter\nhit_ratio_total 3\n"),
              UnorderedElementsAre("unit-in-name hit_ratio_total"));
  EXPECT_THAT(warned_of("# TYPE a_total counter\na_total -3\n"),
              UnorderedElementsAre("range a_total"));
}

TEST(Init, what_was_not_wrong_when_the_contract_was_begun_is_an_error_later) {
  const named_text before{"m.prom",
                          "# TYPE a_ratio gauge\na_ratio 3\n# TYPE b_ratio gauge\nb_ratio 1\n"};
  const named_text later{"n.prom",
                         "# TYPE a_ratio gauge\na_ratio 1\n# TYPE b_ratio gauge\nb_ratio 2\n"};
  const named_text contract = begun_from(before);
  const auto report = report_of(contract, {{later}});
  EXPECT_EQ(outcome_of(report), model::outcome::found);
  EXPECT_THAT(found_in(report), UnorderedElementsAre("range b_ratio", "range a_ratio"))
      << "of what is known and gone, the entry is warned of";
}

TEST(Init, a_line_that_is_none_is_found_again) {
  const named_text metrics{"m.prom", "# TYPE a_total counter\na_total 1\na_total 1\n"};
  EXPECT_EQ(outcome_of(report_of(begun_from(metrics), {{metrics}})), model::outcome::found);
}

TEST(Init, only_a_check_s_word_can_be_known) {
  const auto parsed = ingest::parse_guard_contract(
      contract_with(R"({"name": "a", "kind": "gauge", "unit": "none"})",
                    R"(, "known": [{"check": "input", "name": "line 3", "reason": "r"},
                                   {"check": "rnage", "name": "a", "reason": "r"},
                                   {"check": "range", "name": "a", "reason": "r"}])")
          .text,
      "c");
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_EQ(guard::contradictions(*parsed).size(), 2u);
}

}  // namespace
}  // namespace assay::guard_test
