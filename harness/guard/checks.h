// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The checks of the guard. docs/guard.md explains what each finds, and what to do about it.
#pragma once

#include <span>
#include <string_view>

#include "harness/guard/subject.h"

namespace assay::guard {

struct check {
  std::string_view name;
  std::string_view rule;  ///< of the audit, that it is a case of; may be empty
  std::string_view finds;
  void (*run)(const subject& of, check_log& log);
};

/// Every check, in the order in which they run.
std::span<const check> checks();

// What can be read, and what stands still.
void check_input(const subject& of, check_log& log);
void check_never_moved(const subject& of, check_log& log);
// What a metric says that it is against what it does.
void check_kind(const subject& of, check_log& log);
void check_unit_in_name(const subject& of, check_log& log);
void check_range(const subject& of, check_log& log);
void check_histogram(const subject& of, check_log& log);
// Metrics against one another.
void check_balance(const subject& of, check_log& log);
void check_ratio(const subject& of, check_log& log);
// R25, each part of it.
void check_never_written(const subject& of, check_log& log);
void check_no_writer(const subject& of, check_log& log);
// R26
void check_undeclared(const subject& of, check_log& log);
void check_undocumented(const subject& of, check_log& log);
void check_documented_absent(const subject& of, check_log& log);
// What documents say of kinds and units.
void check_documented_otherwise(const subject& of, check_log& log);
// R27
void check_variable_unread(const subject& of, check_log& log);
void check_variable_undocumented(const subject& of, check_log& log);

}  // namespace assay::guard
