// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How long a launch took by the run's other launches, step by step: what a machine does to a step
// it does to all that runs in it. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::attribution {

/// Lengths of one class of launches: [run][step], ns, the same steps in every run.
using launch_times = std::vector<std::vector<std::int64_t>>;

class step_pace {
 public:
  /// The middle of two others moves with either of them.
  static constexpr std::size_t paced_by_min = 3;

  /// `firsts` of the runs are the first side's. Each class has a length above 0 in half of the
  /// steps of every run. Memory: 4 bytes a class, run and step; of very many steps every k-th.
  step_pace(const std::vector<launch_times>& launches, std::size_t firsts);

  /// Whether each class has enough others, without those that moved.
  bool has_pace(std::size_t moved) const { return logs_.size() > paced_by_min + moved; }

  /// Of a class a number for each run, ns: the median over steps of its length at the pace of the
  /// others in the same step. One that moved by itself is no pace for another: where it is a third
  /// of a step, a tenth more of it would make the others look shorter.
  std::vector<std::int64_t> numbers(std::size_t launch, const std::vector<bool>& has_moved) const;

 private:
  std::vector<std::size_t> paced_by(std::size_t launch, const std::vector<bool>& has_moved) const;

  std::size_t firsts_;
  std::vector<std::vector<std::vector<float>>> logs_;  // [launch][run][step], less usual_
  std::vector<double> usual_;                          // [launch]: ln ns, the middle of all runs
};

}  // namespace assay::attribution
