// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "harness/audit/r01_enqueue_timed.h"
#include "harness/audit/r02_impossible_bandwidth.h"
#include "harness/audit/r03_cache_bandwidth.h"
#include "harness/audit/r04_bytes_mismatch.h"
#include "harness/audit/r05_duration_mismatch.h"
#include "harness/audit/r06_overlap_double_count.h"
#include "harness/audit/r07_conservation.h"
#include "harness/audit/r08_hit_rate.h"
#include "harness/audit/r09_ratio_sum.h"
#include "harness/audit/r10_unit_suspect.h"
#include "harness/audit/r11_kind_suspect.h"
#include "harness/audit/r12_range.h"
#include "harness/audit/r13_zero_with_activity.h"
#include "harness/audit/r14_phantom.h"
#include "harness/audit/r15_coverage.h"
#include "harness/audit/r16_monotonic.h"
#include "harness/audit/r17_clock_skew.h"
#include "harness/audit/r18_incomplete.h"
#include "harness/audit/r19_denominator.h"
#include "harness/audit/r20_misattributed.h"
#include "harness/audit/r21_stale.h"
#include "harness/audit/r22_wrong_base.h"
#include "harness/audit/r23_warmup_included.h"
#include "harness/audit/r24_derived_mismatch.h"
#include "harness/audit/r28_collector_conflict.h"
#include "harness/audit/r29_sync_perturbs.h"
#include "harness/audit/rule.h"

