// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/attribution/planted_records.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include "harness/attribution/investigator.h"
#include "probes/trace/clock_map.h"
#include "runtime/telemetry/check.h"

namespace assay::attribution_test {
namespace {

using model::time_part;
using nlohmann::json;

constexpr std::size_t at(time_part part) {
  return static_cast<std::size_t>(part);
}

bool is_step(const assay_record& record, std::uint8_t kind, std::uint64_t step) {
  return record.kind == kind && record.op == ASSAY_WINDOW_DECODE_STEP && record.correlation == step;
}

bool is_call(const assay_record& record) {
  return record.kind == ASSAY_SUBMISSION && (record.flags & ASSAY_REFUSED) == 0;
}

std::size_t place_of_work(const assay_record& work) {
  if (work.op == ASSAY_OP_LAUNCH) return at(time_part::launch);
  if (work.op != ASSAY_OP_COPY) return at(time_part::event);
  if (work.direction == ASSAY_H2D) return at(time_part::h2d);
  return work.direction == ASSAY_D2H ? at(time_part::d2h) : at(time_part::d2d);
}

// A byte for each nanosecond of the step. Of several that cover one the first place has it.
class canvas {
 public:
  canvas(std::int64_t begin_ns, std::int64_t end_ns)
      : begin_ns_(begin_ns),
        ns_(static_cast<std::size_t>(end_ns - begin_ns),
            static_cast<std::uint8_t>(unclaimed_place)) {}

  void paint(std::int64_t from_ns, std::int64_t to_ns, std::size_t place) {
    const std::int64_t end = std::min<std::int64_t>(to_ns - begin_ns_, std::ssize(ns_));
    for (std::int64_t i = std::max<std::int64_t>(0, from_ns - begin_ns_); i < end; ++i) {
      std::uint8_t& there = ns_[static_cast<std::size_t>(i)];
      there = std::min(there, static_cast<std::uint8_t>(place));
    }
  }

  step_account counted() const {
    step_account all{};
    for (const std::uint8_t each : ns_) ++all[each];
    return all;
  }

