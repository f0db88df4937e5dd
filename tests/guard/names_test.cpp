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

TEST(Tokens, what_a_preprocessor_never_reads_is_no_code) {
  const auto code = [](std::string_view text) { return tokens(text, "a.cpp"); };
  EXPECT_THAT(code("#if 0\n\"A\"\n#if X\n\"B\"\n#else\n\"C\"\n#endif\n#else\n\"D\"\n#endif\n\"E\""),
              ElementsAre("D", "E"));
  EXPECT_THAT(code("#if 1\n\"A\"\n#if X\n\"B\"\n#endif\n#else\n\"C\"\n#endif\n\"D\""),
              ElementsAre("A", "B", "D"));
  EXPECT_THAT(code("  # if 0 // never\n\"A\"\n#elif X\n\"B\"\n#endif"), ElementsAre("B"));
  EXPECT_THAT(code("#ifdef X\n\"A\"\n#else\n\"B\"\n#endif\n#define N \"C\""),
              ElementsAre("A", "B", "C"));
  EXPECT_THAT(code("#if 0\n\"A\"\n"), ElementsAre("A")) << "without an end nothing is dead";
  EXPECT_THAT(code("// on \\\n\"A\"\n\"B\" // on \\\r\n\"C\"\n\"D\""), ElementsAre("B", "D"));
  EXPECT_THAT(tokens("// on \\\n\"A\"", "a.java"), ElementsAre("A"));
  EXPECT_THAT(
      tokens("#if false\n\"A\"\n#endif\nf(@\"C:\\\", \"B\", @\"D\"\"\"\"E\", $@\"F\\\");", "a.cs"),
      ElementsAre("C:\\", "B", "D\"\"\"\"E", "F\\"));
}

TEST(Tokens, a_slash_of_JavaScript_divides_or_opens_a_pattern) {
  const auto code = [](std::string_view text) { return tokens(text, "a.js"); };
  EXPECT_THAT(code("s.replace(/\"/g, 'A'); t = x / 2; u = 'B' / 2"), ElementsAre("A", "B"));
  EXPECT_THAT(code("return /[/'\"]\\//.test(s) && 'A'"), ElementsAre("A"));
  EXPECT_THAT(code("n = a / b; f(\"A\") / 2"), ElementsAre("A"));
  EXPECT_THAT(code("<b id=\"A\"></b><i id=\"B\"/>"), ElementsAre("A", "B"));
}

TEST(Tokens, a_template_is_what_it_holds_and_its_code_is_code) {
  const auto code = [](std::string_view text) { return tokens(text, "a.ts"); };
  EXPECT_THAT(code("`A`; `b ${f('C', `D`, {x: `e ${'F'}`})} g`; 'H'"),
              ElementsAre("A", "C", "D", "F", "H"));
  EXPECT_THAT(code("`\\`A`; 'B'; `never ends 'C'"), ElementsAre("\\`A", "B", "C"));
  std::string deep;
  for (int n = 0; n < 100000; ++n) deep += "`${";
  EXPECT_THAT(code(deep + "'A'"), ElementsAre("A"));
}

