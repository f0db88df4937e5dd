// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/audit/corpus_guard.h"

#include <iterator>
#include <string>
#include <vector>

#include "harness/guard/guard.h"
#include "harness/guard/project.h"
#include "tests/guard/guarded.h"

namespace assay::audit_test {
namespace {

using guard_test::guarded;
using guard_test::named_text;

template <class Check>
std::vector<Check> checks_but(std::span<const Check> checks, std::string_view rule) {
  std::vector<Check> kept;
  for (const Check& each : checks)
    if (rule.empty() || each.rule != rule) kept.push_back(each);
  return kept;
}

constexpr std::string_view one_counter =
    R"({"name": "app_hits_total", "kind": "counter", "unit": "count"})";
constexpr std::string_view prefixes =
    R"(, "metric_prefixes": ["app_"], "variable_prefixes": ["APP_"])";
constexpr const char* declared = "# TYPE app_hits_total counter\n";
constexpr const char* written = "# TYPE app_hits_total counter\napp_hits_total 3\n";
constexpr const char* page = "`app_hits_total` counts hits. `APP_AUTH_FILE` names the key.\n";
constexpr const char* code =
    "// app_hits_total\nauto* hits = counter(\"app_hits_total\"); getenv(\"APP_AUTH_FILE\");\n";

model::guard_report judged(std::string_view left_out, const char* metrics, const char* document,
                           const char* source) {
  guarded what;
  what.metrics = {{"a.prom", metrics}};
  what.documents = {{"a.md", document}};
  what.source = {{"a.cpp", source}};
  const auto with = checks_but(guard::checks(), left_out);
  return guard_test::report_of(guard_test::contract_with(one_counter, prefixes), what, with);
}

model::guard_report never_written(std::string_view left_out) {
  return judged(left_out, declared, page, code);
}

// The name is left in a comment; a guard that looks for text would be content.
model::guard_report writer_deleted(std::string_view left_out) {
  return judged(left_out, written, page, "// app_hits_total\ngetenv(\"APP_AUTH_FILE\");\n");
}

model::guard_report published_by_nobodys_promise(std::string_view left_out) {
  return judged(left_out, "app_hits_total 3\napp_retries_total 4\n", page, code);
}

model::guard_report other_prefix_in_documents(std::string_view left_out) {
  return judged(left_out, written, "`app_hits_total`, `app_cache_hits`, `APP_AUTH_FILE`\n", code);
}

model::guard_report other_variable_documented(std::string_view left_out) {
  return judged(left_out, written, "`app_hits_total`; `APP_AUTH_FILE`, once `APP_AUTH_PATH`\n",
                code);
}

model::guard_report control(std::string_view left_out) {
  return judged(left_out, written, page, code);
}

// This project's own facts, with one counter and one knob in order.
guard::project_facts sound() {
  guard::project_facts facts;
  guard::counter_facts& counter = facts.counters.emplace_back();
  counter.name = "runtime.kv.read_bytes";
  counter.was_written = counter.has_moved = counter.is_documented = true;
  guard::knob_facts& knob = facts.knobs.emplace_back();
  knob.variable = "ASSAY_PREFETCH";
  knob.moves = "pages fetched ahead";
  knob.is_documented = true;
  knob.before = knob.after = "1";
  knob.flipped = "4";
  facts.documented_knobs = {"ASSAY_PREFETCH"};
  return facts;
}

model::guard_report project(std::string_view left_out, const guard::project_facts& facts) {
  const auto with = checks_but(guard::project_checks(), left_out);
  return guard::judge_project(facts, with);
}

model::guard_report fields_not_shown(std::string_view left_out) {
  guard::project_facts facts = sound();
  facts.counters.front().hidden_from = {"text"};
  return project(left_out, facts);
}

model::guard_report parsed_and_dropped(std::string_view left_out) {
  guard::project_facts facts = sound();
  facts.knobs.front().flipped = "1";
  return project(left_out, facts);
}

// The first value that was read stays: both arms of a comparison are one.
model::guard_report latched(std::string_view left_out) {
  guard::project_facts facts = sound();
  facts.knobs.front().after = "4";
  return project(left_out, facts);
}

model::guard_report project_control(std::string_view left_out) {
  return project(left_out, sound());
}

constexpr guard_case table[] = {
    {"exported, never written", "lobu-ai/lobu#3571; telekom/k8s-breakglass#540",
     "8 metrics declared", "no sample of them", "R25", "app_hits_total", never_written},
    {"writer deleted, name left", "defect a: the only writer deleted", "a name in a comment",
     "no code has it", "R25", "app_hits_total", writer_deleted},
    {"published unpromised", "written for R26: printed without a promise", "a metric",
     "nobody declared it", "R26", "app_retries_total", published_by_nobodys_promise},
    {"another prefix in documents", "21 metrics under a prefix that no page used", "a page's name",
     "no such metric", "R26", "app_cache_hits", other_prefix_in_documents},
    {"18 of 28 fields shown", "defect e: a gate that opens and a row that is not printed",
     "a section", "a counter is not in it", "R26", "runtime.kv.read_bytes", fields_not_shown},
    {"another variable documented", "headroomlabs-ai/headroom#3103", "AUTH_PATH",
     "the code reads AUTH_FILE", "R27", "APP_AUTH_PATH", other_variable_documented},
    {"parsed and discarded", "defect g: a documented variable without an effect", "opt-in",
     "nothing changes", "R27", "ASSAY_PREFETCH", parsed_and_dropped},
    {"latched once", "a runtime toggle against a value that was read once", "two arms", "one",
     "R27", "ASSAY_PREFETCH", latched},
    {"a program in order", "control", "-", "-", "", "", control},
    {"this program in order", "control", "-", "-", "", "", project_control},
};

}  // namespace

std::span<const guard_case> guard_corpus() {
  return table;
}

}  // namespace assay::audit_test
