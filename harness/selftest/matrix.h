// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What became of each planted lie. Pure: (lie, honest audit, lying audit) → result.
#pragma once

#include <string>
#include <vector>

#include "harness/selftest/lie.h"
#include "reports/model/audit_report.h"

namespace assay::selftest {

/// One row of the matrix.
struct lie_result {
  std::string lie;
  std::string rule;
  std::string tells;
  strength how = strength::gross;
  bool is_passed = false;
  std::string seen;  ///< what the audit said, in words; where it did not pass, what is wrong
};

/// A gross lie passes where the named rule fired on every subject, or explains the finding on it;
/// where the work behind it is reported as unclaimed, or the named rule reports what it does; or,
/// for damaged ground truth, where every subject is undecided because of that rule; and where no
/// other counter got a worse verdict than in the honest audit, but those that the same damage
/// touches. One that stays just inside passes where the named rule is silent.
lie_result judge(const lie& planted, strength how, const model::audit_report& honest,
                 const model::audit_report& lying);

/// Columns: lie, rule, gross, just inside. Ends with the count.
std::string matrix_as_text(const std::vector<lie_result>& results);

}  // namespace assay::selftest
