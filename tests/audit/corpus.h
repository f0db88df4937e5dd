// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Lies that instruments in the field have told, each as a small trace: the run of the simulated
// runtime, in which nothing is wrong but this.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/audit/trace_builder.h"

namespace assay::audit_test {

enum class ending : std::uint8_t {
  found,      ///< the subject has a finding of `rule`
  explained,  ///< the subject's finding, of `through`, is explained by `rule`
  undecided,  ///< `rule`, or the gate of that name, voids what the subject rests on
  clean,      ///< a control: nothing is found at all
};

struct corpus_case {
  std::string_view name;
  std::string_view source;  ///< public issue or change that shows it, or what it was modelled on
  std::string_view claims;  ///< what the counter says
  std::string_view truth;
  std::string_view rule;
  std::string_view through;
  ending how;
  std::string subject;
  test_trace (*make)();
  /// Other rules that speak of the same fault where `rule` is left out; blanks between them.
  std::string_view also = {};
};

std::span<const corpus_case> corpus();

/// Lies of other instruments than counters of a runtime: clocks, profilers, benchmarks.
std::vector<corpus_case> instruments();

/// Readings of one row, scaled in every snapshot.
template <row Which, int Thousandths>
test_trace scaled() {
  return simulate(
      {}, {[](std::vector<assay_reading>& r, int) { scale(r[Which], Thousandths / 1000.0); }, {}});
}

template <row Which>
test_trace never_counted() {
  return simulate({}, {[](std::vector<assay_reading>& r, int) {
                         r[Which] = {0, ASSAY_ZERO, 0};
                       },
                       {}});
}

}  // namespace assay::audit_test
