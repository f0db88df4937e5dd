// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/trace/run_facts.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "probes/trace/strict_json.h"
#include "runtime/telemetry/catalog.h"

namespace assay::trace {
namespace {

// Absent is null, never 0.
json rate_json(double bytes_per_s) {
  return bytes_per_s > 0.0 && std::isfinite(bytes_per_s) ? json(bytes_per_s) : json(nullptr);
}

json ceiling_json(const link_ceiling& ceiling) {
  json out = {{"link", telemetry::to_string(ceiling.link)},
              {"soft_bytes_per_s", rate_json(ceiling.soft_bytes_per_s)},
              {"hard_bytes_per_s", rate_json(ceiling.hard_bytes_per_s)},
              {"samples", ceiling.samples}};
  if (!ceiling.reason.empty()) out["reason"] = ceiling.reason;
  return out;
}

result<double> parse_rate(const object_reader& from, const char* name) {
  ASSAY_TRY_ASSIGN(const json* const value, from.member(name));
  if (value->is_null()) return 0.0;
  if (!value->is_number() || !(value->get<double>() > 0.0))
    return from.flaw(
        fmt::format("{} is no number above 0; give one, or null where nobody has it", name));
  return value->get<double>();
}

result<std::uint64_t> parse_samples(const object_reader& from) {
  ASSAY_TRY_ASSIGN(const json* const samples, from.member("samples"));
  if (!samples->is_number_unsigned())
    return from.flaw("samples is no count; give how many measurements were made");
  return samples->get<std::uint64_t>();
}

result<link_ceiling> parse_ceiling(const json& value) {
  ASSAY_TRY_ASSIGN(const object_reader from, object_reader::of(value, "the facts, a ceiling"));
  ASSAY_TRY(from.only({"link", "soft_bytes_per_s", "hard_bytes_per_s", "samples", "reason"}));
  link_ceiling ceiling;
  ASSAY_TRY_ASSIGN(ceiling.link, from.spelled<telemetry::link_class>("link"));
  if (ceiling.link == telemetry::link_class::none) return from.flaw("link is 'none'; name one");
  ASSAY_TRY_ASSIGN(ceiling.soft_bytes_per_s, parse_rate(from, "soft_bytes_per_s"));
  ASSAY_TRY_ASSIGN(ceiling.hard_bytes_per_s, parse_rate(from, "hard_bytes_per_s"));
  ASSAY_TRY_ASSIGN(ceiling.samples, parse_samples(from));
  if (from.has("reason")) {
    ASSAY_TRY_ASSIGN(ceiling.reason, from.sentence("reason"));
  }
  const bool is_absent = ceiling.soft_bytes_per_s == 0.0 || ceiling.hard_bytes_per_s == 0.0;
  if (is_absent && ceiling.reason.empty())
    return from.flaw("a rate is null without a reason; say why nobody has it");
  return ceiling;
}

result<std::vector<named_fact>> parse_named(const json& array) {
  std::vector<named_fact> facts;
  for (const json& one : array) {
    ASSAY_TRY_ASSIGN(const object_reader from, object_reader::of(one, "the facts, a fact"));
    ASSAY_TRY(from.only({"name", "value"}));
    named_fact fact;
    ASSAY_TRY_ASSIGN(fact.name, from.sentence("name"));
    ASSAY_TRY_ASSIGN(fact.value, from.text("value"));
    facts.push_back(std::move(fact));
  }
  return facts;
}

result<std::vector<absent_condition>> parse_absent(const json& array) {
  std::vector<absent_condition> absent;
  for (const json& one : array) {
    ASSAY_TRY_ASSIGN(const object_reader from,
                     object_reader::of(one, "the facts, an absent condition"));
    ASSAY_TRY(from.only({"name", "reason"}));
    absent_condition each;
    ASSAY_TRY_ASSIGN(each.name, from.sentence("name"));
    ASSAY_TRY_ASSIGN(each.reason, from.sentence("reason"));
    absent.push_back(std::move(each));
  }
  return absent;
}

json numbers_json(const std::vector<named_number>& numbers, const char* member) {
  json out = json::array();
  for (const named_number& one : numbers) out.push_back({{"name", one.name}, {member, one.value}});
  return out;
}

result<std::vector<named_number>> parse_numbers(const object_reader& top, const char* list,
                                                const char* member) {
  std::vector<named_number> numbers;
  if (!top.has(list)) return numbers;
  ASSAY_TRY_ASSIGN(const json* const array, top.array(list));
  for (const json& one : *array) {
    ASSAY_TRY_ASSIGN(const object_reader from,
                     object_reader::of(one, fmt::format("the facts, one of {}", list)));
    ASSAY_TRY(from.only({"name", member}));
    named_number number;
    ASSAY_TRY_ASSIGN(number.name, from.sentence("name"));
    ASSAY_TRY_ASSIGN(number.value, from.number(member));
    if (!(number.value > 0.0) || !std::isfinite(number.value))
      return from.flaw(fmt::format("{} is no number above 0; leave out what nobody knows", member));
    numbers.push_back(std::move(number));
  }
  return numbers;
}

result<std::vector<std::string>> parse_texts(const object_reader& from, const char* name) {
  ASSAY_TRY_ASSIGN(const json* const array, from.array(name));
  std::vector<std::string> texts;
  for (const json& one : *array) {
    if (!one.is_string() || one.get_ref<const std::string&>().empty())
      return from.flaw(
          fmt::format("{} holds something else than words; give strings that are not empty", name));
    texts.push_back(one.get<std::string>());
  }
  return texts;
}

// Of bytes, operations, tokens.
result<std::int64_t> parse_amount(const object_reader& from, const char* name) {
  ASSAY_TRY_ASSIGN(const json* const value, from.member(name));
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  if (!value->is_number_unsigned() || value->get<std::uint64_t>() > most)
    return from.flaw(fmt::format("{} is no amount: a whole number up to 2^62", name));
  return static_cast<std::int64_t>(value->get<std::uint64_t>());
}

json arithmetic_json(const arithmetic_ceiling& ceiling) {
  json out = {{"by", telemetry::to_string(ceiling.by)},
              {"operations_per_s", rate_json(ceiling.operations_per_s)},
              {"samples", ceiling.samples}};
  if (!ceiling.reason.empty()) out["reason"] = ceiling.reason;
  return out;
}

result<arithmetic_ceiling> parse_arithmetic(const json& value) {
  ASSAY_TRY_ASSIGN(const object_reader from,
                   object_reader::of(value, "the facts, a ceiling of arithmetic"));
  ASSAY_TRY(from.only({"by", "operations_per_s", "samples", "reason"}));
  arithmetic_ceiling ceiling;
  ASSAY_TRY_ASSIGN(ceiling.by, from.spelled<telemetry::arithmetic>("by"));
  ASSAY_TRY_ASSIGN(ceiling.operations_per_s, parse_rate(from, "operations_per_s"));
  ASSAY_TRY_ASSIGN(ceiling.samples, parse_samples(from));
  if (from.has("reason")) {
    ASSAY_TRY_ASSIGN(ceiling.reason, from.sentence("reason"));
  }
  if (ceiling.operations_per_s == 0.0 && ceiling.reason.empty())
    return from.flaw("a rate is null without a reason; say why nobody has it");
  return ceiling;
}

json products_json(const telemetry::planned_products& products) {
  return {{"by", telemetry::to_string(products.by)},
          {"operations", products.operations},
          {"operations_per_context_token", products.operations_per_context_token},
          {"kv_bytes_per_context_token", products.kv_bytes_per_context_token}};
}

result<telemetry::planned_products> parse_products(const json& value, bool reads_kv) {
  ASSAY_TRY_ASSIGN(const object_reader from,
                   object_reader::of(value, "the facts, products of a launch"));
  ASSAY_TRY(from.only(
      {"by", "operations", "operations_per_context_token", "kv_bytes_per_context_token"}));
  telemetry::planned_products products;
  ASSAY_TRY_ASSIGN(products.by, from.spelled<telemetry::arithmetic>("by"));
  ASSAY_TRY_ASSIGN(products.operations, parse_amount(from, "operations"));
  ASSAY_TRY_ASSIGN(products.operations_per_context_token,
                   parse_amount(from, "operations_per_context_token"));
  ASSAY_TRY_ASSIGN(products.kv_bytes_per_context_token,
                   parse_amount(from, "kv_bytes_per_context_token"));
  const bool has_context =
      products.operations_per_context_token > 0 || products.kv_bytes_per_context_token > 0;
  if (has_context && !reads_kv)
    return from.flaw("it grows with a context that reads_kv says it does not read");
  return products;
}

json request_json(const telemetry::planned_request& request) {
  return {{"prompt_tokens", request.prompt_tokens},
          {"prefill_operations", request.prefill_operations},
          {"prefill_bytes", request.prefill_bytes},
          {"prefill_by", telemetry::to_string(request.prefill_by)}};
}

result<telemetry::planned_request> parse_request(const json& value) {
  ASSAY_TRY_ASSIGN(const object_reader from, object_reader::of(value, "the facts, a request"));
  ASSAY_TRY(from.only({"prompt_tokens", "prefill_operations", "prefill_bytes", "prefill_by"}));
  telemetry::planned_request request;
  ASSAY_TRY_ASSIGN(request.prompt_tokens, parse_amount(from, "prompt_tokens"));
  ASSAY_TRY_ASSIGN(request.prefill_operations, parse_amount(from, "prefill_operations"));
  ASSAY_TRY_ASSIGN(request.prefill_bytes, parse_amount(from, "prefill_bytes"));
  ASSAY_TRY_ASSIGN(request.prefill_by, from.spelled<telemetry::arithmetic>("prefill_by"));
  return request;
}

// Each element of a list that may be missing.
template <class T, class Parse>
result<void> parse_each(const object_reader& top, const char* list, std::vector<T>& into,
                        Parse parse) {
  if (!top.has(list)) return {};
  ASSAY_TRY_ASSIGN(const json* const array, top.array(list));
  for (const json& one : *array) {
    ASSAY_TRY_ASSIGN(T each, parse(one));
    into.push_back(std::move(each));
  }
  return {};
}

json launch_json(const telemetry::planned_launch& launch) {
  json out = {{"operator", launch.name},
              {"weight_bytes", launch.weight_bytes},
              {"reads_kv", launch.reads_kv}};
  if (launch.products) out["products"] = products_json(*launch.products);
  return out;
}

result<std::vector<telemetry::planned_launch>> parse_plan(const json& array) {
  std::vector<telemetry::planned_launch> plan;
  for (const json& one : array) {
    ASSAY_TRY_ASSIGN(const object_reader from, object_reader::of(one, "the facts, a launch"));
    ASSAY_TRY(from.only({"operator", "weight_bytes", "reads_kv", "products"}));
    telemetry::planned_launch launch;
    ASSAY_TRY_ASSIGN(launch.name, from.sentence("operator"));
    ASSAY_TRY_ASSIGN(launch.weight_bytes, parse_amount(from, "weight_bytes"));
    ASSAY_TRY_ASSIGN(const json* const reads, from.member("reads_kv"));
    if (!reads->is_boolean()) return from.flaw("reads_kv is neither true nor false");
    launch.reads_kv = reads->get<bool>();
    if (from.has("products")) {
      ASSAY_TRY_ASSIGN(const json* const products, from.member("products"));
      ASSAY_TRY_ASSIGN(launch.products, parse_products(*products, launch.reads_kv));
    }
    plan.push_back(std::move(launch));
  }
  return plan;
}

// Replaces the element with the same key, or adds one.
template <class T, class Key>
void replace_or_add(std::vector<T>& into, T&& later, Key T::*key) {
  const auto found =
      std::find_if(into.begin(), into.end(), [&](const T& one) { return one.*key == later.*key; });
  if (found == into.end())
    into.push_back(std::move(later));
  else
    *found = std::move(later);
}

}  // namespace

std::string to_json(const run_facts& facts) {
  json out = json::object();
  for (const named_fact& fact : facts.facts)
    out["facts"].push_back({{"name", fact.name}, {"value", fact.value}});
  for (const link_ceiling& ceiling : facts.ceilings)
    out["ceilings"].push_back(ceiling_json(ceiling));
  if (!facts.clocks.empty()) out["clocks"] = numbers_json(facts.clocks, "hz");
  if (!facts.bases.empty()) out["bases"] = numbers_json(facts.bases, "value");
  if (!facts.reasons.empty()) out["reasons"] = facts.reasons;
  if (!facts.notes.empty()) out["notes"] = facts.notes;
  if (facts.has_one_observer) out["one_observer"] = true;
  if (!facts.records_absence.empty()) out["records_absence"] = facts.records_absence;
  for (const telemetry::planned_launch& each : facts.step_plan)
    out["step_plan"].push_back(launch_json(each));
  for (const telemetry::planned_request& each : facts.requests)
    out["requests"].push_back(request_json(each));
  for (const arithmetic_ceiling& each : facts.arithmetic)
    out["arithmetic"].push_back(arithmetic_json(each));
  if (facts.cache_bytes > 0) out["cache_bytes"] = facts.cache_bytes;
  for (const absent_condition& each : facts.absent_conditions)
    out["absent_conditions"].push_back({{"name", each.name}, {"reason", each.reason}});
  return dump(out);
}

result<run_facts> parse_facts(std::string_view text) {
  ASSAY_TRY_ASSIGN(const json root, parse_strict(text, "the facts"));
  ASSAY_TRY_ASSIGN(const object_reader top, object_reader::of(root, "the facts"));
  ASSAY_TRY(top.only({"facts", "ceilings", "clocks", "bases", "reasons", "notes", "one_observer",
                      "records_absence", "step_plan", "cache_bytes", "requests", "arithmetic",
                      "absent_conditions"}));
  run_facts parsed;
  run_facts out;
  if (top.has("facts")) {
    ASSAY_TRY_ASSIGN(const json* const array, top.array("facts"));
    ASSAY_TRY_ASSIGN(parsed.facts, parse_named(*array));
  }
  ASSAY_TRY(parse_each(top, "ceilings", parsed.ceilings, parse_ceiling));
  ASSAY_TRY(parse_each(top, "requests", parsed.requests, parse_request));
  ASSAY_TRY(parse_each(top, "arithmetic", parsed.arithmetic, parse_arithmetic));
  ASSAY_TRY_ASSIGN(parsed.clocks, parse_numbers(top, "clocks", "hz"));
  ASSAY_TRY_ASSIGN(parsed.bases, parse_numbers(top, "bases", "value"));
  if (top.has("reasons")) {
    ASSAY_TRY_ASSIGN(parsed.reasons, parse_texts(top, "reasons"));
  }
  if (top.has("notes")) {
    ASSAY_TRY_ASSIGN(parsed.notes, parse_texts(top, "notes"));
  }
  if (top.has("one_observer")) {
    ASSAY_TRY_ASSIGN(const json* const value, top.member("one_observer"));
    if (!value->is_boolean()) return top.flaw("one_observer is neither true nor false");
    parsed.has_one_observer = value->get<bool>();
  }
  if (top.has("records_absence")) {
    ASSAY_TRY_ASSIGN(parsed.records_absence, top.sentence("records_absence"));
  }
  if (top.has("step_plan")) {
    ASSAY_TRY_ASSIGN(const json* const array, top.array("step_plan"));
    ASSAY_TRY_ASSIGN(parsed.step_plan, parse_plan(*array));
  }
  if (top.has("cache_bytes")) {
    ASSAY_TRY_ASSIGN(parsed.cache_bytes, parse_amount(top, "cache_bytes"));
  }
  if (top.has("absent_conditions")) {
    ASSAY_TRY_ASSIGN(const json* const array, top.array("absent_conditions"));
    ASSAY_TRY_ASSIGN(parsed.absent_conditions, parse_absent(*array));
  }
  // Within a block the last of two facts of one name wins too.
  merge(out, std::move(parsed));
  return out;
}

void merge(run_facts& into, run_facts later) {
  into.has_one_observer = into.has_one_observer || later.has_one_observer;
  if (into.records_absence.empty()) into.records_absence = std::move(later.records_absence);
  for (named_fact& fact : later.facts)
    replace_or_add(into.facts, std::move(fact), &named_fact::name);
  for (link_ceiling& ceiling : later.ceilings)
    replace_or_add(into.ceilings, std::move(ceiling), &link_ceiling::link);
  for (named_number& clock : later.clocks)
    replace_or_add(into.clocks, std::move(clock), &named_number::name);
  for (named_number& base : later.bases)
    replace_or_add(into.bases, std::move(base), &named_number::name);
  for (absent_condition& each : later.absent_conditions)
    replace_or_add(into.absent_conditions, std::move(each), &absent_condition::name);
  if (!later.step_plan.empty()) into.step_plan = std::move(later.step_plan);
  if (!later.requests.empty()) into.requests = std::move(later.requests);
  for (arithmetic_ceiling& ceiling : later.arithmetic)
    replace_or_add(into.arithmetic, std::move(ceiling), &arithmetic_ceiling::by);
  if (later.cache_bytes > 0) into.cache_bytes = later.cache_bytes;
  if (!later.reasons.empty()) into.reasons = std::move(later.reasons);
  for (std::string& note : later.notes)
    if (std::find(into.notes.begin(), into.notes.end(), note) == into.notes.end())
      into.notes.push_back(std::move(note));
}

}  // namespace assay::trace