TEST(Tokens, a_text_that_is_a_statement_of_Python_is_a_comment) {
  const auto code = [](std::string_view text) { return tokens(text, "a.py"); };
  EXPECT_THAT(code("def f():\n    'A'\n    return 'B'\nr\"C\"  # so\nx = \\\n  'D'\n"),
              ElementsAre("B", "D"));
  EXPECT_THAT(code("Counter(\n    'A'\n    , \"\"\"B\"\"\")\n\"\"\"C\"\"\"\nf('''D\nE''')\n"),
              ElementsAre("A", "B"));
  EXPECT_THAT(tokens("f(\"\"\"\n A \"x\" \n\"\"\", \"B\") /* /* */ \"C\" */", "a.kt"),
              ElementsAre("B"));
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

TEST(Documents, two_pages_that_say_different_things_of_one_metric_are_found) {
  const named_text contract = contract_with(
      R"({"name": "srv_a_seconds", "kind": "gauge", "unit": "seconds"},
         {"name": "srv_b_total", "kind": "counter", "unit": "tokens"})",
      R"(, "metric_prefixes": ["srv_"], "ignored": [{"name": "srv_c", "reason": "the runtime's"}])");
  const auto found = [&](const char* one, const char* other) {
    std::set<std::string> all;
    const std::string names = "srv_a_seconds srv_b_total\n";
    for (const auto& each :
         report_of(contract, {{}, {{"1.md", names + one}, {"2.md", other}}}).findings)
      all.insert(each.rule + " " + each.check + " " + each.subject + " " + each.where);
    return all;
  };
  const auto kind_of_c = UnorderedElementsAre("R11 documented-otherwise srv_c 2.md:1");
  EXPECT_THAT(found("`srv_c` (counter) is so", "`srv_c` is a gauge."), kind_of_c);
  EXPECT_THAT(found("# TYPE srv_c counter\n", "`srv_c` (gauge, bytes)"), kind_of_c);
  EXPECT_THAT(found("|Name|Type|\n|---|---|\n|`srv_c`|Counter|\n", "| srv_c | gauge |"), kind_of_c);
  const auto unit_of_c = UnorderedElementsAre("R10 documented-otherwise srv_c 2.md:3");
  EXPECT_THAT(found("srv_c, in milliseconds", "|Name|Unit|\n|:--|--|\n|srv_c|s|\n"), unit_of_c);
  EXPECT_THAT(found("|`srv_c`|bytes|\n", "\n\n# UNIT srv_c mebibytes"), unit_of_c);
  EXPECT_THAT(found("", "`srv_a_seconds` (counter, seconds)"),
              UnorderedElementsAre("R11 documented-otherwise srv_a_seconds 2.md:1"));
  EXPECT_THAT(found("|`srv_a_seconds`|gauge|milliseconds|", ""),
              UnorderedElementsAre("R10 documented-otherwise srv_a_seconds 1.md:2"));
  EXPECT_THAT(found("srv_c (counter)", "srv_c (counter) srv_d (gauge)").size(), 1u) << "srv_d";
  EXPECT_THAT(found("|Name|Unit|\n|--|--|\n|srv_b_total|requests|\n", "srv_b_total (count)"),
              testing::IsEmpty())
      << "a count is a count";
  EXPECT_THAT(found("srv_c (counter) counts what a gauge shows in bytes; srv_c (see the histogram)",
                    "srv_c counts, and srv_b_total too, as a gauge in seconds would"),
              testing::IsEmpty())
      << "a sentence is not read";
}

// Libraries of Go and Python put a name together of a namespace, a subsystem and the rest.
TEST(Names, a_metric_may_be_written_in_parts_that_stand_together) {
  const named_text contract = contract_with(
      R"({"name": "srv_cache_hits_total", "kind": "counter", "unit": "count"},
         {"name": "srv_queue_depth", "kind": "gauge", "unit": "count"})",
      R"(, "metric_prefixes": ["srv_"])");
  const auto lacks = [&](const std::string& code, const char* file) {
    return found_in(report_of(contract, {{}, {}, {{file, code}}})).size();
  };
  EXPECT_EQ(lacks("CounterOpts{Namespace: ns, Subsystem: \"cache\",\n  Name: \"hits_total\"}\n"
                  "BuildFQName(\"srv\", \"queue\", name)\nOpts{Name: \"depth\"}",
                  "a.go"),
            0u);
  EXPECT_EQ(lacks("Counter('hits', 'h', namespace='srv', subsystem='cache')\n"
                  "Gauge(name='depth', documentation='d', namespace='srv_queue')",
                  "a.py"),
            0u);
  EXPECT_EQ(
      lacks("f(\"cache\");\n\n\n\n\n\n\nf(\"hits_total\"); g(\"queue\", \"depth\");", "a.cpp"), 2u)
      << "far apart, and an everyday word";
  EXPECT_EQ(lacks("// \"cache\"\nf(\"hits_total\", Name = \"depth\");", "a.cpp"), 2u)
      << "one alone";
}

