// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A benchmark process that runs short slices when it is told to. Two of them, of two builds, take
// turns: what the machine does for longer than a slice happens to both.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/process_runner.h"
#include "runtime/telemetry/result.h"

namespace assay::compare {

/// The flag that asks a binary whether it speaks, the answer of one that does, and the flag that
/// makes it a worker for a row.
inline constexpr std::string_view slice_protocol_flag = "--assay_worker_protocol";
inline constexpr std::string_view slice_protocol_words = "assay worker 1";
inline constexpr std::string_view slice_row_flag = "--assay_worker=";

struct slice_plan {
  std::size_t slices = 16;            ///< of each process, after one that does not count
  std::int64_t slice_ns = 2'000'000;  ///< asked for; a call that takes longer is a slice by itself
  std::int64_t process_ns = 0;        ///< both are killed after that long; 0 for never
  std::function<bool()> is_interrupted{};
};

/// What one of the two left: ns a call, slice by slice; fewer than planned where it failed, and
/// `ending` says how.
struct worker_ending {
  std::vector<double> slices_ns;
  process_ending ending;
};

struct worker_pair {
  worker_ending first;
  worker_ending second;
};

/// Starts both, lets them take turns (first second, second first, …), and ends both. While one
/// runs the other waits for a line. Errors: as run_process.
result<worker_pair> run_worker_pair(const std::vector<std::string>& first,
                                    const std::vector<std::string>& second, const slice_plan& plan);

/// ns a call of an answer, "slice CALLS NS"; none where it is none.
std::optional<double> slice_ns_of(std::string_view line);

/// The median of the slices' ln(head ÷ base), a pair's one number. Both have as many, at least one.
double median_log_ratio(const std::vector<double>& base_ns, const std::vector<double>& head_ns);

}  // namespace assay::compare
