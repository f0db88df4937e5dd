// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/project_guard.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/audit/auditor.h"
#include "harness/cli/guard_files.h"
#include "harness/cli/report_surfaces.h"
#include "harness/guard/name_book.h"
#include "harness/guard/source_tokens.h"
#include "harness/ingest/file_text.h"
#include "runtime/telemetry/catalog.h"
#include "scenarios/registry.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t embedded_context_tokens = 2048;

// Each stands still for a reason that holds in every scenario on the embedded checkpoint. One that
// moves after all is a finding: an excuse that is no longer needed hides the next fault.
std::vector<guard::still_counter> still_counters() {
  const auto name = [](telemetry::counter_id id) { return telemetry::contract_of(id).name.value; };
  std::vector<guard::still_counter> all{
      {name(telemetry::counter_id::checkpoint_unused_tensors_count),
       "the embedded checkpoint has no tensor too many"}};
  using id = telemetry::counter_id;
  for (const id each : {id::kv_spilled_pages, id::kv_spill_bytes, id::kv_spill_copies_count,
                        id::kv_filled_pages, id::kv_fill_bytes, id::kv_fill_copies_count})
    all.push_back({name(each), "no scenario moves pages to the host; tests of the engine do"});
  for (const id each :
       {id::paging_evicted_bytes, id::paging_evictions_count, id::paging_prefetch_waste_bytes})
    all.push_back({name(each), "what is pinned stays, and what is staged is used"});
  all.push_back({name(id::paging_overlap_ratio),
                 "a copy runs beside a kernel only where the machine has a core to spare", true});
  return all;
}

// The readings of one run, folded into what its counters did; the trace goes on to the auditor.
class watching_sink final : public trace::sink {
 public:
  explicit watching_sink(std::vector<guard::counter_facts>& counters) : counters_(counters) {}

  result<void> contract(std::string_view json) override { return auditor_.contract(json); }
  result<void> facts(std::string_view json) override { return auditor_.facts(json); }
  result<void> records(std::span<const assay_record> records) override {
    return auditor_.records(records);
  }
  result<void> snapshot(std::int64_t at_ns, std::span<const assay_reading> readings) override {
    for (std::size_t row = 0; row < readings.size() && row < counters_.size(); ++row)
      take(row, readings[row]);
    last_.assign(readings.begin(), readings.end());
    return auditor_.snapshot(at_ns, readings);
  }
  result<void> end() override { return auditor_.end(); }
  /// Of a counter that was declared inapplicable, and by whom it was, the reason. One that nobody
  /// wrote is absent as well, and has no excuse.
  result<model::audit_report> finish() {
    ASSAY_TRY_ASSIGN(model::audit_report report, auditor_.finish());
    for (const std::size_t row : inapplicable_)
      if (row < report.counters.size() && !report.counters[row].claimed.is_present)
        counters_[row].inapplicable = report.counters[row].claimed.absence;
    return report;
  }

 private:
  // A first number that is not 0 is a move as well: before it there was none.
  void take(std::size_t row, const assay_reading& now) {
    if (now.state == ASSAY_NOT_APPLICABLE) inapplicable_.insert(row);
    if (now.state != ASSAY_MEASURED && now.state != ASSAY_ZERO) return;
    guard::counter_facts& counter = counters_[row];
    counter.was_written = true;
    const bool had_number = row < last_.size() &&
                            (last_[row].state == ASSAY_MEASURED || last_[row].state == ASSAY_ZERO);
    const std::int64_t before = had_number ? last_[row].bits : 0;
    counter.has_moved = counter.has_moved || now.bits != before;
  }

  std::vector<guard::counter_facts>& counters_;
  std::vector<assay_reading> last_;
  std::set<std::size_t> inapplicable_;
  audit::auditor auditor_;
};

result<model::audit_report> run_one(const run_options& options,
                                    std::vector<guard::counter_facts>& counters,
                                    const progress& tell) {
  selftest::instrument honest;
  watching_sink sink(counters);
  const track only{&honest, &sink};
  ASSAY_TRY(audited_run(options, {&only, 1}, tell));
  return sink.finish();
}