// Micrometer and OpenTelemetry take names with dots, and append the unit.
TEST(Names, a_metric_may_be_written_with_dots) {
  const named_text contract = contract_with(
      R"({"name": "srv_request_duration_seconds", "kind": "histogram", "unit": "seconds"},
         {"name": "srv_cache_hits_total", "kind": "counter", "unit": "count"})",
      R"(, "metric_prefixes": ["srv_"])");
  const auto lacks = [&](const char* code, const char* file) {
    return found_in(report_of(contract, {{}, {}, {{file, code}}})).size();
  };
  EXPECT_EQ(lacks("timer(\"srv.request.duration\"); counter(\"srv.cache.hits\");", "a.java"), 0u);
  EXPECT_EQ(lacks("f(\"srv.request.duration.max\"); f(\"srv.cache\"); // srv.cache.hits", "a.java"),
            2u);
}

// A message speaks of a variable, and reads none.
TEST(Names, a_text_that_begins_with_a_variable_is_none) {
  const named_text contract{"c", R"({"format": "assay.guard-contract", "version": 1,
    "variable_prefixes": ["APP_"]})"};
  guarded what;
  what.documents = {{"a.md", "`APP_PORT`\n"}};
  what.source = {
      {"a.cpp", "getenv(\"APP_PORT\"); die(\"APP_PORT is not set\"); f(\"APP_PORT=%d\");"},
      {"b.py", "os.getenv(f'APP_{name}')\n"}};
  EXPECT_THAT(found_in(report_of(contract, what)), testing::IsEmpty());
  what.source.push_back({"c.py", "os.getenv('APP_HOST')\n"});
  const auto report = report_of(contract, what);
  EXPECT_THAT(found_in(report), UnorderedElementsAre("variable-undocumented APP_HOST"));
  // Who puts the name in a table and who reads it look the same in tokens.
  EXPECT_THAT(report.findings[0].message, testing::HasSubstr("stands in the source as a name"));
}

// Modules, images, pages and addresses have names that begin as metrics do.
TEST(Documents, a_name_with_a_joint_that_no_metric_has_is_none) {
  const auto found = [](const char* metric, const char* page) {
    const named_text contract = contract_with(metric, R"(, "metric_prefixes": ["srv_"],
                                  "variable_prefixes": ["SRV_"])");
    return found_in(report_of(contract, {{},
                                         {{"a.md", page}},
                                         {{"a.cpp",
                                           "getenv(\"SRV_PORT\");"
                                           "f(\"srv_a\", \"srv.a\")"}}}));
  };
  constexpr const char* plain = R"({"name": "srv_a", "kind": "gauge", "unit": "none"})";
  EXPECT_THAT(found(plain,
                    "srv_a, SRV_PORT:8080. `srv_client.metrics.get`, reg/srv_server:latest,"
                    " ![x](srv_panel.png), http://host:90/srv_status"),
              testing::IsEmpty());
  EXPECT_THAT(found(plain,
                    "srv_a SRV_PORT\n```\nimport srv_client\nfrom srv_client import x\n"
                    "require('srv_tools'); use srv_core;\n#include <srv_api>\n"
                    "pip install srv_cli\n```\n"),
              testing::IsEmpty());
  EXPECT_THAT(found(plain, "srv_a SRV_PORT are what you import. srv_b is not; from srv_c on"),
              UnorderedElementsAre("documented-absent srv_b", "documented-absent srv_c"));
  EXPECT_THAT(found(plain, "srv_a:rate5m is made of it, SRV_PORT"), testing::IsEmpty());
  EXPECT_THAT(found(plain, "srv_a SRV_PORT srv_b, `srv_c`."),
              UnorderedElementsAre("documented-absent srv_b", "documented-absent srv_c"));
  EXPECT_THAT(found(R"({"name": "srv.a", "kind": "gauge", "unit": "none"},
                       {"name": "srv_a", "kind": "gauge", "unit": "none"})",
                    "srv.a srv_a SRV_PORT srv_b.depth"),
              UnorderedElementsAre("documented-absent srv_b.depth"));
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
