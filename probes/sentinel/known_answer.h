// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How an ASSAY_SENTINEL record is to be read.
#pragma once

#include <cstdint>

#include "probes/trace/assay_trace.h"
#include "runtime/telemetry/clock.h"

namespace assay::probes {

/// extra[0] of an ASSAY_SENTINEL record.
enum class sentinel_kind : std::int64_t {
  copy = 1,  ///< amount: bytes that one copy must show in `direction`
  launch =
      2,  ///< amount: blocks that one launch must show; extra[1]: ns that it ran by its own clock
  fetch = 3,  ///< as copy, made to look at content: op says whether it was as expected
};

/// When a sentinel was issued and when its stream was synchronised.
struct issue_span {
  host_time from;
  host_time to;
};

/// One ASSAY_SENTINEL record. Its operation is found by range `sentinel`, by direction and amount,
/// and by time (start_ns before the call, end_ns after the synchronisation): the device gives its
/// correlation ids to its observer only, so correlation is 0. Together the sentinels name every
/// byte and every block that range `sentinel` may show.
inline assay_record sentinel_record(sentinel_kind kind, assay_direction direction,
                                    std::uint64_t amount, bool is_verified, issue_span when) {
  assay_record record{};
  record.kind = ASSAY_SENTINEL;
  record.op = is_verified ? 1 : 0;
  record.direction =
      kind == sentinel_kind::launch ? std::uint8_t{0} : static_cast<std::uint8_t>(direction);
  record.range = 0;
  record.start_ns = when.from.ns;
  record.end_ns = when.to.ns;
  record.amount = static_cast<std::int64_t>(amount);
  record.extra[0] = static_cast<std::int64_t>(kind);
  return record;
}

}  // namespace assay::probes
