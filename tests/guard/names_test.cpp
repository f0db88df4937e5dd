// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a name in a comment could pass for code that reads it, and one behind a quote mark
// that a lexer took wrong for one that nobody reads.
#include <vector>

#include <gmock/gmock.h>

#include "harness/guard/source_tokens.h"
#include "harness/guard/unit_words.h"
#include "tests/guard/guarded.h"

namespace assay::guard_test {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

std::vector<std::string> tokens(std::string_view text, std::string_view file) {
  std::vector<std::string> all;
  const guard::language* spoken = guard::language_of(file, text);
  if (spoken == nullptr) return {"no language"};
  guard::read_tokens(text, *spoken, [&](std::string_view token) { all.emplace_back(token); });
  return all;
}

TEST(Tokens, comments_are_nothing_and_strings_are_what_they_hold) {
  EXPECT_THAT(tokens("// \"A\"\n/* \"B\" */ f(\"C\", \"D\\\"E\") 'x' '\\'' \"F\" 1'000", "a.cpp"),
              ElementsAre("C", "D\\\"E", "F"));
  EXPECT_THAT(tokens("R\"x(A)\" B)x\" \"C\"", "a.h"), ElementsAre("A)\" B", "C"));
  EXPECT_THAT(
      tokens("/* /* \"A\" */ \"B\" */ fn f<'a>(x: &'a str) { env!(\"C\"); r#\"D\"#; }", "a.rs"),
      ElementsAre("C", "D"));
  EXPECT_THAT(tokens("os.Getenv(`A`) // `B`", "a.go"), ElementsAre("A"));
  EXPECT_THAT(tokens("process.env.A + 'B' /* 'C' */", "a.ts"), ElementsAre("A", "B"));
  EXPECT_THAT(tokens("\"\"\"\nA reads \"B\"\n\"\"\"\nos.environ['C'] # \"D\"\n", "a.py"),
              ElementsAre("C"));
  EXPECT_THAT(tokens("# $A\necho \"${B:-x} $C\" $D ${#E}\n", "a.sh"),
              ElementsAre("${B:-x} $C", "B", "C", "D"));
  EXPECT_THAT(tokens("\"never ends\nf(\"A\")", "a.c"), ElementsAre("never ends", "A"));
  EXPECT_THAT(tokens("#!/usr/bin/env python3\nx = 'A'\n", "tool"), ElementsAre("A"));
  EXPECT_THAT(tokens("A", "picture.png"), ElementsAre("no language"));
}

TEST(Units, the_end_of_a_name_says_its_unit) {
  const auto unit = [](std::string_view name) {
    return guard::unit_in_name(name).value_or("none said");
  };
  EXPECT_EQ(unit("http_request_duration_seconds_bucket"), "seconds");
  EXPECT_EQ(unit("DCGM_FI_PROF_PCIE_TX_BYTES"), "bytes");
  EXPECT_EQ(unit("rx_bytes_per_second"), "bytes_per_second");
  EXPECT_EQ(unit("llamacpp:prompt_tokens_seconds"), "seconds");
  EXPECT_EQ(unit("kv_cache_usage_perc"), "percent");
  EXPECT_EQ(unit("node_memory_MemTotal_bytes"), "bytes");
  EXPECT_EQ(unit("requests_total"), "none said");
  EXPECT_EQ(unit("queue_depth"), "none said");
}

TEST(Names, a_variable_is_read_where_code_names_it_and_only_there) {
  const named_text contract{"c", R"({"format": "assay.guard-contract", "version": 1,
    "variable_prefixes": ["APP_"],
    "allowed_variables": [{"name": "APP_OLD", "reason": "taken out in 3.0, still explained"},
                          {"name": "APP_STALE", "reason": "was not read once"}]})"};
  guarded what;
  what.documents = {{"README.md", "Set APP_PORT, APP_DEAD, `APP_OLD` or APP_STALE; APP_* all.\n"}};
  what.source = {{"a.cpp",
                  "getenv(\"APP_PORT\"); // getenv(\"APP_DEAD\")\nread(\"APP_STALE\");\n"
                  "auto s = \"set APP_DEAD to\";\n"},
                 {"b.py", "os.getenv('APP_SECRET')\n"}};
  EXPECT_THAT(found_in(report_of(contract, what)),
              UnorderedElementsAre("variable-unread APP_DEAD", "variable-unread APP_STALE",
                                   "variable-undocumented APP_SECRET"));
}

TEST(Names, an_everyday_word_of_the_source_writes_no_metric) {
  const named_text contract =
      contract_with(R"({"name": "srv_requests_total", "kind": "counter", "unit": "count"})",
                    R"(, "metric_prefixes": ["srv_"])");
  const auto found = [&](const char* code, const char* file) {
    return found_in(report_of(contract, {{}, {}, {{file, code}}}));
  };
  for (const char* code :
       {"log(\"requests\")", "import x from \"requests\";", "summarise(counter, \"requests\")",
        "const requests = \"srv\";", "f(\"srv\");\n\n\n\n\n\n\nlog(\"requests\")",
        "w(\"srv_errors\", \"requests\")"})
    EXPECT_THAT(found(code, "a.js"), UnorderedElementsAre("no-writer srv_requests_total")) << code;
  for (const char* code :
       {"c(\"srv_requests_total\")", "c(\"srv_requests\")", "names = [\"requests_total\"]",
        "new Counter( \"requests\")", "registry.counter(\n  'requests')",
        "make({namespace: \"srv\",\n  name: \"requests\"})", "w(\"# HELP srv_\"); w(\"requests\")"})
    EXPECT_THAT(found(code, "a.js"), testing::IsEmpty()) << code;
  EXPECT_THAT(found("counter!(\"requests\").increment(1)", "a.rs"), testing::IsEmpty());
  EXPECT_THAT(found("Counter(r'requests', 'all of them', namespace=NAMESPACE)", "a.py"),
              testing::IsEmpty());
}

TEST(Names, a_word_without_what_a_library_appends_writes_a_metric_only_where_it_is_declared) {
  const named_text contract =
      contract_with(R"({"name": "requests_total", "kind": "counter", "unit": "count"})");
  const auto found = [&](const char* code) {
    return found_in(report_of(contract, {{}, {}, {{"a.py", code}}}));
  };
  EXPECT_THAT(found("import_module('requests')"), UnorderedElementsAre("no-writer requests_total"));
  EXPECT_THAT(found("Counter('requests', 'all of them')"), testing::IsEmpty());
  EXPECT_THAT(found("add('requests_total')"), testing::IsEmpty());
}

}  // namespace
}  // namespace assay::guard_test
