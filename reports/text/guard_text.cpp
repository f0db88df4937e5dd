// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/guard_text.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "reports/text/columns.h"
#include "reports/wording/audit_words.h"
#include "reports/wording/guard_words.h"
#include "reports/wording/quantity_words.h"

namespace assay::reports {
namespace {

std::string_view colour_of(model::severity severity) {
  return severity == model::severity::warning ? "\x1b[33m" : "\x1b[31m";
}

class page {
 public:
  page(const model::guard_report& report, bool is_coloured)
      : report_(report), is_coloured_(is_coloured) {}

  std::string render() {
    line(guard_headline(report_));
    heading("findings");
    for (const auto& found : report_.findings) finding(found);
    if (report_.findings.empty()) line("  none");
    if (skipped_count() > 0) skipped();
    if (!report_.not_judged.empty()) {
      heading("not judged");
      for (const auto& each : report_.not_judged)
        line(fmt::format("  {}: {}", each.where, each.what));
    }
    heading("checks");
    for (const auto& check : report_.checks)
      line(fmt::format("  {} {}", pad_right(check.name, 22), guard_effort(check)));
    heading("run");
    for (const auto& fact : report_.facts) line(fmt::format("  {}: {}", fact.name, fact.value));
    return std::move(out_);
  }

 private:
  // Foreign text ends up in every one of them.
  void line(const std::string& text) { out_ += one_line(text) + "\n"; }

  void heading(std::string_view title) {
    out_ +=
        is_coloured_ ? fmt::format("\n\x1b[1m{}\x1b[0m\n", title) : fmt::format("\n{}\n", title);
  }

  void finding(const model::guard_finding& found) {
    const std::string severity = pad_right(std::string(to_string(found.severity)), 8);
    out_ += "  ";
    out_ +=
        is_coloured_ ? fmt::format("{}{}\x1b[0m", colour_of(found.severity), severity) : severity;
    line(fmt::format(" {} {} {}: {}", pad_right(found.rule.empty() ? "-" : found.rule, 3),
                     pad_right(found.check, 21), found.where, found.message));
  }

  void skipped() {
    heading("skipped");
    for (const auto& each : report_.skipped) line(fmt::format("  {} {}", each.where, each.what));
    if (skipped_count() > report_.skipped.size())
      line(fmt::format("  and {} more", with_separators(skipped_count() - report_.skipped.size())));
  }

  std::uint64_t skipped_count() const {
    return report_.skipped_count + report_.skipped_value_count;
  }

  const model::guard_report& report_;
  bool is_coloured_;
  std::string out_;
};

}  // namespace

std::string guard_as_text(const model::guard_report& report, const text_options& options) {
  return page(report, options.is_coloured).render();
}

}  // namespace assay::reports
