// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/guard/subject.h"

#include <iterator>

#include <fmt/format.h>

namespace assay::guard {
namespace {

std::string key_of(model::severity severity, std::string_view rule, std::string_view subject) {
  return fmt::format("{}\n{}\n{}", to_string(severity), rule, subject);
}

}  // namespace

void check_log::find(model::severity severity, std::string_view rule, std::string_view subject,
                     std::string message, std::string where) {
  model::guard_finding found;
  found.check = effort_.name;
  found.rule = rule;
  found.severity = severity;
  found.subject = subject;
  found.message = std::move(message);
  found.where = std::move(where);
  last_[key_of(severity, rule, subject)] = findings_.size();
  findings_.push_back(std::move(found));
  repeats_.push_back(0);
}

void check_log::find_first(model::severity severity, std::string_view rule,
                           std::string_view subject, std::string message, std::string where) {
  if (const auto old = last_.find(key_of(severity, rule, subject)); old != last_.end())
    ++repeats_[old->second];
  else
    find(severity, rule, subject, std::move(message), std::move(where));
}

void check_log::find_first_of(std::string key, model::severity severity, std::string_view subject,
                              std::string message, std::string where) {
  if (const auto old = last_.find(key); old != last_.end()) {
    ++repeats_[old->second];
    return;
  }
  last_.emplace(std::move(key), findings_.size());
  find(severity, "", subject, std::move(message), std::move(where));
}

void check_log::move_into(model::guard_report& report) && {
  effort_.fired = findings_.size();
  for (std::size_t at = 0; at < findings_.size(); ++at)
    if (repeats_[at] > 0)
      findings_[at].message += fmt::format(" (and {} more like it)", repeats_[at]);
  if (effort_.evaluated > 0) effort_.absence.clear();
  if (effort_.evaluated == 0 && effort_.absence.empty())
    effort_.absence = "the contract promises nothing of the kind";
  report.checks.push_back(std::move(effort_));
  std::move(findings_.begin(), findings_.end(), std::back_inserter(report.findings));
  std::move(not_judged_.begin(), not_judged_.end(), std::back_inserter(report.not_judged));
}

std::string place_of(std::string_view file, std::size_t line) {
  return line == 0 ? std::string(file) : fmt::format("{}:{}", file, line);
}

}  // namespace assay::guard
