// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown/counters_markdown.h"

#include <fmt/format.h>

#include "reports/markdown/escape.h"
#include "runtime/telemetry/catalog.h"

namespace assay::reports {
namespace {

namespace t = telemetry;

std::string claim_words(const t::claim& claim) {
  if (claim.measure == t::measure::none) return "nothing: " + markdown_escaped(claim.reason);
  std::string words =
      fmt::format("{} of {} activity", t::to_string(claim.measure), t::to_string(claim.kind));
  if (claim.dir != t::direction::any) words += fmt::format(", {}", t::to_string(claim.dir));
  if (claim.range != t::range::any) words += fmt::format(", range {}", t::to_string(claim.range));
  return words;
}

std::string pairing_words(const t::pairing& pairing) {
  if (pairing.bytes_counter.empty()) return "nothing: " + markdown_escaped(pairing.reason);
  return fmt::format("`{}` over {}", pairing.bytes_counter, t::to_string(pairing.link));
}

std::string limits_words(const t::value_limits& limits) {
  std::string words;
  if (limits.least) words += fmt::format(" at least {}", *limits.least);
  if (limits.most) words += fmt::format("{} at most {}", limits.least ? "," : "", *limits.most);
  return words.empty() ? words : "- limits:" + words + "\n";
}

std::string entry(const t::counter_contract& row) {
  return fmt::format(
      "\n## `{}`\n\n"
      "- {} in {}; clock: {}; waits for the device: {}; reset: {}\n"
      "- bracket: {}\n"
      "- claims: {}\n"
      "- pairs with: {}\n"
      "- identity: {}\n{}",
      row.name.value, t::to_string(row.kind.value), to_string(row.unit.value),
      t::to_string(row.clock.value), t::to_string(row.blocks_host.value),
      t::to_string(row.reset.value), markdown_escaped(row.bracket.value),
      claim_words(row.claims.value), pairing_words(row.pairs_with.value),
      markdown_escaped(row.identity.value), limits_words(row.limits));
}

// One line a field that differs; empty where none does.
std::string difference(const t::counter_contract& from, const t::counter_contract& to) {
  std::string words;
  const auto add = [&](std::string_view field, const std::string& before, const std::string& now) {
    if (before != now) words += fmt::format("- {}: {}\n", field, now);
  };
  add("bracket", markdown_escaped(from.bracket.value), markdown_escaped(to.bracket.value));
  add("claims", claim_words(from.claims.value), claim_words(to.claims.value));
  add("pairs with", pairing_words(from.pairs_with.value), pairing_words(to.pairs_with.value));
  add("identity", markdown_escaped(from.identity.value), markdown_escaped(to.identity.value));
  if (words.empty()) return words;
  return fmt::format("\n### `{}`\n\n{}", to.name.value, words);
}

std::string on_a_gpu(std::span<const t::counter_contract> catalog,
                     std::span<const t::counter_contract> on_gpu) {
  std::string page =
      "\n## On a GPU\n\nFrom `runtime/telemetry/catalog_cuda.def`: the links of a GPU, and what no "
      "record of its driver tells. What is not here holds as above.\n";
  for (std::size_t i = 0; i < catalog.size(); ++i) page += difference(catalog[i], on_gpu[i]);
  return page;
}

}  // namespace

std::string counters_as_markdown(std::span<const t::counter_contract> catalog,
                                 std::span<const t::counter_contract> on_gpu) {
  std::string page = fmt::format(
      "# Counters\n\nGenerated from `runtime/telemetry/catalog.def` by `ci/bless`; not to be "
      "edited. "
      "{} counters.\n\n| counter | unit | kind |\n| --- | --- | --- |\n",
      catalog.size());
  for (const auto& row : catalog)
    page += fmt::format("| `{}` | {} | {} |\n", row.name.value, to_string(row.unit.value),
                        t::to_string(row.kind.value));
  for (const auto& row : catalog) page += entry(row);
  return page + on_a_gpu(catalog, on_gpu);
}

}  // namespace assay::reports
