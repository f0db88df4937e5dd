// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Which lie a mismatch is: silence, phantom, or a wrong figure. The classes exclude each other, so
// each lie has one rule.
#pragma once

#include <cstdint>

#include "harness/audit/evidence.h"

namespace assay::audit {

enum class mismatch_class : std::uint8_t {
  none,
  silent,   ///< claims nothing over windows in which there was something (R13)
  phantom,  ///< claims something, and all that it says wrong lies where there was nothing (R14)
  differs,  ///< both sides have a figure, and they are not the same (R04, R05)
};

/// Windows with activity that must pass in silence before it counts; fewer if the run has fewer.
inline constexpr std::uint64_t silent_min_windows = 3;
/// Observed time that must pass in silence: below it a coarse device clock may honestly read 0.
inline constexpr double silent_min_ns = 10'000.0;

/// The class of one reference that is not void. A time that noise makes unclear is none.
mismatch_class classify(const counter_evidence& counter, const reference_evidence& reference);

/// May the rules on figures look at this counter? Not where it ran backwards (R16), nor where it
/// read what it cannot be (R12).
bool is_judgeable(const counter_evidence& counter);

/// Do device records that stand compare its time?
bool has_trusted_work(const counter_evidence& counter);

/// The class of the counter: that of the reference that names it most narrowly, in the order of the
/// enumeration. A frozen counter is silent even where a sum over more windows merely differs.
mismatch_class class_of(const counter_evidence& counter);

/// Where the counter is of that class, the first reference that shows it; else null.
const reference_evidence* first_of(const counter_evidence& counter, mismatch_class wanted);

/// Figures of a reference, for a finding.
struct figures {
  number claimed;
  number observed;
  std::uint64_t windows = 0;
  std::string where;
};
figures figures_of(const counter_evidence& counter, const reference_evidence& reference);

}  // namespace assay::audit
