// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without these tests a ceiling or the reason of an absent reading could be lost or altered on its
// way through a trace, and a rule would judge by a bound that nobody measured.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probes/trace/run_facts.h"

namespace assay::trace {
namespace {

using telemetry::link_class;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

run_facts sample() {
  run_facts facts;
  facts.add_fact("host", "AMD EPYC");
  facts.add_fact("prompt", "Once \"upon\"\n a t\xc3\xafme");
  facts.ceilings = {{link_class::host_memcpy, 12345678901.5, 0.0, 9, "no raw rate is known"},
                    {link_class::pcie, 0.0, 64e9, 0, "no copy of this size was made"}};
  facts.clocks = {{"processor's counter", 2.45e9}};
  facts.bases = {{"layers", 28.0}, {"isolated over batched", 1.5}};
  facts.reasons = {"no CUDA device", "greedy: nothing is drawn"};
  facts.notes = {"the link was measured between the requests"};
  facts.has_one_observer = true;
  using telemetry::arithmetic;
  facts.step_plan = {{"norm_qkv", 262'656, false, {{arithmetic::f32_fma, 524'288, 0, 0}}},
                     {"attention", 0, true, {{arithmetic::bf16_tensor, 0, 512, 2'048}}},
                     {"unplanned", 8, false}};
  facts.requests = {{12, 123'456'789, 5'000, arithmetic::bf16_tensor},
                    {1, 0, 0, arithmetic::f32_fma}};
  facts.arithmetic = {{arithmetic::f32_fma, 2.5e11, 9, "64-byte multiply-adds"},
                      {arithmetic::bf16_tensor, 0.0, 0, "no matrix unit"}};
  facts.cache_bytes = 52'428'800;
  facts.absent_conditions = {{"throttled by heat", "not exposed on this machine"}};
  return facts;
}

TEST(Facts, come_back_equal) {
  const auto parsed = parse_facts(to_json(sample()));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(*parsed, sample());
}

TEST(Facts, a_plan_and_a_cache_are_whole_and_the_later_wins_as_a_whole) {
  for (const char* bad : {R"({"step_plan":[{"operator":"","weight_bytes":1,"reads_kv":false}]})",
                          R"({"step_plan":[{"operator":"x","weight_bytes":-1,"reads_kv":false}]})",
                          R"({"step_plan":[{"operator":"x","weight_bytes":1.5,"reads_kv":false}]})",
                          R"({"step_plan":[{"operator":"x","weight_bytes":1}]})",
                          R"({"step_plan":[{"operator":"x","weight_bytes":1,"reads_kv":0}]})",
                          R"({"cache_bytes":-1})", R"({"cache_bytes":18446744073709551615})"})
    EXPECT_FALSE(parse_facts(bad)) << bad;
  run_facts into = sample();
  merge(into, run_facts{});
  EXPECT_EQ(into, sample());
  run_facts later;
  later.step_plan = {{"head", 8, false}};
  later.cache_bytes = 1;
  merge(into, later);
  EXPECT_EQ(into.step_plan, later.step_plan);
  EXPECT_EQ(into.cache_bytes, 1);
}

TEST(Facts, planned_work_and_ceilings_of_arithmetic_are_whole) {
  const std::string launch =
      R"({"step_plan":[{"operator":"x","weight_bytes":1,"reads_kv":%,)"
      R"("products":{"by":"f32_fma","operations":8,)"
      R"("operations_per_context_token":4,"kv_bytes_per_context_token":2}}]})";
  const auto reading = [&](const char* reads_kv) {
    std::string out = launch;
    return out.replace(out.find('%'), 1, reads_kv);
  };
  EXPECT_TRUE(parse_facts(reading("true")));
  EXPECT_THAT(parse_facts(reading("false")).error().message, HasSubstr("does not read"));
  std::string bad = reading("true");
  bad.replace(bad.find("f32_fma"), 7, "f64_fma");
  EXPECT_THAT(parse_facts(bad).error().message, HasSubstr("bf16_tensor"));
  for (
      const char* each :
      {R"({"step_plan":[{"operator":"x","weight_bytes":1,"reads_kv":true,"products":8}]})",
       R"({"step_plan":[{"operator":"x","weight_bytes":1,"reads_kv":true,"products":)"
       R"({"by":"f32_fma","operations":8}}]})",
       R"({"requests":[{"prompt_tokens":1,"prefill_operations":2,"prefill_by":"f32_fma"}]})",
       R"({"requests":[{"prompt_tokens":-1,"prefill_operations":2,"prefill_bytes":3,"prefill_by":"f32_fma"}]})",
       R"({"requests":[{"prompt_tokens":1,"prefill_operations":1e99,"prefill_bytes":3,"prefill_by":"f32_fma"}]})",
       R"({"arithmetic":[{"by":"f32_fma","operations_per_s":0,"samples":1}]})",
       R"({"arithmetic":[{"by":"f32_fma","operations_per_s":null,"samples":0}]})",
       R"({"arithmetic":[{"by":"f32_fma","operations_per_s":1,"samples":1,"unit":"x"}]})"})
    EXPECT_FALSE(parse_facts(each)) << each;
}

TEST(Facts, later_plans_of_requests_win_as_a_whole_and_ceilings_of_arithmetic_by_name) {
  run_facts into = sample();
  run_facts later;
  later.requests = {{3, 4, 5, telemetry::arithmetic::f32_fma}};
  later.arithmetic = {{telemetry::arithmetic::f32_fma, 3e11, 12, "again"}};
  merge(into, later);
  EXPECT_EQ(into.requests, later.requests);
  EXPECT_THAT(into.arithmetic, ElementsAre(later.arithmetic[0], sample().arithmetic[1]));
}

TEST(Facts, an_absent_condition_has_a_reason_and_the_later_wins_by_name) {
  for (const char* bad : {R"({"absent_conditions":[{"name":"x"}]})",
                          R"({"absent_conditions":[{"name":"x","reason":""}]})",
                          R"({"absent_conditions":[{"name":"","reason":"y"}]})",
                          R"({"absent_conditions":{"name":"x","reason":"y"}})"})
    EXPECT_FALSE(parse_facts(bad)) << bad;
  run_facts into = sample();
  into.absent_conditions = {{"x", "early"}, {"z", "stays"}};
  run_facts later;
  later.absent_conditions = {{"x", "late \xff"}};
  merge(into, parse_facts(to_json(later)).value());
  EXPECT_THAT(into.absent_conditions, ElementsAre(absent_condition{"x", "late \xef\xbf\xbd"},
                                                  absent_condition{"z", "stays"}));
}

TEST(Facts, one_observer_is_said_or_not_and_stays_said) {
  EXPECT_FALSE(parse_facts("{}").value().has_one_observer);
  EXPECT_FALSE(parse_facts(R"({"one_observer":false})").value().has_one_observer);
  EXPECT_FALSE(parse_facts(R"({"one_observer":"yes"})"));
  run_facts facts = parse_facts(R"({"one_observer":true})").value();
  merge(facts, run_facts{});
  EXPECT_TRUE(facts.has_one_observer);
}

TEST(Facts, a_clock_or_a_base_is_a_number_above_zero_and_the_later_wins_by_name) {
  for (const char* bad :
       {R"({"clocks":[{"name":"x","hz":0}]})", R"({"clocks":[{"name":"x"}]})",
        R"({"bases":[{"name":"","value":2}]})", R"({"bases":[{"name":"x","hz":2}]})",
        R"({"bases":[{"name":"x","value":-1}]})"})
    EXPECT_FALSE(parse_facts(bad)) << bad;
  run_facts into = sample();
  run_facts later;
  later.bases = {{"layers", 2.0}};
  merge(into, later);
  EXPECT_THAT(into.bases,
              ElementsAre(named_number{"layers", 2.0}, named_number{"isolated over batched", 1.5}));
}

TEST(Facts, may_leave_out_every_member) {
  EXPECT_EQ(to_json(run_facts{}), "{}");
  EXPECT_EQ(parse_facts("{}").value(), run_facts{});
}

TEST(Facts, a_rate_that_nobody_has_is_null_and_never_zero) {
  EXPECT_THAT(to_json(sample()), AllOf(HasSubstr(R"("hard_bytes_per_s":null)"),
                                       HasSubstr(R"("soft_bytes_per_s":null)")));
  const char* zero = R"({"ceilings":[{"link":"pcie","soft_bytes_per_s":0,)"
                     R"("hard_bytes_per_s":1,"samples":0,"reason":"x"}]})";
  EXPECT_THAT(parse_facts(zero).error().message, HasSubstr("or null"));
}

TEST(Facts, bytes_that_are_no_utf8_are_written_as_replacement_characters) {
  run_facts facts;
  facts.add_fact("prompt",
                 "a\xff\xfe"
                 "b");
  facts.reasons = {"\xc3"};
  const auto parsed = parse_facts(to_json(facts));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->facts[0].value,
            "a\xef\xbf\xbd\xef\xbf\xbd"
            "b");
  EXPECT_EQ(parsed->reasons[0], "\xef\xbf\xbd");
}

TEST(Facts, a_later_block_wins_by_name_and_by_link) {
  run_facts into = sample();
  run_facts later;
  later.add_fact("prompt", "second");
  later.add_fact("build", "abc");
  later.ceilings = {{link_class::pcie, 2e9, 64e9, 3, ""}};
  later.notes = {"another", into.notes[0]};
  merge(into, later);
  EXPECT_THAT(into.facts, ElementsAre(named_fact{"host", "AMD EPYC"},
                                      named_fact{"prompt", "second"}, named_fact{"build", "abc"}));
  ASSERT_EQ(into.ceilings.size(), 2u);
  EXPECT_EQ(into.ceilings[1], later.ceilings[0]);
  EXPECT_EQ(into.reasons, sample().reasons) << "a block without reasons leaves them";
  EXPECT_THAT(into.notes, ElementsAre(sample().notes[0], "another"));
  later.reasons = {"only"};
  merge(into, later);
  EXPECT_THAT(into.reasons, ElementsAre("only"));
}

struct fact_mistake {
  const char* text;
  const char* says;
};

class FactsMistake : public ::testing::TestWithParam<fact_mistake> {};

TEST_P(FactsMistake, is_refused_by_one_line) {
  const auto parsed = parse_facts(GetParam().text);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().kind, error_kind::unusable_input);
  EXPECT_THAT(parsed.error().message, AllOf(HasSubstr("fact"), HasSubstr(GetParam().says)));
  EXPECT_EQ(parsed.error().message.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Each, FactsMistake,
    ::testing::Values(
        fact_mistake{"", "not JSON"}, fact_mistake{"[]", "object"},
        fact_mistake{R"({"fact":[]})", "unknown member"}, fact_mistake{R"({"facts":{}})", "array"},
        fact_mistake{R"({"facts":["x"]})", "object"},
        fact_mistake{R"({"facts":[{"name":"","value":"x"}]})", "name is empty"},
        fact_mistake{R"({"facts":[{"name":"a"}]})", "value is missing"},
        fact_mistake{R"({"facts":[{"name":"a","value":1}]})", "value is number"},
        fact_mistake{"{\"facts\":[{\"name\":\"a\",\"value\":\"\xff\"}]}", "UTF-8"},
        fact_mistake{R"({"reasons":[""]})", "not empty"},
        fact_mistake{R"({"notes":[1]})", "strings"},
        fact_mistake{R"({"ceilings":[{"link":"none"}]})", "link is 'none'"},
        fact_mistake{R"({"ceilings":[{"link":"nvlink"}]})", "host_memcpy"},
        fact_mistake{R"({"ceilings":[{"link":"pcie","soft_bytes_per_s":-1}]})", "above 0"},
        fact_mistake{R"({"ceilings":[{"link":"pcie","soft_bytes_per_s":"1"}]})", "above 0"},
        fact_mistake{R"({"ceilings":[{"link":"pcie","soft_bytes_per_s":1e999}]})", "too large"},
        fact_mistake{R"({"ceilings":[{"link":"pcie","soft_bytes_per_s":1,"hard_bytes_per_s":1,)"
                     R"("samples":-1}]})",
                     "samples"},
        fact_mistake{R"({"ceilings":[{"link":"pcie","soft_bytes_per_s":null,"hard_bytes_per_s":1,)"
                     R"("samples":1}]})",
                     "without a reason"}));

}  // namespace
}  // namespace assay::trace
