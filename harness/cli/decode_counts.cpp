// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/decode_counts.h"

#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/cli/interrupt.h"
#include "runtime/device/host_device.h"
#include "runtime/engine/engine.h"
#include "runtime/telemetry/fnv1a.h"
#include "runtime/telemetry/registry.h"
#include "runtime/tokenizer/tokenizer.h"

namespace assay::cli {
namespace {

using json = nlohmann::ordered_json;

json row(const std::string& name, std::string_view unit_name) {
  json out = json::object();
  out["name"] = name;
  out["unit"] = unit_name;
  return out;
}

json row(const std::string& name, std::string_view unit_name, double value) {
  json out = row(name, unit_name);
  out["value"] = value;
  return out;
}

result<std::vector<std::int32_t>> generate(engine::engine& engine,
                                           const std::vector<std::int32_t>& prompt,
                                           const scenarios::decode_scenario& scenario) {
  ASSAY_TRY(engine.begin_request(prompt, {scenario.max_new_tokens, 0.0, 0, scenario.stops_at_eos}));
  std::vector<std::int32_t> ids;
  ASSAY_TRY_ASSIGN(engine::step_result step, engine.prefill());
  for (;;) {
    ids.push_back(step.token);
    if (step.stopped != engine::stop_reason::none) break;
    if (is_interrupted()) return ASSAY_FAIL(interrupted, "interrupted before all was counted");
    ASSAY_TRY_ASSIGN(step, engine.decode_step());
  }
  ASSAY_TRY(engine.end_request());
  return ids;
}

constexpr bool starts_anew(const telemetry::counter_contract& contract) {
  return contract.kind.value == telemetry::counter_kind::count &&
         contract.reset.value == telemetry::reset_scope::per_request;
}

// The counts of the whole scenario. Those that start anew with each request are added up: the last
// request alone would hide a change that the others made.
class scenario_counts {
 public:
  explicit scenario_counts(const telemetry::registry& counters) : counters_(counters) {}

  void end_request() {
    for (int index = 0; index < telemetry::counter_total; ++index) {
      const auto id = static_cast<telemetry::counter_id>(index);
      if (!starts_anew(telemetry::contract_of(id))) continue;
      const telemetry::reading reading = counters_.read(id);
      auto& sum = sums_[static_cast<std::size_t>(index)];
      if (!reading.has_value())
        sum.absence = to_string(reading.state);
      else
        sum.value += reading.integer();
    }
  }

  void add_to(json& rows) const {
    for (int index = 0; index < telemetry::counter_total; ++index) {
      const auto id = static_cast<telemetry::counter_id>(index);
      const telemetry::counter_contract& contract = telemetry::contract_of(id);
      const unit of = contract.unit.value;
      if (of == unit::ns || is_real(of)) continue;
      const telemetry::reading reading = counters_.read(id);
      // A GPU's counters have no value on a host, in base and in head: a row that says so would
      // fail on both sides of every comparison.
      if (reading.state == telemetry::reading_state::not_applicable) continue;
      json out = row(std::string(contract.name.value), to_string(of));
      const auto& sum = sums_[static_cast<std::size_t>(index)];
      if (starts_anew(contract) && sum.absence.empty())
        out["value"] = sum.value;
      else if (reading.has_value() && sum.absence.empty())
        out["value"] = reading.integer();
      else
        out["absence"] = sum.absence.empty() ? to_string(reading.state) : sum.absence;
      rows.push_back(std::move(out));
    }
  }

 private:
  struct request_sum {
    std::int64_t value = 0;
    std::string_view absence;  // of a request that has no value
  };
  const telemetry::registry& counters_;
  std::array<request_sum, telemetry::counter_total> sums_{};
};

}  // namespace

double number_of_ids(std::span<const std::int32_t> ids) {
  constexpr std::uint64_t most = (std::uint64_t{1} << 53) - 1;
  telemetry::fnv1a digest;
  for (const std::int32_t id : ids) digest.take(id);
  return static_cast<double>((digest.value() ^ digest.value() >> 53) & most);
}

result<std::string> decode_counts_as_json(const run_options& options) {
  ASSAY_TRY_ASSIGN(auto device, device::host_device::create(
                                    {options.arena_bytes, options.spin_ns, options.threads}));
  telemetry::registry counters;
  ASSAY_TRY_ASSIGN(auto tokenizer,
                   tokenizer::tokenizer::load(options.checkpoint / "tokenizer.json", counters));
  ASSAY_TRY_ASSIGN(auto engine,
                   engine::engine::load(options.checkpoint, *device, counters,
                                        {0, static_cast<std::uint32_t>(options.page_tokens)}));
  json rows = json::array();
  scenario_counts counts(counters);
  std::size_t number = 0;
  for (const scenarios::scenario_request& request : options.scenario.requests) {
    ASSAY_TRY_ASSIGN(const auto ids,
                     generate(*engine, tokenizer.encode(request.prompt), options.scenario));
    counts.end_request();
    // A request that nobody reads leaves the counters of its text unwritten.
    tokenizer::stream_decoder decoder(tokenizer);
    for (const std::int32_t id : ids) static_cast<void>(decoder.push(id));
    static_cast<void>(decoder.finish());
    const std::string name = fmt::format("{}.request_{}", options.scenario.name, number++);
    rows.push_back(row(name + ".tokens", "tokens", static_cast<double>(ids.size())));
    rows.push_back(row(name + ".token_ids", "hash", number_of_ids(ids)));
  }
  counts.add_to(rows);
  json out = json::object();
  out["assay_counts"] = 1;
  out["scenario"] = options.scenario.name;
  out["rows"] = std::move(rows);
  return out.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace assay::cli
