// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The table of planted lies: each a wrong instrument that a real project has shipped, and the rule
// that must catch it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "harness/selftest/instrument.h"
#include "runtime/telemetry/catalog.h"

namespace assay::selftest {

/// How hard an instrument lies.
enum class strength : std::uint8_t {
  gross,        ///< as it was seen in the field: the named rule must fire
  just_inside,  ///< the largest distortion of its kind that is not a lie: the rule must not fire
};

/// What the audit must say of a gross lie.
enum class outcome : std::uint8_t {
  disagree,   ///< the subjects disagree, by the named rule
  undecided,  ///< the ground truth is damaged: the subjects are undecided, never agree
  unclaimed,  ///< device work of the subjects is reported as claimed by no counter
  reported,   ///< the named rule speaks, of more than one counter or of how it was measured
};

struct lie {
  std::string_view name;
  std::string_view rule;  ///< R01 …
  /// Where `rule` explains and finds nothing itself: the rule whose finding it must explain.
  std::string_view through;
  std::string_view tells;
  selftest::outcome outcome;
  std::vector<telemetry::counter_id> subjects;
  std::unique_ptr<instrument> (*make)(strength how);
};

/// Every lie, in the order of the rules. The audit never sees this table. On a GPU some have other
/// subjects: what stays there, no lie can be told of.
std::span<const lie> lies(telemetry::device_class on = telemetry::device_class::host);

/// Those that can only be told where a limit has weights streamed: of a run of their own. The timer
/// of page-ins is told on the host alone: on a GPU nobody has tried it.
std::span<const lie> lies_under_limit(telemetry::device_class on = telemetry::device_class::host);

// One maker a lie; the families live in a file each.
std::unique_ptr<instrument> make_enqueue_timer(strength how);
std::unique_ptr<instrument> make_page_timer(strength how);
std::unique_ptr<instrument> make_fence_timer(strength how);
std::unique_ptr<instrument> make_rate_above_link(strength how);
std::unique_ptr<instrument> make_bytes_doubled(strength how);
std::unique_ptr<instrument> make_directions_swapped(strength how);
std::unique_ptr<instrument> make_reset_forgotten(strength how);
std::unique_ptr<instrument> make_ms_for_us(strength how);
std::unique_ptr<instrument> make_frozen(strength how);
std::unique_ptr<instrument> make_never_written(strength how);
std::unique_ptr<instrument> make_phantom_copy(strength how);
std::unique_ptr<instrument> make_negative_duration(strength how);
std::unique_ptr<instrument> make_request_bytes(strength how);
std::unique_ptr<instrument> make_retry_counted(strength how);
std::unique_ptr<instrument> make_hard_coded(strength how);
std::unique_ptr<instrument> make_bits_for_bytes(strength how);
std::unique_ptr<instrument> make_mean_for_sum(strength how);
std::unique_ptr<instrument> make_warmup_counted(strength how);
std::unique_ptr<instrument> make_load_included(strength how);
std::unique_ptr<instrument> make_not_lowered(strength how);
std::unique_ptr<instrument> make_marked_missing(strength how);
std::unique_ptr<instrument> make_undefined_rate(strength how);
std::unique_ptr<instrument> make_narrow_register(strength how);
std::unique_ptr<instrument> make_path_left_out(strength how);
std::unique_ptr<instrument> make_parts_with_whole(strength how);
std::unique_ptr<instrument> make_stale_time(strength how);
std::unique_ptr<instrument> make_shifted_clock(strength how);
std::unique_ptr<instrument> make_dropped_record(strength how);
std::unique_ptr<instrument> make_recorder_taken(strength how);

// Of the host alone: on a GPU nobody has told them.
std::unique_ptr<instrument> make_another_accumulator(strength how);
std::unique_ptr<instrument> make_shares_of_zero(strength how);
std::unique_ptr<instrument> make_last_for_all(strength how);
std::unique_ptr<instrument> make_waits_in_secret(strength how);
std::unique_ptr<instrument> make_warm_repeats(strength how);
std::unique_ptr<instrument> make_looked_at_once(strength how);

// The same, and more, of what only a GPU has.
std::unique_ptr<instrument> make_launch_timer(strength how);
std::unique_ptr<instrument> make_launch_fence_timer(strength how);
std::unique_ptr<instrument> make_idle_pair_timer(strength how);
std::unique_ptr<instrument> make_counted_at_capture(strength how);
std::unique_ptr<instrument> make_bytes_at_capture(strength how);
std::unique_ptr<instrument> make_pageable_for_pinned(strength how);
std::unique_ptr<instrument> make_captured_event(strength how);
std::unique_ptr<instrument> make_copies_in_a_graph(strength how);
std::unique_ptr<instrument> make_launch_that_failed(strength how);
std::unique_ptr<instrument> make_pass_left_out(strength how);
std::unique_ptr<instrument> make_pass_counted_twice(strength how);
std::unique_ptr<instrument> make_kernels_with_whole(strength how);
std::unique_ptr<instrument> make_frozen_choices(strength how);
std::unique_ptr<instrument> make_never_written_choices(strength how);
std::unique_ptr<instrument> make_choices_left_out(strength how);
std::unique_ptr<instrument> make_dropped_kernel(strength how);
std::unique_ptr<instrument> make_choices_swapped(strength how);

}  // namespace assay::selftest
