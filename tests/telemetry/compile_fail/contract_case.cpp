// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a contract could lose a field or break a clause and still compile. One complete
// contract; each ASSAY_BREAK_… takes one field away or writes one wrongly. With none of them the
// file must compile, so that no case can fail for a reason of its own.
#include "runtime/telemetry/contract.h"

// The complete contract, field by field.
#define NAME .name = "runtime.test.some_bytes",
#define UNIT .unit = assay::unit::bytes,
#define KIND .kind = counter_kind::count,
#define CLOCK .clock = assay::clock_domain::none,
#define BRACKET .bracket = "bytes of each copy that was submitted",
#define BLOCKS_HOST .blocks_host = host_blocking::no,
#define CLAIMS .claims = claim::of(activity::copy, direction::h2d, range::weights, measure::bytes),
#define PAIRS_WITH .pairs_with = pairing::nothing("not a duration"),
#define IDENTITY .identity = "none: a sum",
#define RESET .reset = reset_scope::per_process

// A field away.
#if defined(ASSAY_BREAK_name_missing)
#undef NAME
#define NAME
#elif defined(ASSAY_BREAK_unit_missing)
#undef UNIT
#define UNIT
#elif defined(ASSAY_BREAK_kind_missing)
#undef KIND
#define KIND
#elif defined(ASSAY_BREAK_clock_missing)
#undef CLOCK
#define CLOCK
#elif defined(ASSAY_BREAK_bracket_missing)
#undef BRACKET
#define BRACKET
#elif defined(ASSAY_BREAK_blocks_host_missing)
#undef BLOCKS_HOST
#define BLOCKS_HOST
#elif defined(ASSAY_BREAK_claims_missing)
#undef CLAIMS
#define CLAIMS
#elif defined(ASSAY_BREAK_pairs_with_missing)
#undef PAIRS_WITH
#define PAIRS_WITH
#elif defined(ASSAY_BREAK_identity_missing)
#undef IDENTITY
#define IDENTITY
#elif defined(ASSAY_BREAK_reset_missing)
#undef RESET
#define RESET

// A clause broken.
#elif defined(ASSAY_BREAK_name_of_two_parts)
#undef NAME
#define NAME .name = "runtime.some_bytes",
#elif defined(ASSAY_BREAK_name_of_four_parts)
#undef NAME
#define NAME .name = "runtime.test.more.some_bytes",
#elif defined(ASSAY_BREAK_name_in_capitals)
#undef NAME
#define NAME .name = "runtime.test.Some_bytes",
#elif defined(ASSAY_BREAK_name_with_an_empty_part)
#undef NAME
#define NAME .name = "runtime..some_bytes",
#elif defined(ASSAY_BREAK_name_of_another_unit)
#undef NAME
#define NAME .name = "runtime.test.some_count",
#elif defined(ASSAY_BREAK_name_of_a_unit_alone)
#undef NAME
#define NAME .name = "runtime.test.bytes",
#elif defined(ASSAY_BREAK_name_of_tokens_without_the_word)
#undef UNIT
#define UNIT .unit = assay::unit::tokens,
#elif defined(ASSAY_BREAK_bracket_empty)
#undef BRACKET
#define BRACKET .bracket = "",
#elif defined(ASSAY_BREAK_duration_without_a_clock)
#undef KIND
#define KIND .kind = counter_kind::duration,
#elif defined(ASSAY_BREAK_rate_without_a_clock)
#undef KIND
#define KIND .kind = counter_kind::rate,
#elif defined(ASSAY_BREAK_count_with_a_clock)
#undef CLOCK
#define CLOCK .clock = assay::clock_domain::host,
#elif defined(ASSAY_BREAK_duration_without_bytes_or_a_reason)
#undef KIND
#define KIND .kind = counter_kind::duration,
#undef CLOCK
#define CLOCK .clock = assay::clock_domain::host,
#undef PAIRS_WITH
#define PAIRS_WITH .pairs_with = pairing::nothing(""),
#elif defined(ASSAY_BREAK_claim_without_a_measure_or_a_reason)
#undef CLAIMS
#define CLAIMS .claims = claim::nothing(""),
#elif defined(ASSAY_BREAK_claim_with_a_measure_and_a_reason)
#undef CLAIMS
#define CLAIMS                                                                \
  .claims = claim{activity::copy, direction::h2d, range::any, measure::bytes, \
                  "said twice, and so not said"},
#elif defined(ASSAY_BREAK_identity_empty)
#undef IDENTITY
#define IDENTITY .identity = "",
#elif defined(ASSAY_BREAK_limits_that_leave_no_value)
#undef RESET
#define RESET .reset = reset_scope::per_process, .limits = {.least = 2, .most = 1}
#elif !defined(ASSAY_BREAK_nothing_broken)
#error "no case of that name"
#endif

namespace assay::telemetry {
constexpr counter_contract row =
    checked({NAME UNIT KIND CLOCK BRACKET BLOCKS_HOST CLAIMS PAIRS_WITH IDENTITY RESET});
static_assert(!row.name.value.empty());
}  // namespace assay::telemetry
