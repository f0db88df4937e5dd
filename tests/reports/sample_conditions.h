// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The machine's state over a run, for every form of a report.
#pragma once

#include <vector>

#include "reports/model/investigation.h"

namespace assay::reports {

// One of each form: steady, changed, a total, a set, absent.
inline std::vector<model::condition_line> sample_conditions() {
  std::vector<model::condition_line> lines(5);
  lines[0] = {"core clock, timed",
              "hz",
              "level",
              false,
              3,
              0,
              3'200'000'000,
              2'400'000'000,
              2'400'000'000,
              3'250'000'000,
              -800'000'000,
              true,
              true,
              "its least is 26.2 % below its most",
              "",
              {{0, 3'200'000'000, 3'250'000'000}, {900, 2'400'000'000, 2'400'000'000}}};
  lines[1].name = "throttled by heat";
  lines[1].unit = "count";
  lines[1].kind = "total";
  lines[1].absence = "thermal throttle counts are not exposed on this machine";
  lines[2] = {"stolen by a hypervisor",
              "ns",
              "total",
              false,
              3,
              0,
              50'000'000,
              60'000'000,
              0,
              10'000'000,
              10'000'000,
              true,
              false,
              "0.4 % of the time between the samples",
              "",
              {{450, 0, 0}, {900, 10'000'000, 10'000'000}}};
  lines[3] = {
      "what held the GPU's clocks down", "bits", "bits",     true, 3, 0, 1, 5, 1, 5, 4, true, true,
      "seen: idle, power cap",           "",     {{0, 1, 5}}};
  lines[4] = {"GPU power", "milliwatt",
              "level",     true,
              1,           0,
              71'250,      71'250,
              71'250,      71'250,
              0,           false,
              false,       "sampled once: whether it changed is not known",
              "",          {{0, 71'250, 71'250}}};
  return lines;
}

}  // namespace assay::reports
