// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without these tests a contract could change on its way through a trace, or a stranger's mistake
// in one could be read as something else than what he meant.
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probes/trace/contract_json.h"
#include "runtime/telemetry/catalog.h"

namespace assay::trace {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string good_row =
    R"({"name":"demo.upload.h2d_bytes","unit":"bytes","kind":"count","clock":"none",)"
    R"("bracket":"bytes of each copy","blocks_host":"no",)"
    R"("claims":{"activity":"copy","direction":"h2d","range":"any","measure":"bytes"},)"
    R"("pairs_with":{"reason":"not a duration"},"identity":"none: a sum","reset":"per_process"})";

std::string contract_of_rows(const std::string& rows) {
  return R"({"counters":[)" + rows + "]}";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ContractJson, the_whole_catalog_comes_back_equal) {
  const auto rows = catalog_rows();
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(telemetry::counter_total));
  const auto parsed = parse_contract(to_json(rows));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(*parsed, rows);
}

TEST(ContractJson, a_row_carries_every_field_of_its_contract) {
  const auto& contract = telemetry::contract_of(telemetry::counter_id::logits_d2h_ns);
  const contract_row row = to_row(contract);
  EXPECT_EQ(row.name, contract.name.value);
  EXPECT_EQ(row.unit, unit::ns);
  EXPECT_EQ(row.kind, telemetry::counter_kind::duration);
  EXPECT_EQ(row.clock, clock_domain::device_event);
  EXPECT_EQ(row.bracket, contract.bracket.value);
  EXPECT_EQ(row.blocks_host, telemetry::host_blocking::no);
  EXPECT_EQ(row.claims, (claim_row{telemetry::activity::copy, telemetry::direction::d2h,
                                   telemetry::range::logits, telemetry::measure::span, ""}));
  EXPECT_EQ(row.pairs_with,
            (pairing_row{"runtime.logits.d2h_bytes", telemetry::link_class::host_memcpy, ""}));
  EXPECT_EQ(row.identity, contract.identity.value);
  EXPECT_EQ(row.reset, telemetry::reset_scope::per_request);
}

TEST(ContractJson, a_foreign_contract_is_read_field_by_field) {
  const auto parsed = parse_contract(contract_of_rows(good_row) + "  \n ");
  ASSERT_TRUE(parsed) << parsed.error().message;
  ASSERT_EQ(parsed->size(), 1u);
  const contract_row& row = parsed->front();
  EXPECT_EQ(row.name, "demo.upload.h2d_bytes");
  EXPECT_EQ(row.claims.kind, telemetry::activity::copy);
  EXPECT_EQ(row.claims.measure, telemetry::measure::bytes);
  EXPECT_EQ(row.pairs_with.reason, "not a duration");
  EXPECT_EQ(row.reset, telemetry::reset_scope::per_process);
}

struct mistake {
  const char* from;
  const char* to;
  const char* says;
  const char* also_says;
};

class ContractMistake : public ::testing::TestWithParam<mistake> {};

TEST_P(ContractMistake, is_refused_by_one_line_that_names_row_and_field) {
  const mistake& m = GetParam();
  const auto parsed = parse_contract(contract_of_rows(replaced(good_row, m.from, m.to)));
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().kind, error_kind::unusable_input);
  EXPECT_THAT(parsed.error().message,
              AllOf(HasSubstr("row 0"), HasSubstr(m.says), HasSubstr(m.also_says)));
  EXPECT_EQ(parsed.error().message.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Each, ContractMistake,
    ::testing::Values(
        mistake{R"("unit":"bytes")", R"("unit":"byte")", "unit is 'byte'", "bytes, count, tokens"},
        mistake{R"("unit":"bytes")", R"("unit":"?")", "unit is '?'", "bytes, count"},
        mistake{R"("unit":"bytes")", R"("unit":3)", "unit is number", "string"},
        mistake{R"("unit":"bytes",)", "", "unit is missing", "demo.upload.h2d_bytes"},
        mistake{R"("unit":"bytes")", R"("unit":"ns")", "end it in _ns", "demo.upload.h2d_bytes"},
        mistake{R"("kind":"count")", R"("kind":"Count")", "kind is 'Count'", "gauge"},
        mistake{R"("kind":"count")", R"("kind":"duration")", "without a clock", "host"},
        mistake{R"("clock":"none")", R"("clock":"host")", "clock", "none"},
        mistake{R"("bracket":"bytes of each copy")", R"("bracket":"")", "bracket is empty", ""},
        mistake{R"("blocks_host":"no")", R"("blocks_host":false)", "blocks_host is boolean", ""},
        mistake{R"("range":"any")", R"("range":"wieghts")", "claims", "kv_append"},
        mistake{R"("measure":"bytes")", R"("measure":"none")", "claims", "reason"},
        mistake{R"("activity":"copy",)", "", "activity is missing", "claims"},
        mistake{R"("measure":"bytes")", R"("measure":"bytes","reason":"x")", "claims", "unknown"},
        mistake{R"("reason":"not a duration")", R"("reason":"")", "reason is empty", "pairs_with"},
        mistake{R"({"reason":"not a duration"})", "{}", "bytes_counter is missing", "pairs_with"},
        mistake{R"({"reason":"not a duration"})", "[]", "pairs_with is array", "object"},
        mistake{R"("identity":"none: a sum")", R"("identity":"")", "identity is empty", ""},
        mistake{R"("reset":"per_process")", R"("reset":"per_step")", "reset", "per_request"},
        mistake{R"("reset":"per_process")", R"("reset":"per_process","limits":{})", "no limit",
                "leave limits out"},
        mistake{R"("reset":"per_process")", R"("reset":"per_process","limits":{"least":"1"})",
                "least is string", "number"},
        mistake{R"("reset":"per_process")", R"("reset":"per_process","limits":{"max":1})",
                "unknown member 'max'", "most"},
        mistake{R"("reset":"per_process")",
                R"("reset":"per_process","limits":{"least":2,"most":1})", "least is above most",
                "swap"},
        mistake{R"("name":"demo.upload.h2d_bytes")", R"("name":"h2d_bytes")",
                "the name has another form", "room.subject.quantity_unit"},
        mistake{R"("clock":"none",)", R"("clock":"none","clocks":"host",)", "unknown member",
                "clocks"}));

