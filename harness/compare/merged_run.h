// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One run that several runners shared between them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/compare/run_record.h"
#include "runtime/telemetry/result.h"

namespace assay::compare {

/// Part `number` of `count`, from 1; 1 of 1 is the whole.
struct shard {
  std::uint32_t number = 1;
  std::uint32_t count = 1;
};

/// "2/3". Errors: usage, naming the flag.
result<shard> parse_shard(std::string_view flag, std::string_view text);

/// Every count-th subject; each subject is in exactly one shard, whoever asks, because the list is
/// the same for all. Errors: usage where none is left.
result<std::vector<run_subject>> subjects_of(const shard& which,
                                             const std::vector<run_subject>& all);

/// The fact by which a log says which part it is.
model::fact shard_fact(const shard& which);

/// The shards' logs as one, to be judged as one: each row in its shard's pairs, all rows in one
/// family of tests, each shard's control among the controls. A shard that is missing leaves the run
/// incomplete. `logs`: file and log.
/// Errors: unusable_input, naming the file, where a log is no shard, of another run (rules or
/// commits differ), or comes twice.
result<run_log> merge_runs(const std::vector<std::pair<std::string, run_log>>& logs);

}  // namespace assay::compare
