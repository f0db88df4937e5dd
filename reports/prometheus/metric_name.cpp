// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/prometheus/metric_name.h"

#include "reports/wording/utf8_text.h"

namespace assay::reports {
namespace {

constexpr double ns_per_second = 1e9;

bool may_stand_in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Replaces the suffix, if the name has it.
void rename_suffix(std::string& name, std::string_view from, std::string_view to) {
  if (name.size() <= from.size() || !std::string_view(name).ends_with(from)) return;
  name.replace(name.size() - from.size(), from.size(), to);
}

}  // namespace

metric_form metric_of(std::string_view counter, std::string_view kind, std::string_view unit) {
  metric_form form;
  form.name = "assay_";
  for (const char c : counter) form.name += may_stand_in_name(c) ? c : '_';
  if (unit == "ns") {
    rename_suffix(form.name, "_ns", "_seconds");
    form.divisor = ns_per_second;
  }
  rename_suffix(form.name, "_per_s", "_per_second");
  const bool only_grows = kind == "count" || kind == "duration";
  form.type = only_grows ? "counter" : "gauge";
  if (only_grows) {
    rename_suffix(form.name, "_count", "");
    form.name += "_total";
  }
  return form;
}

std::string label_escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : mended_utf8(text)) {
    if (c == '\\' || c == '"')
      out += {'\\', c};
    else if (c == '\n')
      out += "\\n";
    else
      out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  }
  return out;
}

}  // namespace assay::reports
