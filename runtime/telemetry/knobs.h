// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The table of knobs: every environment variable that changes the runtime's behaviour.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "runtime/telemetry/result.h"

namespace assay::telemetry {

enum class knob_id : std::uint8_t {
  host_spin_ns,
  kv_page_tokens,
  host_arena_bytes,
  host_threads,
  host_isa
};

/// One knob. `moves` names the counter or the output that changes when the knob is flipped: a knob
/// that moves nothing is dead, and the guard flips each one to see.
struct knob {
  knob_id id;
  std::string_view variable;       ///< environment variable
  std::string_view default_value;  ///< as it would be written
  std::string_view unit;
  std::string_view changes;
  std::string_view moves;
};

std::span<const knob> knobs();

/// The value in force: the environment's, or the default.
/// Errors: usage, where the environment holds something that is not a whole number of the unit.
/// Threads: reads the environment; not to be called beside setenv.
/// Source: getenv appears in knobs.cpp and nowhere else (lint).
result<std::int64_t> knob_value(knob_id id);

/// Whether the environment sets it, to whatever: a default that fits the case may stand otherwise.
/// Threads: as knob_value.
bool is_knob_set(knob_id id);

/// NO_COLOR is set and not empty (no-color.org): not ours, so it is no row of the table.
bool is_colour_refused();

}  // namespace assay::telemetry