// Every scenario, one that draws at random, and one under a limit on device memory.
result<model::audit_report> run_scenarios(std::vector<guard::counter_facts>& counters,
                                          const progress& tell) {
  ASSAY_TRY_ASSIGN(run_options options, default_run_options());
  model::audit_report last;
  for (const auto& each : scenarios::registry()) {
    ASSAY_TRY_ASSIGN(options.scenario, scenarios::cut_to_context(each, embedded_context_tokens));
    ASSAY_TRY_ASSIGN(last, run_one(options, counters, tell));
  }
  // Room for a part of the weights alone: the others come and go.
  options.scenario = scenarios::single_prompt("In the beginning", 8);
  options.context_tokens = 256;
  ASSAY_TRY_ASSIGN(options.vram_limit, memory::vram_limit::parse("8MiB"));
  ASSAY_TRY_ASSIGN(const model::audit_report streamed, run_one(options, counters, tell));
  options.vram_limit.reset();
  options.context_tokens = 0;
  options.temperature = 0.8;
  ASSAY_TRY_ASSIGN(const model::audit_report drawn, run_one(options, counters, tell));
  return last;
}

result<void> look_at_documents(const fs::path& source, guard::project_facts& facts) {
  model::guard_contract names;
  for (const guard::counter_facts& counter : facts.counters) {
    names.metrics.emplace_back();
    names.metrics.back().name = counter.name;
  }
  guard::name_book counters(names);
  ASSAY_TRY(read_documents({(source / "docs/counters.md").string()}, counters));
  for (guard::counter_facts& counter : facts.counters)
    counter.is_documented = counters.find(counter.name) != nullptr;
  names.metrics.clear();
  names.variable_prefixes = {"ASSAY_"};
  guard::name_book knobs(names);
  ASSAY_TRY(read_documents({(source / "docs/knobs.md").string()}, knobs));
  std::set<std::string> sorted;
  for (const auto& [name, place] : knobs.names()) sorted.insert(name);
  facts.documented_knobs.assign(sorted.begin(), sorted.end());
  for (guard::knob_facts& knob : facts.knobs) knob.is_documented = sorted.count(knob.variable) != 0;
  return {};
}

bool may_name_counters(const std::string& path) {
  const bool is_catalog =
      path.find("/telemetry/catalog") != std::string::npos && path.ends_with(".def");
  return is_catalog || path.ends_with("/knobs.cpp");
}

// Whole string literals that are a counter's name; comments and longer texts are none.
result<void> look_for_strays(const fs::path& source, guard::project_facts& facts) {
  std::set<std::string, std::less<>> names;
  for (const guard::counter_facts& counter : facts.counters) names.insert(counter.name);
  std::vector<std::string> rooms;
  for (const char* room : {"harness", "probes", "reports", "runtime", "scenarios"})
    rooms.push_back((source / room).string());
  ASSAY_TRY_ASSIGN(const auto files, files_below(rooms));
  for (const std::string& path : files) {
    ASSAY_TRY_ASSIGN(const ingest::file_text file, ingest::file_text::open(path));
    const std::string_view text = file.view();
    const guard::language* spoken = guard::language_of(path, text);
    if (spoken == nullptr || may_name_counters(path)) continue;
    ++facts.files_searched;
    guard::read_tokens(text, *spoken, [&](std::string_view token) {
      if (names.find(token) == names.end()) return;
      const auto end = static_cast<std::size_t>(token.data() - text.data());
      const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(end), '\n');
      facts.strays.push_back({std::string(token), fmt::format("{}:{}", path, line)});
    });
  }
  return {};
}

}  // namespace

result<guard::project_facts> look_at_project(const fs::path& source, const progress& tell) {
  std::error_code code;
  if (!fs::exists(source / "runtime/telemetry/catalog.def", code))
    return ASSAY_FAIL(unusable_input,
                      fmt::format("--self {}: holds no runtime/telemetry/catalog.def; give the "
                                  "project's folder",
                                  source.string()));
  guard::project_facts facts;
  for (const auto& contract : telemetry::catalog()) {
    facts.counters.emplace_back();
    facts.counters.back().name = contract.name.value;
  }
  facts.still = still_counters();
  ASSAY_TRY_ASSIGN(const model::audit_report report, run_scenarios(facts.counters, tell));
  look_at_surfaces(report, facts);
  facts.knobs = flip_knobs();
  ASSAY_TRY(look_at_documents(source, facts));
  ASSAY_TRY(look_for_strays(source, facts));
  facts.facts.push_back({"scenarios", fmt::format("{}, one under a limit, one that draws at random",
                                                  scenarios::registry().size())});
  facts.facts.push_back({"source", source.string()});
  return facts;
}

}  // namespace assay::cli
