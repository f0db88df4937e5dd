// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a file with a bare NaN would be refused, or a NaN in a name would be touched.
#include <cmath>
#include <ctime>
#include <string>

#include <gmock/gmock.h>

#include "harness/ingest/complaint.h"
#include "harness/ingest/csv_text.h"
#include "harness/ingest/json_text.h"
#include "harness/ingest/metric_unit.h"

namespace assay::ingest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(NonFinite, is_quoted_at_its_length_and_only_outside_of_strings) {
  EXPECT_EQ(with_quoted_non_finite(R"({"a": NaN, "b": -Infinity})"),
            "{\"a\": \"\x7f\", \"b\": \"\x7f-Infin\"}");
  EXPECT_EQ(with_quoted_non_finite("[Infinity]"), "[\"\x7fInfin\"]");
  EXPECT_EQ(with_quoted_non_finite("[-NaN]"), "[\"\x7f-\"]");
  EXPECT_EQ(with_quoted_non_finite(R"({"NaN": "NaN, \" Infinity ", "x": 1})"), std::nullopt);
  EXPECT_EQ(with_quoted_non_finite("[NaNa]"), std::nullopt);
}

TEST(NonFinite, spellings_are_numbers) {
  EXPECT_TRUE(std::isnan(*number_in(std::string_view("NaN"))));
  EXPECT_TRUE(std::isinf(*number_in(std::string_view("+INF"))));
  EXPECT_TRUE(std::isinf(*number_in(std::string_view("+Inf"))));
  EXPECT_EQ(number_in(std::string_view("N")), std::nullopt);
  EXPECT_EQ(number_in(std::string_view("1.5e3")), 1500.0);
  EXPECT_EQ(number_in(std::string_view("")), std::nullopt);
  EXPECT_EQ(number_in(std::string_view("1x")), std::nullopt);
  EXPECT_EQ(number_in(nlohmann::json(nullptr)), std::nullopt);
}

TEST(Json, broken_text_says_where) {
  const auto complaint = [](const std::string& text) {
    const auto tree = parse_json(text, "f");
    return tree ? "taken" : tree.error().message;
  };
  EXPECT_EQ(complaint("[NaN]"), "taken");
  EXPECT_LT(*number_in((*parse_json("[-Infinity]", "f"))[0]), 0);
  EXPECT_THAT(complaint(""), HasSubstr("f: is empty"));
  EXPECT_THAT(complaint("{\"a\": "), HasSubstr("ends in the middle, at byte 6"));
  EXPECT_THAT(complaint("{\"a\" 1}"), HasSubstr("is no JSON at byte 5, '1'"));
  EXPECT_THAT(complaint(std::string(100, '[') + std::string(100, ']')), HasSubstr("nested deeper"));
  EXPECT_THAT(complaint("[1e999]"), HasSubstr("f: "));
}

// The library's parser with a callback looks at the whole list again for each object of it.
TEST(Json, a_long_list_of_objects_is_read_in_time_that_grows_as_it_does) {
  std::string text = "[{}";
  for (int i = 0; i < 100'000; ++i) text += ",{}";
  const std::clock_t start = std::clock();
  EXPECT_TRUE(parse_json(text + "]", "f"));
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 2.0);
}

TEST(Complaint, foreign_text_is_one_printable_line) {
  EXPECT_EQ(printable("a\nb\x1b[2J"), "a?b?[2J");
  EXPECT_EQ(printable(std::string(100, 'x'), 10), std::string(10, 'x') + "…");
  EXPECT_EQ(printable("µµµ", 3), "µ…");
}

TEST(Csv, records_as_rfc_4180_has_them) {
  csv_reader lines("a,\"b,\"\"c\"\"\nd\",e\r\n\nlast");
  EXPECT_THAT(*lines.next(), ElementsAre("a", "b,\"c\"\nd", "e"));
  EXPECT_EQ(lines.line(), 1U);
  EXPECT_THAT(*lines.next(), ElementsAre(""));
  EXPECT_EQ(lines.line(), 3U);
  EXPECT_THAT(*lines.next(), ElementsAre("last"));
  EXPECT_EQ(lines.next(), std::nullopt);
}

TEST(Units, are_converted_and_know_their_direction) {
  EXPECT_EQ(known_unit("ms")->factor, 1e6);
  EXPECT_EQ(known_unit("ops/ms")->factor, 1e3);
  EXPECT_EQ(known_unit("ops/ms")->better, model::direction::higher_is_better);
  EXPECT_EQ(known_unit("us/op")->better, model::direction::lower_is_better);
  EXPECT_EQ(known_unit("MB/s")->factor, 1e6);
  EXPECT_FALSE(known_unit("fortnights"));
}

}  // namespace
}  // namespace assay::ingest
