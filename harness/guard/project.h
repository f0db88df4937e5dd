// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What is known of this program's own counters and knobs, and whether anything of it is dead.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/guard/subject.h"
#include "reports/model/guard_report.h"

namespace assay::guard {

/// One row of the catalog, over every scenario that was run.
struct counter_facts {
  std::string name{};
  bool was_written = false;  ///< some scenario's snapshots hold a number
  bool has_moved = false;    ///< two snapshots of one run differ
  bool is_documented = false;
  std::string inapplicable{};  ///< why no scenario here can write it, in the run's words
  std::vector<std::string> hidden_from{};  ///< forms of the report that do not change with it
};

/// A counter that stands still in every scenario for a reason.
struct still_counter {
  std::string_view name;
  std::string_view reason;
  bool may_move = false;  ///< whether it does is the machine's say
};

/// One knob, flipped there and back within one process.
struct knob_facts {
  std::string variable{};
  std::string moves{};  ///< what its row says that it moves
  bool is_documented = false;
  std::string before{};  ///< that effect at the default
  std::string flipped{};
  std::string after{};    ///< at the default again
  std::string failure{};  ///< why the effect could not be seen
  /// No value of the knob can show on this machine, and why: one core has one thread.
  std::string unshowable{};
};

/// Something that a table alone may hold, found elsewhere.
struct stray_name {
  std::string what{};
  std::string where{};
};

/// A part of the report that is shown only where there is something to show, and a form that does
/// not show what opened it.
struct silent_gate {
  std::string section{};
  std::string form{};
};

struct project_facts {
  std::vector<counter_facts> counters{};
  std::vector<still_counter> still{};
  std::vector<knob_facts> knobs{};
  std::vector<std::string> documented_knobs{};  ///< variables of our prefix in the documents
  std::vector<stray_name> strays{};
  std::size_t files_searched = 0;
  std::vector<silent_gate> silent_gates{};
  std::size_t gates_tried = 0;
  std::vector<model::fact> facts{};
};

struct project_check {
  std::string_view name;
  std::string_view rule;  ///< that it is a case of
  void (*run)(const project_facts& of, check_log& log);
};

/// Every check, in the order in which they run.
std::span<const project_check> project_checks();

/// Pure.
model::guard_report judge_project(const project_facts& of,
                                  std::span<const project_check> with = project_checks());

}  // namespace assay::guard
