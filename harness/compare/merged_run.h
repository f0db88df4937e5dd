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

/// The fact that says how two processes of a pair stood to each other. Absent: one after the other.
inline constexpr const char* grain_name = "grain";

/// Facts that say which bytes were measured, where it was a binary.
inline constexpr const char* base_digest_name = "base bytes";
inline constexpr const char* head_digest_name = "head bytes";

/// The same of what is loaded of them, which is what is measured: it says nothing of build ids,
/// debug information and the name of the folder that a program lies in. Absent of what is no ELF
/// file.
inline constexpr const char* base_code_name = "base code";
inline constexpr const char* head_code_name = "head code";

/// The fact by which a log says which part it is.
model::fact shard_fact(const shard& which);

/// The fact by which logs of one run agree on all of its rows: their number, and what their names
/// in order come to (FNV-1a).
model::fact rows_fact(const std::vector<run_subject>& all);

/// The shards' logs as one, to be judged as one: each row in its shard's pairs, all rows in one
/// family of tests, each shard's control among the controls. A shard that is missing leaves the run
/// incomplete. `logs`: file and log.
/// Errors: unusable_input, naming the file, where a log is no shard, of another run (rules,
/// commits, commands, the code of the binaries or the list of rows differ: the message names
/// which), or comes twice, or measured a row that another has.
result<run_log> merge_runs(const std::vector<std::pair<std::string, run_log>>& logs);

}  // namespace assay::compare
