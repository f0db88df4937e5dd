// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/step_plan_match.h"

#include <algorithm>

namespace assay::attribution {
namespace {

bool tells(const held_launch& each) {
  return each.work.activity.extra[1] != 0 || each.work.activity.extra[2] != 0;
}

}  // namespace

bool is_as_planned(const std::vector<held_launch>& step,
                   const std::vector<telemetry::planned_launch>& plan) {
  if (plan.empty() || step.size() != plan.size()) return false;
  if (std::none_of(step.begin(), step.end(), tells)) return true;
  return std::equal(step.begin(), step.end(), plan.begin(),
                    [](const held_launch& one, const telemetry::planned_launch& planned) {
                      const assay_record& activity = one.work.activity;
                      return activity.extra[1] == planned.weight_bytes &&
                             (activity.extra[2] != 0) == planned.reads_kv;
                    });
}

}  // namespace assay::attribution
