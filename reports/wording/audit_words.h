// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The sentences and the order that every form of the audit shares.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/model/audit_report.h"

namespace assay::reports {

/// "51 counters: 47 agree, 0 disagree, 0 undecided, 4 unmeasured; 0 findings".
std::string headline(const model::audit_report& report);

/// "120,431 records in 88 windows", or why the trace is not whole.
std::string extent(const model::audit_report& report);

/// Disagree, undecided, unmeasured, agree; within each, the contract's order.
/// Lifetime: points into `report`.
std::vector<const model::counter_line*> worst_first(const model::audit_report& report);

/// The claimed number in words, or a dash: its reason then opens evidence().
std::string claimed_words(const model::counter_line& line);

/// Who observed what: "= device records, = ledger", "≈ events 1.204 ms", "≠ ledger 4,096 B". The
/// value is left out only where it reads as the claim does. Then the reason, if there is one.
std::string evidence(const model::counter_line& line);

/// "claimed 8,192 B, observed 4,096 B", in the unit of the counter that is the subject. Empty where
/// the finding has neither.
std::string figures(const model::audit_report& report, const model::finding& finding);

/// "fits as well: R22 WRONG_BASE, / 128: divided by the passes", for each explanation after the
/// first, which is the likely cause.
std::vector<std::string> other_explanations(const model::finding& finding);

/// "first in decode step 3 of request 1; 12 windows"; empty where the finding names none.
std::string whereabouts(const model::finding& finding);

/// "evaluated 5,120 samples, fired 2"; of a rule that explains "nothing to explain", "looked at 2
/// failures, explains 1".
std::string effort(const model::rule_line& rule);
std::string effort(const model::gate_line& gate);
/// holds, VOID, or undecided where nothing could be tried.
std::string_view state_word(const model::gate_line& gate);

/// "soft 13.20 GB/s, hard unknown: reason; 96 samples".
std::string ceiling_words(const model::ceiling_line& ceiling);

/// Text from a trace made fit for one line of a terminal: a control character (a foreign trace
/// could carry an escape sequence in a counter's name) becomes "?".
std::string one_line(std::string_view text);

}  // namespace assay::reports
