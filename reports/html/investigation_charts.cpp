// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/investigation_charts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/html/chart.h"
#include "reports/model/step_sample.h"
#include "reports/wording/quantity_words.h"

namespace assay::reports {
namespace {

// Lines that are 0 throughout would only cover the axis.
void drop_zeros(chart_view& view) {
  std::erase_if(view.series, [](const chart_series& line) {
    return std::all_of(line.values.begin(), line.values.end(),
                       [](double each) { return each == 0.0; });
  });
}

void add_stretches(chart& to, std::string name, const std::string& unit,
                   const std::vector<model::level_stretch>& stretches) {
  chart_view view{std::move(name), unit, {}, {{"least", {}}, {"most", {}}}, true};
  for (const model::level_stretch& each : stretches) {
    view.places.push_back(static_cast<double>(each.begin_ns));
    view.series[0].values.push_back(static_cast<double>(each.least));
    view.series[1].values.push_back(static_cast<double>(each.most));
  }
  if (!view.places.empty()) to.views.push_back(std::move(view));
}

std::string still_words(std::size_t still) {
  return fmt::format("{} more never changed; they stand in the table alone.",
                     with_separators(std::uint64_t{still}));
}

// A view for each line that changes; `name_of` is what it is called.
template <class Line, class Name>
std::string moving_lines(const char* id, const char* title, const std::vector<Line>& lines,
                         Name name_of) {
  chart made{id, title, "time", "ns", {}, {}};
  std::size_t still = 0;
  for (const Line& each : lines) {
    if (each.least == each.most)
      ++still;
    else
      add_stretches(made, name_of(each), each.unit, each.stretches);
  }
  if (made.views.empty()) return {};
  made.notes.push_back(
      "Least and most of each stretch of the run: thinning out never loses an extreme.");
  if (still > 0) made.notes.push_back(still_words(still));
  return html_chart(made);
}

}  // namespace

std::string steps_chart(const model::investigation& report) {
  const std::vector<std::size_t> shown = model::sampled_steps(report.steps);
  if (shown.empty()) return {};
  chart_view view{"parts", "ns", {}, {{"wall", {}}}, false};
  for (std::size_t at = 0; at < model::time_part_count; ++at)
    view.series.push_back({std::string(to_string(static_cast<model::time_part>(at))), {}});
  view.series.push_back({"residual", {}});
  for (const std::size_t at : shown) {
    const model::pass_line& step = report.steps[at];
    view.places.push_back(static_cast<double>(at) + 1);
    view.series[0].values.push_back(static_cast<double>(step.wall_ns));
    for (std::size_t part = 0; part < model::time_part_count; ++part)
      view.series[part + 1].values.push_back(static_cast<double>(step.parts[part]));
    view.series.back().values.push_back(static_cast<double>(step.residual_ns));
  }
  drop_zeros(view);
  chart made{"steps", "Time of each decode step", "decode step", "count", {}, {}};
  if (shown.size() < report.steps.size())
    made.notes.push_back(
        fmt::format("{} of {} steps: of each stretch the shortest and the longest.",
                    with_separators(std::uint64_t{shown.size()}),
                    with_separators(std::uint64_t{report.steps.size()})));
  if (view.series.empty()) return {};
  made.views.push_back(std::move(view));
  return html_chart(made);
}

std::string levels_chart(const model::investigation& report) {
  return moving_lines("levels-plot", "Levels over the run", report.levels,
                      [](const model::level_line& each) { return each.name; });
}

std::string flows_chart(const model::investigation& report) {
  return moving_lines("flows-plot", "Counters, step by step", report.flows,
                      [](const model::flow_line& each) { return each.name; });
}

std::string deviations_chart(const model::investigation& report) {
  return moving_lines("deviations-plot", "Claimed less observed, over the run", report.deviations,
                      [](const model::deviation_line& each) {
                        return fmt::format("{} less {}", each.name, each.against);
                      });
}

std::string machine_chart(const model::investigation& report) {
  std::vector<model::condition_line> shown;
  for (const model::condition_line& each : report.conditions)
    if (each.samples > 1 && each.kind != "bits") shown.push_back(each);
  return moving_lines("machine-plot", "The machine's state over the run", shown,
                      [](const model::condition_line& each) { return each.name; });
}

std::string difference_chart(const model::investigation_difference& report) {
  if (report.pairs.empty()) return {};
  chart made{"pairs", "Aligned decode steps", "aligned step", "count", {}, {}};
  chart_view walls{"wall of both", "ns", {}, {{"first", {}}, {"second", {}}}, false};
  chart_view change{"second less first", "ns", {}, {{"second less first", {}}}, false};
  const auto shown = static_cast<std::int64_t>(report.pairs.size());
  const auto aligned = static_cast<std::int64_t>(report.aligned_steps);
  for (std::int64_t at = 0; at < shown; ++at) {
    const model::step_pair& pair = report.pairs[static_cast<std::size_t>(at)];
    walls.places.push_back(static_cast<double>(at * aligned / shown + 1));
    walls.series[0].values.push_back(static_cast<double>(pair.first_wall_ns));
    walls.series[1].values.push_back(static_cast<double>(pair.second_wall_ns));
    change.series[0].values.push_back(
        static_cast<double>(pair.second_wall_ns - pair.first_wall_ns));
  }
  change.places = walls.places;
  if (shown < aligned)
    made.notes.push_back(
        fmt::format("{} of {} steps: of each stretch the pair that lies farthest "
                    "apart, at the stretch's first step.",
                    with_separators(shown), with_separators(aligned)));
  made.views = {std::move(walls), std::move(change)};
  return html_chart(made);
}

}  // namespace assay::reports