namespace assay::audit {
namespace {

constexpr std::array<rule, 26> table{{
    {"R28", "COLLECTOR_CONFLICT", "voids", "a counter that claims device work",
     "somebody recorded the device's work, and to the end; where another tool holds the recorder, "
     "it is named",
     "0; 3 passes", rule_role::voids, collector_conflict},
    {"R18", "DROPPED/INCOMPLETE", "voids", "device or memory records",
     "every accepted call has one record of work and the reverse, with times and all its bytes; "
     "nothing is reported lost",
     "0", rule_role::voids, incomplete},
    {"R17", "CLOCK_SKEW", "voids times", "stamped device records, clock samples",
     "a record lies within its window and after its call; the clocks' offset stays within drift",
     "5 us + offset error; 50 ppm", rule_role::voids, clock_skew},
    {"R12", "RANGE", "critical", "a reading that is a number",
     "finite, within the limits that its unit implies or its contract declares, no mark of a "
     "missing value",
     "0", rule_role::judges, range_fault_rule},
    {"R16", "MONOTONIC/NEGATIVE", "error", "a written counter",
     "cumulative counters and peaks never fall but for declared resets; nothing is below zero", "0",
     rule_role::judges, monotonic},
    {"R04", "BYTES_MISMATCH", "critical", "an amount and a reference, both above zero",
     "bytes, counts, tokens, pages and levels equal their references in every window and keep "
     "within their bounds",
     "0", rule_role::judges, bytes_mismatch},
    {"R07", "CONSERVATION", "critical",
     "an identity of the contract that is an equation, once its counters have counted",
     "it balances at the end of each window; a member that is wrong by itself is its own finding",
     "0", rule_role::judges, conservation},
    {"R24", "DERIVED_MISMATCH", "error", "a rate whose contract says of what it is made",
     "equal to what its parts give, all read in one snapshot", "1e-6", rule_role::judges,
     derived_mismatch},
    {"R08", "HIT_RATE", "error", "a ratio whose contract names its parts, where they are right",
     "it is the quotient of the parts in the same snapshot, and absent where they are nothing",
     "1e-6", rule_role::judges, hit_rate},
    {"R09", "RATIO_SUM", "error", "shares that the contract makes a partition",
     "they come to 1 in each snapshot, also where each is 0", "1 %", rule_role::judges, ratio_sum},
    {"R01", "ENQUEUE_TIMED", "critical", "a duration whose device work exceeds 20 us a window",
     "not below 80 % of the work while within 25 % or 5 us of the calls that submitted it",
     "as stated", rule_role::judges, enqueue_timed},
    {"R06", "OVERLAP_DOUBLE_COUNT", "error", "a duration with device work",
     "not the sum of intervals that cover each other, side by side or one within another",
     "max(2 us a window, 2 %)", rule_role::judges, overlap_double_count},
    {"R05", "DURATION_MISMATCH", "error",
     "a duration or rate that none of R01, R02 and R06 explains",
     "summed over undisturbed windows of a kind, equal to the observed time; within its bounds in "
     "every window",
     "max(2 us a window, 2 %)", rule_role::judges, duration_mismatch},
    {"R29", "SYNC_PERTURBS", "warning", "a duration that does not block, with device work",
     "no wait for its stream between the calls that submit the work, but those that a counter of "
     "waits and its references account for",
     "0", rule_role::judges, sync_perturbs},
    {"R02", "IMPOSSIBLE_BANDWIDTH", "critical above HARD, warning above SOFT",
     "a rate, or a duration with its bytes, over a link with a ceiling and without a cache",
     "not above the link's raw rate, nor above 1.05 x its measured rate", "0", rule_role::judges,
     impossible_bandwidth},
    {"R03", "CACHE_BANDWIDTH", "error, warning where a cache may have served it",
     "a rate, or a duration with its bytes, of memory that has a ceiling",
     "not above the raw rate, nor above the measured one", "3 %", rule_role::judges,
     cache_bandwidth},
    {"R10", "UNIT_SUSPECT", "explains",
     "a failure of R02 to R05 with both figures, or a time that R01 takes for an enqueue's",
     "the quotient is 8, a power of 1000 or 1024, one of the latter over one of the former, or of "
     "a "
     "time a stated clock's rate",
     "1 %", rule_role::explains, nullptr, unit_suspect},
    {"R22", "WRONG_BASE", "explains", "a failure of R02 to R05 with both figures",
     "the quotient is the number of requests, passes, steps or tokens, in all or a request, or a "
     "base that the facts state, such as layers",
     "2 %", rule_role::explains, nullptr, wrong_base},
    {"R23", "WARMUP_INCLUDED", "explains", "such a failure of a cumulative counter",
     "what it claims too much is what the load or the prefills would add",
     "amounts 0; times max(2 us a window, 2 %)", rule_role::explains, nullptr, warmup_included},
    {"R20", "MISATTRIBUTED", "explains", "such failures of exact amounts",
     "each claims exactly what is another's, in a ring", "0", rule_role::explains, nullptr,
     misattributed},
    {"R11", "KIND_SUSPECT", "explains", "a failure of R04, R13 or R16 beside an exact reference",
     "the readings are what each window alone brought, of a counter; or all so far, of a level",
     "0; 3 windows", rule_role::explains, nullptr, kind_suspect},
    {"R19", "DENOMINATOR", "explains", "such a failure of a rate or a ratio",
     "the quotient is that of two stretches of the run's time", "1 %", rule_role::explains, nullptr,
     denominator},
    {"R21", "STALE", "explains", "a failure of R04, R05 or R13 of a level",
     "it stood for 2 windows or more while its reference changed more than 10 times", "2 windows",
     rule_role::explains, nullptr, stale},
    {"R13", "ZERO_WITH_ACTIVITY", "critical", "a reference saw activity",
     "the counter does not stand still for 3 such windows, or for all where there are fewer",
     "3 windows; times 10 us", rule_role::judges, zero_with_activity},
    {"R14", "PHANTOM", "critical", "a reference saw no activity and is complete",
     "the counter claims none", "0", rule_role::judges, phantom},
    {"R15", "COVERAGE", "warning", "device records",
     "every copied byte, and all but 5 % of device time, is claimed by a counter", "0 B; 5 %",
     rule_role::judges, unclaimed_work},
}};

}  // namespace

model::finding finding_of(std::string_view rule, std::string_view name, model::severity severity,
                          std::string_view subject) {
  model::finding found;
  found.rule = rule;
  found.rule_name = name;
  found.severity = severity;
  found.subject = subject;
  return found;
}

model::explanation explanation_of(std::string_view rule, std::string_view name, std::string message,
                                  double distance_ratio) {
  return {std::string(rule), std::string(name), std::move(message), distance_ratio};
}

std::span<const rule> rules() {
  return table;
}

}  // namespace assay::audit
