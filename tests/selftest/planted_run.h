// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A decode run with plants in it, its report, and the same steps divided by who planted.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/cli/audited_run.h"
#include "reports/model/investigation.h"
#include "tests/attribution/planted_records.h"
#include "tests/selftest/planting_device.h"

namespace assay::selftest_test {

using attribution_test::allowed_ns;
using attribution_test::name_of_place;
using attribution_test::step_account;
using attribution_test::unclaimed_place;

/// Place of the account that must show what was planted.
std::size_t place_of(planted what);

struct planted_step {
  std::uint64_t index = 0;
  std::int64_t wall_ns = 0;
  step_account reported{};   ///< by the report of the trace
  step_account witnessed{};  ///< by the stamps of who planted
  std::optional<planted_stamp> plant;
};

struct planted_run {
  std::vector<planted_step> steps;
  model::investigation report;
  std::uint64_t elsewhere = 0;  ///< as of witness
};

/// One request of the embedded checkpoint, `steps` decode steps long.
cli::run_options one_request(std::uint32_t steps);

/// The run goes to an investigator as it happens: no part of its way differs from that of a run
/// whose trace is written, and the device's own records are all that it gets.
result<planted_run> run_with_plants(const cli::run_options& options, std::vector<plant> plan);

/// What the report has of a plant in its place: all that is there, less what the rest of the same
/// step left there by the stamps of who planted. Precondition: it has a plant.
std::int64_t found_ns(const planted_step& step);
/// The furthest that a place of the step is from what was witnessed.
std::int64_t largest_miss_ns(const planted_step& step);

/// Median wall of the steps without a plant.
std::int64_t median_wall_ns(const planted_run& of);

}  // namespace assay::selftest_test
