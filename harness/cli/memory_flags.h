// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The flags that say how much memory a run has: one wording and one reading for every verb.
#pragma once

#include <cstdint>
#include <string>

#include "harness/cli/audited_run.h"
#include "runtime/telemetry/result.h"
#include "scenarios/ledger.h"

namespace assay::cli {

inline constexpr const char* arena_help =
    "Memory that the device has, such as 512MiB: what must fit as a whole, or the load fails; "
    "fractions of --vram-limit are of this";
inline constexpr const char* vram_limit_help =
    "Memory that the run may take of it: bytes with a unit (6GiB), a fraction (0.5), or auto "
    "(0.9); "
    "weights that do not fit are streamed, step by step. Of a GPU: all that the process takes, its "
    "context and its observers included";
inline constexpr const char* context_help =
    "Tokens that the KV pages hold (default: all that the model was made for)";

struct memory_flags {
  std::string vram_limit;  ///< as written; empty: none
  std::uint32_t context_tokens = 0;
};

/// Errors: usage: the limit's text.
result<void> set_memory(run_options& options, const memory_flags& flags);

/// Tokens that the run's KV pages hold.
std::int64_t context_of(const run_options& options, const scenarios::model_shape& model);

}  // namespace assay::cli
