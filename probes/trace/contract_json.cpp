// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/trace/contract_json.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "probes/trace/identity.h"
#include "probes/trace/strict_json.h"
#include "runtime/telemetry/catalog.h"

namespace assay::trace {
namespace {

using telemetry::activity;
using telemetry::counter_kind;
using telemetry::direction;
using telemetry::host_blocking;
using telemetry::link_class;
using telemetry::measure;
using telemetry::reset_scope;

json claims_json(const claim_row& claims) {
  if (claims.measure == measure::none) return {{"reason", claims.reason}};
  return {{"activity", telemetry::to_string(claims.kind)},
          {"direction", telemetry::to_string(claims.dir)},
          {"range", telemetry::to_string(claims.range)},
          {"measure", telemetry::to_string(claims.measure)}};
}

json pairing_json(const pairing_row& pairs_with) {
  if (pairs_with.bytes_counter.empty()) return {{"reason", pairs_with.reason}};
  return {{"bytes_counter", pairs_with.bytes_counter},
          {"link", telemetry::to_string(pairs_with.link)}};
}

json limits_json(const telemetry::value_limits& limits) {
  json out = json::object();
  if (limits.least) out["least"] = *limits.least;
  if (limits.most) out["most"] = *limits.most;
  return out;
}

json row_json(const contract_row& row) {
  json out{{"name", row.name},
           {"unit", to_string(row.unit)},
           {"kind", telemetry::to_string(row.kind)},
           {"clock", telemetry::to_string(row.clock)},
           {"bracket", row.bracket},
           {"blocks_host", telemetry::to_string(row.blocks_host)},
           {"claims", claims_json(row.claims)},
           {"pairs_with", pairing_json(row.pairs_with)},
           {"identity", row.identity},
           {"reset", telemetry::to_string(row.reset)}};
  if (row.limits != telemetry::value_limits{}) out["limits"] = limits_json(row.limits);
  return out;
}

result<claim_row> parse_claims(const object_reader& from) {
  claim_row claims;
  if (from.has("reason")) {
    ASSAY_TRY(from.only({"reason"}));
    ASSAY_TRY_ASSIGN(claims.reason, from.sentence("reason"));
    return claims;
  }
  ASSAY_TRY(from.only({"activity", "direction", "range", "measure"}));
  ASSAY_TRY_ASSIGN(claims.kind, from.spelled<activity>("activity"));
  ASSAY_TRY_ASSIGN(claims.dir, from.spelled<direction>("direction"));
  ASSAY_TRY_ASSIGN(claims.range, from.spelled<telemetry::range>("range"));
  ASSAY_TRY_ASSIGN(claims.measure, from.spelled<measure>("measure"));
  if (claims.kind == activity::none || claims.measure == measure::none)
    return from.flaw("no activity is claimed; give only a reason, which says who else can judge");
  return claims;
}

result<pairing_row> parse_pairing(const object_reader& from) {
  pairing_row pairs_with;
  if (from.has("reason")) {
    ASSAY_TRY(from.only({"reason"}));
    ASSAY_TRY_ASSIGN(pairs_with.reason, from.sentence("reason"));
    return pairs_with;
  }
  ASSAY_TRY(from.only({"bytes_counter", "link"}));
  ASSAY_TRY_ASSIGN(pairs_with.bytes_counter, from.sentence("bytes_counter"));
  ASSAY_TRY_ASSIGN(pairs_with.link, from.spelled<link_class>("link"));
  if (pairs_with.link == link_class::none)
    return from.flaw("link is 'none'; name the link that carries the bytes, or give only a reason");
  return pairs_with;
}

result<telemetry::value_limits> parse_limits(const object_reader& from) {
  telemetry::value_limits limits;
  ASSAY_TRY(from.only({"least", "most"}));
  if (from.has("least")) {
    ASSAY_TRY_ASSIGN(limits.least, from.number("least"));
  }
  if (from.has("most")) {
    ASSAY_TRY_ASSIGN(limits.most, from.number("most"));
  }
  if (!limits.least && !limits.most)
    return from.flaw("no limit is given; give least or most, or leave limits out");
  if (limits.least && limits.most && *limits.least > *limits.most)
    return from.flaw("least is above most, so no value is possible; swap them");
  return limits;
}

// What telemetry::checked() demands of the catalog when it compiles.
result<void> check(const contract_row& row, const object_reader& from) {
  using namespace telemetry::contract_rules;
  const std::string_view unit_name = to_string(row.unit);
  const bool may_be_the_unit = row.unit == assay::unit::tokens || row.unit == assay::unit::pages;
  if (!well_formed(row.name))
    return from.flaw(
        "the name has another form; make it room.subject.quantity_unit, in a-z, 0-9 "
        "and _");
  const bool ends_well =
      may_be_the_unit ? row.name.ends_with(unit_name) : ends_in_unit(row.name, unit_name);
  if (!ends_well)
    return from.flaw(fmt::format("the name does not end in the unit; end it in _{}", unit_name));
  const bool is_timed = row.kind == counter_kind::duration || row.kind == counter_kind::rate;
  if (is_timed && row.clock == clock_domain::none)
    return from.flaw("a duration or a rate without a clock; set clock to host or device_event");
  if (!is_timed && row.clock != clock_domain::none)
    return from.flaw("neither a duration nor a rate, and has a clock; set clock to none");
  return {};
}

result<contract_row> parse_row(const object_reader& from) {
  contract_row row;
  ASSAY_TRY(from.only({"name", "unit", "kind", "clock", "bracket", "blocks_host", "claims",
                       "pairs_with", "identity", "reset", "limits"}));
  ASSAY_TRY_ASSIGN(row.name, from.sentence("name"));
  ASSAY_TRY_ASSIGN(row.unit, from.spelled<assay::unit>("unit"));
  ASSAY_TRY_ASSIGN(row.kind, from.spelled<counter_kind>("kind"));
  ASSAY_TRY_ASSIGN(row.clock, from.spelled<clock_domain>("clock"));
  ASSAY_TRY_ASSIGN(row.bracket, from.sentence("bracket"));
  ASSAY_TRY_ASSIGN(row.blocks_host, from.spelled<host_blocking>("blocks_host"));
  ASSAY_TRY_ASSIGN(const object_reader claims, from.object("claims"));
  ASSAY_TRY_ASSIGN(row.claims, parse_claims(claims));
  ASSAY_TRY_ASSIGN(const object_reader pairs_with, from.object("pairs_with"));
  ASSAY_TRY_ASSIGN(row.pairs_with, parse_pairing(pairs_with));
  ASSAY_TRY_ASSIGN(row.identity, from.sentence("identity"));
  ASSAY_TRY_ASSIGN(row.reset, from.spelled<reset_scope>("reset"));
  if (from.has("limits")) {
    ASSAY_TRY_ASSIGN(const object_reader limits, from.object("limits"));
    ASSAY_TRY_ASSIGN(row.limits, parse_limits(limits));
  }
  ASSAY_TRY(check(row, from));
  return row;
}

// A counter that is named and does not exist would never be compared with anything.
result<void> check_identity(const contract_row& row,
                            const std::unordered_set<std::string_view>& names) {
  const auto balance = parse_identity(row.identity);
  if (!balance) return {};
  for (const identity_term& term : balance->terms)
    if (!names.contains(term.counter))
      return ASSAY_FAIL(
          unusable_input,
          fmt::format("the contract's counter {} has an identity that names {}, which "
                      "the contract does not have; add it, or say \"none: \" and why",
                      row.name, printable(term.counter)));
  return {};
}

// Names are unique, and a paired byte counter and the members of an identity exist.
result<void> check_names(std::span<const contract_row> rows) {
  std::unordered_set<std::string_view> names;
  for (const contract_row& row : rows)
    if (!names.insert(row.name).second)
      return ASSAY_FAIL(unusable_input, fmt::format("the contract has two counters named {}; "
                                                    "rename one",
                                                    row.name));
  for (const contract_row& row : rows)
    if (const std::string& wanted = row.pairs_with.bytes_counter;
        !wanted.empty() && !names.contains(wanted))
      return ASSAY_FAIL(unusable_input, fmt::format("the contract's counter {} is paired with {}, "
                                                    "which the contract does not have; add it",
                                                    row.name, printable(wanted)));
  for (const contract_row& row : rows) ASSAY_TRY(check_identity(row, names));
  return {};
}

}  // namespace

contract_row to_row(const telemetry::counter_contract& contract) {
  const telemetry::claim& claims = contract.claims;
  const telemetry::pairing& pairs_with = contract.pairs_with;
  contract_row row;
  row.name = contract.name.value;
  row.unit = contract.unit;
  row.kind = contract.kind;
  row.clock = contract.clock;
  row.bracket = contract.bracket.value;
  row.blocks_host = contract.blocks_host;
  row.claims = {claims.kind, claims.dir, claims.range, claims.measure, std::string(claims.reason)};
  row.pairs_with = {std::string(pairs_with.bytes_counter), pairs_with.link,
                    std::string(pairs_with.reason)};
  row.identity = contract.identity.value;
  row.reset = contract.reset;
  row.limits = contract.limits;
  return row;
}

std::vector<contract_row> catalog_rows(telemetry::device_class on) {
  std::vector<contract_row> rows;
  for (const telemetry::counter_contract& contract : telemetry::catalog(on))
    rows.push_back(to_row(contract));
  return rows;
}

std::string to_json(std::span<const contract_row> rows) {
  json counters = json::array();
  for (const contract_row& row : rows) counters.push_back(row_json(row));
  return dump({{"counters", std::move(counters)}});
}

result<std::vector<contract_row>> parse_contract(std::string_view text) {
  ASSAY_TRY_ASSIGN(const json root, parse_strict(text, "the contract"));
  ASSAY_TRY_ASSIGN(const object_reader top, object_reader::of(root, "the contract"));
  ASSAY_TRY(top.only({"counters"}));
  ASSAY_TRY_ASSIGN(const json* const counters, top.array("counters"));
  if (counters->empty())
    return top.flaw("counters is empty; a trace without counters says nothing");
  if (counters->size() > contract_max_rows)
    return top.flaw(fmt::format("{} counters, and a snapshot holds {}; write several traces",
                                counters->size(), contract_max_rows));
  std::vector<contract_row> rows;
  rows.reserve(counters->size());
  for (const json& one : *counters) {
    std::string where = fmt::format("the contract's row {}", rows.size());
    if (one.is_object() && one.contains("name") && one["name"].is_string())
      where += fmt::format(" ({})", printable(one["name"].get_ref<const std::string&>()));
    ASSAY_TRY_ASSIGN(const object_reader from, object_reader::of(one, std::move(where)));
    ASSAY_TRY_ASSIGN(contract_row row, parse_row(from));
    rows.push_back(std::move(row));
  }
  ASSAY_TRY(check_names(rows));
  return rows;
}

}  // namespace assay::trace
