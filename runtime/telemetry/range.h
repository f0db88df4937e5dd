// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a submission is for. The runtime opens a range around the calls that belong together, the
// device passes the number through unread, and a counter's claim names it.
#pragma once

#include <cstdint>
#include <string_view>

namespace assay::telemetry {

enum class range : std::uint16_t {
  any = 0,    ///< in a claim: whatever the range; on a submission: no range open
  weights,    ///< checkpoint tensors on their way into the arena
  inputs,     ///< token ids of a step
  kv_append,  ///< new keys and values into their pages
  compute,    ///< operators of the forward pass
  logits,     ///< the last row of logits on its way to the host
  arena,      ///< allocations of the runtime
  sentinel,   ///< the harness's known-answer operations: no counter may claim them
  choices,    ///< ids that the device chose, on their way to the host
  paging,     ///< weights that are not resident, on their way to an operator
  embedding,  ///< rows of the embedding that the host gathered
  kv_copy,    ///< shared pages that a writer gets a copy of
  kv_spill,   ///< pages that leave the device for the host
  kv_fill,    ///< pages that come back
};

inline constexpr int range_count = 14;

constexpr std::string_view to_string(range r) {
  switch (r) {
    case range::any:
      return "any";
    case range::weights:
      return "weights";
    case range::inputs:
      return "inputs";
    case range::kv_append:
      return "kv_append";
    case range::compute:
      return "compute";
    case range::logits:
      return "logits";
    case range::choices:
      return "choices";
    case range::paging:
      return "paging";
    case range::embedding:
      return "embedding";
    case range::arena:
      return "arena";
    case range::sentinel:
      return "sentinel";
    case range::kv_copy:
      return "kv_copy";
    case range::kv_spill:
      return "kv_spill";
    case range::kv_fill:
      return "kv_fill";
  }
  return "?";
}

}  // namespace assay::telemetry
