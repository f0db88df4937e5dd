// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/wording/audit_words.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "reports/model/outcome.h"
#include "reports/wording/quantity_words.h"
#include "reports/wording/utf8_text.h"

namespace assay::reports {
namespace {

std::string plural(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", with_separators(count), noun, count == 1 ? "" : "s");
}

std::string_view sign_of(const model::reference& reference) {
  const bool holds = reference.holds;
  if (reference.relation == "equal") return holds ? "=" : "≠";
  if (reference.relation == "near") return holds ? "≈" : "≉";
  if (reference.relation == "at most") return holds ? "≤" : "not ≤";
  if (reference.relation == "at least") return holds ? "≥" : "not ≥";
  return holds ? "holds:" : "broken:";
}

// What the counter claimed over the windows that this reference compared, where that is not what
// stands in the line: a part of the run beside the whole of it would look like a disagreement.
std::string claimed_there(const model::counter_line& line, const model::reference& reference) {
  if (!is_printable(reference.claimed) || !is_printable(line.claimed)) return {};
  const std::string there = quantity_words(reference.claimed, line.unit, line.kind);
  if (there == quantity_words(line.claimed, line.unit, line.kind)) return {};
  return fmt::format(" (claimed there: {})", there);
}

std::string reference_words(const model::counter_line& line, const model::reference& reference) {
  if (reference.is_void)
    return fmt::format("{} void ({})", reference.source,
                       reference.void_reason.empty() ? "no reason given" : reference.void_reason);
  if (reference.compared_windows == 0) return fmt::format("{} compared nothing", reference.source);
  const std::string observed = quantity_words(reference.observed, line.unit, line.kind);
  const bool repeats = reference.holds && is_printable(line.claimed) &&
                       observed == quantity_words(line.claimed, line.unit, line.kind);
  return fmt::format("{} {}{}{}{}", sign_of(reference), reference.source, repeats ? "" : " ",
                     repeats ? std::string() : observed, claimed_there(line, reference));
}

const model::counter_line* subject_of(const model::audit_report& report,
                                      const model::finding& finding) {
  for (const auto& line : report.counters)
    if (line.name == finding.subject) return &line;
  return nullptr;
}

bool is_said(const model::quantity& quantity) {
  return quantity.is_present || !quantity.absence.empty();
}

std::string ceiling_value(double bytes_per_s, const std::string& reason) {
  if (bytes_per_s > 0.0) return bandwidth_words(bytes_per_s);
  return "unknown: " + (reason.empty() ? std::string("no reason given") : reason);
}

std::string samples(std::uint64_t count) {
  return count == 0 ? "evaluated nothing" : "evaluated " + plural(count, "sample");
}

}  // namespace

std::string headline(const model::audit_report& report) {
  using model::count_of;
  using model::verdict;
  return fmt::format("{}: {} agree, {} disagree, {} undecided, {} unmeasured; {}",
                     plural(report.counters.size(), "counter"), count_of(report, verdict::agree),
                     count_of(report, verdict::disagree), count_of(report, verdict::undecided),
                     count_of(report, verdict::unmeasured),
                     plural(report.findings.size(), "finding"));
}

std::string extent(const model::audit_report& report) {
  const std::string seen =
      plural(report.record_count, "record") + " in " + plural(report.window_count, "window");
  if (report.is_complete) return seen;
  return fmt::format(
      "INCOMPLETE ({}): {} up to there",
      report.incompleteness.empty() ? "the writer did not close the trace" : report.incompleteness,
      seen);
}

std::vector<const model::counter_line*> worst_first(const model::audit_report& report) {
  constexpr std::array order{model::verdict::disagree, model::verdict::undecided,
                             model::verdict::unmeasured, model::verdict::agree};
  std::vector<const model::counter_line*> lines;
  lines.reserve(report.counters.size());
  for (const model::verdict wanted : order)
    for (const auto& line : report.counters)
      if (line.verdict == wanted) lines.push_back(&line);
  return lines;
}

std::string claimed_words(const model::counter_line& line) {
  return is_printable(line.claimed) ? quantity_words(line.claimed, line.unit, line.kind) : "-";
}

std::string evidence(const model::counter_line& line) {
  std::string words;
  const auto append = [&words](std::string_view separator, const std::string& more) {
    if (!words.empty()) words += separator;
    words += more;
  };
  // A reason may begin with the claim's absence: once is enough.
  const std::string absence =
      is_printable(line.claimed) ? std::string() : absence_words(line.claimed);
  if (!absence.empty() && line.reason.rfind(absence, 0) != 0) append("", absence);
  // What this run cannot have needs no reference, and its reason need not be said twice.
  if (line.references.empty() && !absence.empty() && absence == line.reason) return absence;
  bool is_first = true;
  for (const auto& reference : line.references) {
    append(is_first ? "; " : ", ", reference_words(line, reference));
    is_first = false;
  }
  if (line.references.empty() && line.reason.rfind("no reference", 0) != 0)
    append("; ", "no reference");
  if (!line.reason.empty()) append("; ", line.reason);
  return words;
}

std::string figures(const model::audit_report& report, const model::finding& finding) {
  const model::counter_line* line = subject_of(report, finding);
  const std::string_view unit = model::unit_of(report, finding);
  const std::string_view kind = line != nullptr ? std::string_view(line->kind) : "";
  std::string words;
  if (is_said(finding.claimed)) words = "claimed " + quantity_words(finding.claimed, unit, kind);
  if (is_said(finding.observed))
    words += (words.empty() ? "observed " : ", observed ") +
             quantity_words(finding.observed, unit, kind);
  return words;
}

std::vector<std::string> other_explanations(const model::finding& finding) {
  std::vector<std::string> lines;
  for (std::size_t at = 1; at < finding.explanations.size(); ++at) {
    const model::explanation& each = finding.explanations[at];
    lines.push_back(
        fmt::format("fits as well: {} {}, {}", each.rule, each.rule_name, each.message));
  }
  return lines;
}

std::string whereabouts(const model::finding& finding) {
  if (finding.where.empty()) return {};
  return fmt::format("first in {}; {}", finding.where, plural(finding.window_count, "window"));
}

std::string effort(const model::rule_line& rule) {
  if (rule.is_explainer && rule.evaluated_samples == 0) return "nothing to explain";
  if (rule.is_explainer)
    return fmt::format("looked at {}, explains {}", plural(rule.evaluated_samples, "failure"),
                       with_separators(rule.fired));
  const std::string words = samples(rule.evaluated_samples);
  return rule.fired == 0 ? words : words + ", fired " + with_separators(rule.fired);
}

std::string effort(const model::gate_line& gate) {
  return samples(gate.evaluated_samples);
}

std::string_view state_word(const model::gate_line& gate) {
  if (gate.holds) return "holds";
  return gate.evaluated_samples == 0 ? "undecided" : "VOID";
}

std::string ceiling_words(const model::ceiling_line& ceiling) {
  return fmt::format(
      "soft {}, hard {}; {}", ceiling_value(ceiling.soft_bytes_per_s, ceiling.reason),
      ceiling_value(ceiling.hard_bytes_per_s, ceiling.reason), plural(ceiling.samples, "sample"));
}

std::string one_line(std::string_view text) {
  const std::string mended = mended_utf8(text);
  std::string safe;
  safe.reserve(mended.size());
  for (std::size_t at = 0; at < mended.size(); ++at) {
    const char c = mended[at];
    const auto byte = static_cast<unsigned char>(c);
    const std::size_t hidden =
        byte < 0x80 ? 0 : length_of_hidden_mark(std::string_view(mended).substr(at));
    if (c == '\n' || c == '\t')
      safe += ' ';
    else
      safe += byte < 0x20 || byte == 0x7f || hidden > 0 ? '?' : c;
    at += hidden > 0 ? hidden - 1 : 0;
  }
  return safe;
}

}  // namespace assay::reports
