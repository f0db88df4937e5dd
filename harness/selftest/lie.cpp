// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/selftest/lie.h"

#include <array>

namespace assay::selftest {

namespace {

using id = telemetry::counter_id;

const std::array<lie, 13> table{{
     {"fence timer",
     "R01",
     "",
     "stops at a fence that does not wait",
     outcome::disagree,
     {id::weights_h2d_ns},
     make_fence_timer},
    {"rate above link",
     "R02",
     "",
     "a rate that no memory can carry",
     outcome::disagree,
     {id::weights_h2d_bytes_per_s},
     make_rate_above_link},
    {"bytes doubled",
     "R04",
     "",
     "counts each copy at its source and at its destination",
     outcome::disagree,
     {id::inputs_h2d_bytes},
     make_bytes_doubled},
    {"reset forgotten",
     "R04",
     "",
     "a request's counter goes on from the request before",
     outcome::disagree,
     {id::kv_append_bytes},
     make_reset_forgotten},
    {"ms for us",
     "R05",
     "",
     "a duration in the wrong unit, a thousand times too long",
     outcome::disagree,
     {id::compute_device_ns},
     make_ms_for_us},
    {"bits for bytes",
     "R10",
     "R04",
     "eight times too much",
     outcome::disagree,
     {id::kv_read_bytes},
     make_bits_for_bytes},
    {"frozen",
     "R13",
     "",
     "stops counting after the first steps of a request",
     outcome::disagree,
     {id::logits_d2h_bytes},
     make_frozen},
    {"never written",
     "R13",
     "",
     "a counter whose writer was never wired up",
     outcome::disagree,
     {id::kv_append_copies_count},
     make_never_written},
    {"phantom copy",
     "R14",
     "",
     "bytes of a copy that never ran",
     outcome::disagree,
     {id::weights_h2d_bytes},
     make_phantom_copy},
    {"negative duration",
     "R16",
     "",
     "stop minus start the wrong way round",
     outcome::disagree,
     {id::inputs_h2d_ns},
     make_negative_duration},
    {"shifted clock",
     "R17",
     "",
     "device records 50 ms off the host's clock",
     outcome::undecided,
     {id::compute_device_ns},
     make_shifted_clock},
    {"dropped record",
     "R18",
     "",
     "one device record lost on its way",
     outcome::undecided,
     {id::kv_append_bytes, id::kv_append_copies_count},
     make_dropped_record},
    {"directions swapped",
     "R04",
     "",
     "books h2d as d2h and the reverse",
     outcome::disagree,
     {id::inputs_h2d_bytes, id::logits_d2h_bytes},
     make_directions_swapped},
}};

}  // namespace

std::span<const lie> lies() {
  return table;
}

}  // namespace assay::selftest