 private:
  std::int64_t begin_ns_;
  std::vector<std::uint8_t> ns_;
};

assay_record claiming_wait(const planted_length& plant, std::uint64_t correlation) {
  assay_record wait{};
  wait.kind = ASSAY_SUBMISSION;
  wait.op = ASSAY_OP_SYNC;
  wait.correlation = correlation;
  wait.start_ns = plant.begin_ns;
  wait.end_ns = plant.end_ns;
  return wait;
}

}  // namespace

const char* name_of_place(std::size_t place) {
  return place == unclaimed_place ? "residual"
                                  : model::to_string(static_cast<time_part>(place)).data();
}

std::int64_t allowed_ns(std::int64_t length_ns) {
  return std::max<std::int64_t>(20'000, length_ns / 50);
}

std::string to_json(std::span<const planted_length> plants) {
  json all = json::array();
  for (const planted_length& each : plants)
    all.push_back({{"step", each.step},
                   {"what", each.what},
                   {"place", name_of_place(each.place)},
                   {"length_ns", each.length_ns},
                   {"kernels_ns", each.kernels_ns},
                   {"begin_ns", each.begin_ns},
                   {"end_ns", each.end_ns}});
  return all.dump(1) + "\n";
}

result<std::vector<planted_length>> planted_lengths_of(const std::string& text) {
  const json all = json::parse(text, nullptr, false);
  if (!all.is_array()) return ASSAY_FAIL(unusable_input, "planted lengths: no JSON array");
  std::vector<planted_length> plants;
  for (const json& each : all) {
    planted_length& made = plants.emplace_back();
    made.step = each.at("step").get<std::uint64_t>();
    made.what = each.at("what").get<std::string>();
    for (std::size_t place = 0; place < unclaimed_place; ++place)
      if (each.at("place") == name_of_place(place)) made.place = place;
    made.length_ns = each.at("length_ns").get<std::int64_t>();
    made.kernels_ns = each.at("kernels_ns").get<std::int64_t>();
    made.begin_ns = each.at("begin_ns").get<std::int64_t>();
    made.end_ns = each.at("end_ns").get<std::int64_t>();
  }
  return plants;
}

std::vector<step_account> accounts_of(std::span<const assay_record> records) {
  attribution::investigator fold;
  ASSAY_CHECK(fold.records(records).has_value(), "records alone are refused");
  model::audit_report audit;
  audit.is_complete = true;
  std::vector<step_account> all;
  for (const model::pass_line& line : fold.finish(std::move(audit)).steps) {
    step_account& made = all.emplace_back();
    std::copy(line.parts.begin(), line.parts.end(), made.begin());
    made[unclaimed_place] = line.residual_ns;
  }
  return all;
}

step_account painted_account_of(std::span<const assay_record> records, std::uint64_t step) {
  const auto opened = std::find_if(records.begin(), records.end(), [&](const auto& each) {
    return is_step(each, ASSAY_WINDOW_BEGIN, step);
  });
  const auto closed = std::find_if(opened, records.end(), [&](const auto& each) {
    return is_step(each, ASSAY_WINDOW_END, step);
  });
  ASSAY_CHECK(closed != records.end(), "no such step");
  canvas step_ns(std::max(opened->start_ns, closed->start_ns), closed->end_ns);
  std::unordered_map<std::uint64_t, std::int64_t> returned_ns;
  for (const assay_record& each : records) {
    if (!is_call(each)) continue;
    returned_ns[each.correlation] = each.end_ns;
    const bool waits = each.op == ASSAY_OP_SYNC;
    step_ns.paint(each.start_ns, each.end_ns, at(waits ? time_part::sync : time_part::submit));
  }
  trace::clock_map clock;
  for (const assay_record& each : records) {
    if (each.kind == ASSAY_CLOCK_SAMPLE) clock.take(each);
    if (each.kind != ASSAY_ACTIVITY) continue;
    const std::int64_t start_ns = clock.to_host_ns(each.start_ns);
    step_ns.paint(start_ns, clock.to_host_ns(each.end_ns), place_of_work(each));
    const auto call = returned_ns.find(each.correlation);
    if (call != returned_ns.end()) step_ns.paint(call->second, start_ns, at(time_part::gap));
  }
  return step_ns.counted();
}

std::vector<assay_record> as_if_not_planted(std::span<const assay_record> records,
                                            std::span<const planted_length> plants) {
  std::unordered_set<std::uint64_t> planted;
  std::uint64_t unused = 0;
  for (const assay_record& each : records) {
    unused = std::max(unused, each.correlation);
    const bool is_planted = std::any_of(plants.begin(), plants.end(), [&](const auto& plant) {
      return plant.begin_ns <= each.start_ns && each.start_ns < plant.end_ns;
    });
    if (each.kind == ASSAY_SUBMISSION && is_planted) planted.insert(each.correlation);
  }
  std::vector<assay_record> rest;
  for (const assay_record& each : records) {
    const bool is_work = each.kind == ASSAY_SUBMISSION || each.kind == ASSAY_ACTIVITY;
    if (!is_work || !planted.contains(each.correlation)) rest.push_back(each);
    for (const planted_length& plant : plants)
      if (plant.place == unclaimed_place && is_step(each, ASSAY_WINDOW_BEGIN, plant.step))
        rest.push_back(claiming_wait(plant, ++unused));
  }
  return rest;
}

step_account expected_of(const planted_length& plant) {
  step_account more{};
  if (plant.place == unclaimed_place) {
    more[at(time_part::sync)] = -plant.length_ns;
    more[unclaimed_place] = plant.length_ns;
    return more;
  }
  more[at(time_part::launch)] = plant.kernels_ns;
  more[plant.place] += plant.length_ns;
  std::int64_t named_ns = plant.kernels_ns;
  if (plant.place != at(time_part::submit)) named_ns += plant.length_ns;
  more[at(time_part::submit)] = plant.span_ns() - named_ns;
  more[unclaimed_place] = -plant.span_ns();
  return more;
}

double largest_miss(const step_account& more, const step_account& expected) {
  double most = 0.0;
  for (std::size_t place = 0; place < more.size(); ++place) {
    const std::int64_t off_ns = std::abs(more[place] - expected[place]);
    const std::int64_t allowed = allowed_ns(std::abs(expected[place]));
    most = std::max(most, static_cast<double>(off_ns) / static_cast<double>(allowed));
  }
  return most;
}

step_account less(const step_account& a, const step_account& b) {
  step_account difference{};
  for (std::size_t place = 0; place < a.size(); ++place) difference[place] = a[place] - b[place];
  return difference;
}

}  // namespace assay::attribution_test