struct text_mistake {
  std::string text;
  const char* says;
};

class ContractText : public ::testing::TestWithParam<text_mistake> {};

TEST_P(ContractText, is_refused_by_one_line) {
  const auto parsed = parse_contract(GetParam().text);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().kind, error_kind::unusable_input);
  EXPECT_THAT(parsed.error().message, AllOf(HasSubstr("the contract"), HasSubstr(GetParam().says)));
}

std::string many_members(int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += fmt::format("\"m{}\":0,", i);
  text.back() = '}';
  return text;
}

const std::string paired_row =
    replaced(replaced(good_row, R"({"reason":"not a duration"})",
                      R"({"bytes_counter":"demo.upload.d2h_bytes","link":"pcie"})"),
             R"("kind":"count")", R"("kind":"gauge")");

INSTANTIATE_TEST_SUITE_P(
    Each, ContractText,
    ::testing::Values(
        text_mistake{"", "not JSON"}, text_mistake{"{\"counters\":[", "not JSON"},
        text_mistake{"[]", "must be an object"}, text_mistake{"{}", "counters is missing"},
        text_mistake{R"({"counters":{}})", "must be an array"},
        text_mistake{R"({"counters":[]})", "empty"}, text_mistake{R"({"counters":[1]})", "row 0"},
        text_mistake{R"({"counters":[],"counters":[]})", "twice"},
        text_mistake{R"({"counters":[1e999]})", "too large"},
        text_mistake{contract_of_rows("\"\xff\xfe\""), "UTF-8"},
        text_mistake{contract_of_rows(replaced(good_row, "each copy", "each \xc3\x28")), "UTF-8"},
        text_mistake{contract_of_rows(good_row + "," + good_row), "two counters named demo"},
        text_mistake{contract_of_rows(replaced(good_row, R"("kind":"count")",
                                               R"("kind":"count","kind":"count")")),
                     "'kind' twice"},
        text_mistake{contract_of_rows(paired_row), "demo.upload.d2h_bytes, which"},
        text_mistake{contract_of_rows(replaced(paired_row, "pcie", "none")), "link is 'none'"},
        text_mistake{contract_of_rows(replaced(good_row, "none: a sum",
                                               "demo.upload.h2d_bytes = demo.upload.sent_bytes")),
                     "names demo.upload.sent_bytes"},
        text_mistake{many_members(100'000), "more than 64 members"},
        text_mistake{std::string(100'000, '['), "nested"},
        text_mistake{std::string(100'000, '[') + std::string(100'000, ']'), "nested"}));

TEST(ContractJson, limits_and_equations_survive_the_way_there_and_back) {
  const std::string text =
      replaced(replaced(good_row, R"("reset":"per_process")",
                        R"("reset":"per_process","limits":{"least":0.5,"most":1e12})"),
               "none: a sum", "demo.upload.h2d_bytes <= 7");
  const auto parsed = parse_contract(contract_of_rows(text));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->front().limits, (telemetry::value_limits{0.5, 1e12}));
  const auto again = parse_contract(to_json(*parsed));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, *parsed);
}

// Traces from before equations were read hold such words.
TEST(ContractJson, an_identity_that_is_no_equation_is_taken_as_words) {
  const auto parsed = parse_contract(
      contract_of_rows(replaced(good_row, "none: a sum", "hits + misses = lookups")));
  EXPECT_TRUE(parsed) << parsed.error().message;
}

TEST(ContractJson, a_strangers_words_stay_on_one_short_line) {
  const std::string long_words = "a\\n\\u0007" + std::string(100'000, 'b');
  const auto parsed = parse_contract(
      contract_of_rows(replaced(good_row, R"("kind":"count")", R"("kind":")" + long_words + "\"")));
  ASSERT_FALSE(parsed);
  EXPECT_THAT(parsed.error().message, HasSubstr("kind is 'a??bbb"));
  EXPECT_LT(parsed.error().message.size(), 300u);
}

TEST(ContractJson, more_rows_than_a_snapshot_can_hold_are_refused_and_as_many_are_not) {
  std::string rows;
  for (int i = 0; i < 65'535; ++i)
    rows += replaced(good_row, "demo.upload", "demo.upload" + std::to_string(i)) + ",";
  rows.pop_back();
  const auto parsed = parse_contract(contract_of_rows(rows));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->size(), 65'535u);
  const auto refused = parse_contract(contract_of_rows(rows + "," + good_row));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("65536 counters"));
}

}  // namespace
}  // namespace assay::trace
