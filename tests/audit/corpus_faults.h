// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Ground truth that is wrong itself: records lost, doubled, shifted, unstamped, taken away.
#pragma once

#include "tests/audit/trace_builder.h"

namespace assay::audit_test {

test_trace shifted_first_records();
test_trace zeroed_times();
test_trace other_epoch();
test_trace loop_bodies_lost();
test_trace replays_unseen();    ///< kernels of the first pass alone
test_trace sentinel_doubled();  ///< the device's record says twice what is known
test_trace load_counted_in_a_request();
test_trace record_dropped();
test_trace record_doubled();
test_trace clock_shifted();
test_trace buffer_denied();
test_trace callbacks_stolen();
test_trace kernels_unclaimed();  ///< the contract names no counter for them

// Waits between the sixth kernel of each pass and the seventh.
test_trace waits_between_kernels();   ///< a timer's own
test_trace waits_counted_as_work();   ///< the same, and the program counts them among its own
test_trace waits_of_the_work();       ///< the work needs them: counted, and the ledger knows them
test_trace waits_of_a_lossy_trace();  ///< the same, and records were lost

}  // namespace assay::audit_test
