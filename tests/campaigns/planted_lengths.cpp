// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Whether lengths planted between the runtime and the host device are in their part of the report:
// many runs, each plant against two truths. One is the account that the planting device made of the
// same step; the other is the steps around it that have no plant, as the same report tells them.
//   planted_lengths OUT.json RUNS
// Exit code 1: of some row fewer than nineteen of twenty are within the tolerance by the first.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/selftest/planted_run.h"

namespace assay::campaigns {
namespace {

using namespace assay::selftest_test;
using json = nlohmann::ordered_json;

constexpr std::array<std::int64_t, 3> lengths_ns{200'000, 1'000'000, 5'000'000};
constexpr std::uint64_t plants_a_kind = 4;
constexpr std::uint64_t first_step = 4;
constexpr std::uint64_t spacing = 3;  // two steps without a plant between two that have one
constexpr std::uint64_t around = 4;   // steps on each side of which a neighbour is taken

double us(std::int64_t ns) {
  return static_cast<double>(ns) / 1e3;
}

template <class T>
T median_of(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? T{} : values[(values.size() - 1) / 2];
}

/// One plant of one run.
struct sample {
  int run = 0;
  planted_step step;
  step_account neighbours{};  ///< median of each place over the steps around it

  std::size_t place() const { return place_of(step.plant->wanted.what); }
  std::int64_t length_ns() const { return step.plant->at.length_ns(); }
  std::int64_t miss_ns() const { return found_ns(step) - length_ns(); }
  std::int64_t difference_miss_ns() const {
    return step.reported[place()] - neighbours[place()] - length_ns();
  }
  /// Of the places that it does not belong to, the one that differs most from its neighbours.
  std::int64_t other_ns() const {
    std::int64_t most = 0;
    for (std::size_t at = 0; at <= unclaimed_place; ++at)
      if (at != place()) most = std::max(most, std::abs(step.reported[at] - neighbours[at]));
    return most;
  }
  double share(std::int64_t ns) const {
    return static_cast<double>(ns) / static_cast<double>(step.wall_ns);
  }
};

step_account neighbours_of(const planted_run& run, std::uint64_t index) {
  std::array<std::vector<std::int64_t>, unclaimed_place + 1> found;
  for (const planted_step& each : run.steps) {
    if (each.plant || each.index + around < index || each.index > index + around) continue;
    for (std::size_t at = 0; at <= unclaimed_place; ++at) found[at].push_back(each.reported[at]);
  }
  step_account medians{};
  for (std::size_t at = 0; at <= unclaimed_place; ++at) medians[at] = median_of(found[at]);
  return medians;
}

std::vector<sample> one_run(int number) {
  std::vector<plant> plan;
  const std::int64_t length_ns = lengths_ns[static_cast<std::size_t>(number) % lengths_ns.size()];
  for (std::uint64_t i = 0; i < plants_a_kind * planted_count; ++i) {
    const auto what = static_cast<planted>(i % planted_count);
    plan.push_back({first_step + spacing * i, what, what == planted::fifth ? 0 : length_ns});
  }
  const auto steps = static_cast<std::uint32_t>(first_step + spacing * plan.size());
  const auto run = run_with_plants(one_request(steps), plan);
  if (!run) {
    fmt::print(stderr, "planted_lengths: {}\n", run.error().message);
    std::exit(3);
  }
  std::vector<sample> samples;
  for (const planted_step& each : run->steps)
    if (each.plant) samples.push_back({number, each, neighbours_of(*run, each.index)});
  return samples;
}

json raw(const std::vector<sample>& samples) {
  json rows = json::array();
  for (const sample& each : samples)
    rows.push_back({each.run, each.step.index, to_string(each.step.plant->wanted.what),
                    each.step.plant->wanted.length_ns, each.length_ns(), each.step.wall_ns,
                    each.step.reported, each.step.witnessed, each.neighbours});
  json parts = json::array();
  for (std::size_t at = 0; at <= unclaimed_place; ++at) parts.push_back(name_of_place(at));
  return {{"columns",
           {"run", "step", "plant", "asked_ns", "stamped_ns", "wall_ns", "reported_ns",
            "witnessed_ns", "neighbours_median_ns"}},
          {"parts", parts},
          {"rows", rows}};
}

template <class Value>
std::size_t count_within(const std::vector<sample>& of, Value value) {
  return static_cast<std::size_t>(std::count_if(of.begin(), of.end(), [&](const sample& each) {
    return std::abs(value(each)) <= allowed_ns(each.length_ns());
  }));
}

template <class Value>
std::int64_t median_size(const std::vector<sample>& of, Value value) {
  std::vector<std::int64_t> sizes;
  for (const sample& each : of) sizes.push_back(std::abs(value(each)));
  return median_of(sizes);
}

/// Plants of a known length, and those of them whose step is right in every part.
struct tally {
  std::size_t within = 0;
  std::size_t all = 0;
  bool is_good = true;  ///< in every row
};

void print_row(planted what, std::int64_t asked_ns, const std::vector<sample>& of, tally& into) {
  std::vector<std::int64_t> stamped;
  std::int64_t worst_ns = 0;
  for (const sample& each : of) {
    stamped.push_back(each.length_ns());
    worst_ns = std::max(worst_ns, largest_miss_ns(each.step));
  }
  const auto all = count_within(of, [](const sample& s) { return largest_miss_ns(s.step); });
  const auto by_miss = [](const sample& s) { return s.miss_ns(); };
  const auto by_difference = [](const sample& s) { return s.difference_miss_ns(); };
  const auto by_other = [](const sample& s) { return s.other_ns(); };
  fmt::print("| {} | {:.0f} | {:.1f} | {} | {:.1f} | {} | {:.1f} | {:.1f} | {} | {:.1f} |\n",
             to_string(what), us(asked_ns), us(median_of(stamped)), of.size(),
             us(median_size(of, by_miss)), all, us(worst_ns), us(median_size(of, by_difference)),
             count_within(of, by_difference), us(median_size(of, by_other)));
  into.within += all;
  into.all += of.size();
  into.is_good = into.is_good && 20 * all >= 19 * of.size();
}

struct share_row {
  const char* name;
  double (*of)(const sample&);
};

bool print_fifths(const std::vector<sample>& of) {
  constexpr std::array rows{
      share_row{"the sleep, by its own stamps",
                [](const sample& s) { return s.share(s.length_ns()); }},
      share_row{"residual, all of it",
                [](const sample& s) { return s.share(s.step.reported[unclaimed_place]); }},
      share_row{"residual, less what was witnessed of the rest",
                [](const sample& s) { return s.share(found_ns(s.step)); }},
      share_row{"residual, less the neighbours' median",
                [](const sample& s) {
                  return s.share(s.step.reported[unclaimed_place] - s.neighbours[unclaimed_place]);
                }},
      share_row{"the neighbours' residual of their wall", [](const sample& s) {
                  std::int64_t wall_ns = 0;
                  for (const std::int64_t each : s.neighbours) wall_ns += each;
                  return static_cast<double>(s.neighbours[unclaimed_place]) /
                         static_cast<double>(wall_ns);
                }}};
  fmt::print(
      "\n| share of the step's wall, % | steps | least | median | most | 20 +- 1 | the sleep's own "
      "+- 1 "
      "|\n|---|---:|---:|---:|---:|---:|---:|\n");
  bool is_good = true;
  for (const share_row& row : rows) {
    std::vector<double> shares;
    std::size_t within = 0;
    std::size_t as_slept = 0;
    for (const sample& each : of) {
      shares.push_back(row.of(each));
      within += std::abs(shares.back() - 0.20) <= 0.01 ? 1 : 0;
      as_slept += std::abs(shares.back() - each.share(each.length_ns())) <= 0.01 ? 1 : 0;
    }
    const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
    fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.2f} | {} | {} |\n", row.name, of.size(),
               100 * *least, 100 * median_of(shares), 100 * *most, within, as_slept);
    // The first two rows are what was planted, and all that the report says of the step.
    if (&row == &rows[2]) is_good = 20 * as_slept >= 19 * of.size();
  }
  return is_good;
}

bool print_all(const std::vector<sample>& samples) {
  fmt::print(
      "| plant | asked, us | stamped, us | plants | off by, us | every part within | worst part, "
      "us "
      "| by neighbours off by, us | within | other part moved by, us |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  tally counted;
  const auto of = [&](planted what, std::int64_t asked_ns) {
    std::vector<sample> some;
    for (const sample& each : samples)
      if (each.step.plant->wanted.what == what && each.step.plant->wanted.length_ns == asked_ns)
        some.push_back(each);
    return some;
  };
  for (std::size_t kind = 0; kind < planted_count; ++kind) {
    const auto what = static_cast<planted>(kind);
    if (what == planted::fifth) continue;
    for (const std::int64_t asked_ns : lengths_ns)
      if (const auto some = of(what, asked_ns); !some.empty())
        print_row(what, asked_ns, some, counted);
  }
  fmt::print("\n{} of {} have every part of their step within.\n", counted.within, counted.all);
  return print_fifths(of(planted::fifth, 0)) && counted.is_good;
}

int measure(const std::string& out, int runs) {
  std::ofstream file(out);
  std::vector<sample> samples;
  for (int run = 0; run < runs; ++run) {
    auto more = one_run(run);
    samples.insert(samples.end(), std::make_move_iterator(more.begin()),
                   std::make_move_iterator(more.end()));
  }
  file << raw(samples).dump() << '\n';
  if (!file) {
    fmt::print(stderr, "planted_lengths: {}: cannot be written\n", out);
    return 3;
  }
  return print_all(samples) ? 0 : 1;
}

}  // namespace
}  // namespace assay::campaigns

int main(int argc, char** argv) {
  const int runs = argc == 3 ? std::atoi(argv[2]) : 0;
  if (runs > 0) return assay::campaigns::measure(argv[1], runs);
  fmt::print(stderr, "usage: planted_lengths OUT.json RUNS\n");
  return 2;
}
