// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The records of a run in which things of known length happened, what who planted them stamped, and
// what a report must make of both.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "probes/trace/assay_trace.h"
#include "reports/model/investigation.h"
#include "runtime/telemetry/result.h"

namespace assay::attribution_test {

/// Where a step's time went: the parts of model::time_part, then what none of them covers.
inline constexpr std::size_t unclaimed_place = model::time_part_count;
using step_account = std::array<std::int64_t, model::time_part_count + 1>;
const char* name_of_place(std::size_t place);

/// How far an account may be from a planted length: 2 %, or 20 us.
std::int64_t allowed_ns(std::int64_t length_ns);

/// Something planted when its step had nothing else to do, so that it overlaps nothing.
struct planted_length {
  std::uint64_t step = 0;  ///< decode step of the run's only request
  std::string what;
  std::size_t place = unclaimed_place;  ///< that must show it
  std::int64_t length_ns = 0;
  std::int64_t kernels_ns = 0;  ///< that it took beside, by their own clock; of a launch none
  std::int64_t begin_ns = 0;    ///< around everything that it called, on the host's clock
  std::int64_t end_ns = 0;
  std::int64_t span_ns() const { return end_ns - begin_ns; }
};

std::string to_json(std::span<const planted_length> plants);
/// Errors: unusable_input.
result<std::vector<planted_length>> planted_lengths_of(const std::string& json);

/// By the report of these records: each decode step, in order.
std::vector<step_account> accounts_of(std::span<const assay_record> records);

/// Of one decode step, each of its nanoseconds painted by what covers it. Of the report's code only
/// the map between the clocks is in this.
step_account painted_account_of(std::span<const assay_record> records, std::uint64_t step);

/// The same run without a record of what was planted; where nothing was called, with a wait that
/// claims that time. What the runtime did by itself is the same in both, to the nanosecond: a step
/// differs by its plant, and no neighbour has to say what it would have been.
std::vector<assay_record> as_if_not_planted(std::span<const assay_record> records,
                                            std::span<const planted_length> plants);

/// What a step's account must have more than as_if_not_planted(). What the calls took beside the
/// plant is submission.
step_account expected_of(const planted_length& plant);

/// The furthest that a place of `more` is from what is expected, over what is allowed there: above
/// 1 is wrong.
double largest_miss(const step_account& more, const step_account& expected);

/// One minus the other, place by place.
step_account less(const step_account& a, const step_account& b);

}  // namespace assay::attribution_test
