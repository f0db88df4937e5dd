// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A guard's run over texts, and what it found in a form that a test can write down.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/guard/checks.h"
#include "reports/model/exposition.h"
#include "reports/model/guard_contract.h"
#include "reports/model/guard_report.h"

namespace assay::guard_test {

struct named_text {
  std::string file;
  std::string text;
};

/// tests/fixtures/guard/NAME.
named_text fixture(std::string_view name);

struct guarded {
  std::vector<named_text> metrics{};
  std::vector<named_text> documents{};
  std::vector<named_text> source{};
};

/// Times later than 2026-12-01 are in the future. Fails the test where the contract is none.
model::guard_report report_of(const named_text& contract, const guarded& what,
                              std::span<const guard::check> with = guard::checks());

/// "check subject" of each finding.
std::set<std::string> found_in(const model::guard_report& report);

std::vector<model::exposition> read(std::string_view text);

/// A contract that promises one metric: the JSON of `metric`'s object, and further keys.
named_text contract_with(std::string_view metric, std::string_view further = "");

}  // namespace assay::guard_test
