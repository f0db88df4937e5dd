// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/timed_row.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "reports/model/launch_name.h"

namespace assay::attribution {
namespace {

using model::pass_line;

constexpr std::int64_t margin_least_ns = 2'000;
constexpr std::int64_t margin_divisor = 50;

timed_row same_in_all(std::string subject, std::size_t runs,
                      const std::function<std::int64_t(const pass_line&)>& of) {
  return {std::move(subject), false, {runs, of}};
}

std::int64_t busy_of(const pass_line& step, std::size_t which) {
  return which < step.launch_busy_ns.size() ? step.launch_busy_ns[which] : 0;
}

bool is_in_steps(const model::investigation& of, std::size_t which) {
  return std::any_of(of.steps.begin(), of.steps.end(),
                     [&](const pass_line& step) { return busy_of(step, which) > 0; });
}

void add_launches(const std::vector<const model::investigation*>& runs,
                  std::vector<timed_row>& to) {
  for (const model::launch_class& each : runs.front()->launch_classes) {
    if (each.is_rest) continue;
    timed_row row{model::launch_name(each), true, {}};
    for (const model::investigation* run : runs) {
      const auto& classes = run->launch_classes;
      const auto which = static_cast<std::size_t>(std::find(classes.begin(), classes.end(), each) -
                                                  classes.begin());
      if (which == classes.size() || !is_in_steps(*run, which)) break;
      row.of.emplace_back([which](const pass_line& step) { return busy_of(step, which); });
    }
    if (row.of.size() == runs.size()) to.push_back(std::move(row));
  }
}

}  // namespace

std::vector<timed_row> timed_rows(const std::vector<const model::investigation*>& runs) {
  std::vector<timed_row> out;
  out.push_back(
      same_in_all("step", runs.size(), [](const pass_line& step) { return step.wall_ns; }));
  for (std::size_t at = 0; at < model::time_part_count; ++at)
    out.push_back(same_in_all(std::string(to_string(static_cast<model::time_part>(at))),
                              runs.size(), [at](const pass_line& step) { return step.parts[at]; }));
  out.push_back(
      same_in_all("residual", runs.size(), [](const pass_line& step) { return step.residual_ns; }));
  add_launches(runs, out);
  return out;
}

std::int64_t middle_of(std::vector<std::int64_t>& values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return std::midpoint(values[(values.size() - 1) / 2], values[values.size() / 2]);
}

std::int64_t margin_of(std::int64_t first_ns) {
  return std::max(first_ns / margin_divisor, margin_least_ns);
}

}  // namespace assay::attribution
