// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/guard/rules.h"

#include <array>

namespace assay::guard {
namespace {

constexpr std::array<guard_rule, 3> rule_table{{
    {"R25", "NEVER_WRITTEN", "error", "a promised metric, with snapshots or source to look at",
     "some snapshot has a sample of it, and some string of the source is its name", "0"},
    {"R26", "NEVER_REPORTED/PRINTED_UNWRITTEN", "error",
     "a metric that is published, promised, or named by a document",
     "what is published is promised, what is promised is documented and shown by every form, what "
     "a "
     "document names is there",
     "0"},
    {"R27", "ENV_DEAD", "error", "a variable that a document names or the source reads",
     "documented and read, both or neither; flipped there and back it changes what it says it "
     "moves",
     "0"},
}};

}  // namespace

std::span<const guard_rule> rules() {
  return rule_table;
}

}  // namespace assay::guard
