// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The flags of `assay compare`, and which of them make sense together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "harness/cli/compare_coverage.h"
#include "harness/cli/compare_refs.h"
#include "harness/cli/compare_subjects.h"
#include "harness/cli/history_flag.h"
#include "harness/compare/calibration.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

inline constexpr const char* default_metric = "real_time";
inline constexpr const char* default_threshold = "2%";

struct compare_flags {
  std::string base_file, head_file;
  std::string base_command, head_command;
  std::string base_counts, head_counts;
  binary_flags binaries;
  ref_flags refs;
  std::string build_limit = "30m";
  std::string format = "wall";
  std::string metric;           // empty: default_metric
  std::string threshold_share;  // empty: default_threshold
  std::string floor;
  std::string floors_file;
  std::string calibration_file;
  std::size_t results = compare::fewest_results;
  std::size_t relinks = 4;
  std::vector<std::string> relinked;
  std::vector<std::string> logs;
  std::vector<std::string> merged;
  std::string shard;
  coverage_flags coverage;
  history_flags history;
  std::string budget;
  std::string process_limit = "60s";
  std::string slice;
  std::string control;
  std::vector<std::string> aliases;
  std::optional<std::uint64_t> seed;
  std::optional<std::size_t> screen_pairs;
  std::optional<std::size_t> confirm_pairs;
  std::string out_json, out_markdown, out_html, out_junit, out_samples;
  bool is_strict = false;
  bool is_any_environment = false;
  bool is_control_kernel = false;

  std::string metric_wanted() const { return metric.empty() ? default_metric : metric; }
};

/// Where the numbers of both sides come from.
enum class source { files, shards, commands, binaries, refs };

/// Whether processes are run.
constexpr bool is_measured(source from) {
  return from != source::files && from != source::shards;
}

/// Errors: usage, where none of them is named, or several.
result<source> source_of(const compare_flags& flags);

/// Errors: usage, naming a flag that would change nothing.
result<void> check_together(const compare_flags& flags, source from);

/// Errors: usage, where two outputs are one file, or an output is a file that is read.
result<void> check_outputs(const compare_flags& flags);

void add_source_flags(CLI::App& verb, compare_flags& flags);
void add_method_flags(CLI::App& verb, compare_flags& flags);
void add_output_flags(CLI::App& verb, compare_flags& flags);

}  // namespace assay::cli
