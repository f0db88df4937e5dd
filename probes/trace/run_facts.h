// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a trace says of the run: what ran, on what, and which rates the links can carry.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/telemetry/contract.h"
#include "runtime/telemetry/planned_launch.h"
#include "runtime/telemetry/result.h"

namespace assay::trace {

/// Printed as it is: host, versions, build id, checkpoint, prompt.
struct named_fact {
  std::string name;
  std::string value;

  friend bool operator==(const named_fact&, const named_fact&) = default;
};

/// What a link can carry. 0 stands for a rate that nobody has; `reason` then says why.
struct link_ceiling {
  telemetry::link_class link = telemetry::link_class::none;
  double soft_bytes_per_s = 0.0;  ///< measured by the harness's own copies, with its margin
  double hard_bytes_per_s = 0.0;  ///< physical bound
  std::uint64_t samples = 0;      ///< measurements behind soft_bytes_per_s
  std::string reason;

  friend bool operator==(const link_ceiling&, const link_ceiling&) = default;
};

/// How many operations a second were measured where nothing is loaded: two a multiply-add. 0 stands
/// for a rate that nobody has; `reason` then says why, else by what it was measured.
struct arithmetic_ceiling {
  telemetry::arithmetic by = telemetry::arithmetic::f32_fma;
  double operations_per_s = 0.0;
  std::uint64_t samples = 0;
  std::string reason;

  friend bool operator==(const arithmetic_ceiling&, const arithmetic_ceiling&) = default;
};

/// A figure of the run that a counter may have been divided by, or counted in, by mistake.
struct named_number {
  std::string name;
  double value = 0.0;

  friend bool operator==(const named_number&, const named_number&) = default;
};

/// A condition of the machine (condition.h) that nobody can see here, and why.
struct absent_condition {
  std::string name;
  std::string reason;

  friend bool operator==(const absent_condition&, const absent_condition&) = default;
};

/// The content of one FACTS block, or of several merged.
struct run_facts {
  std::vector<named_fact> facts;  ///< names are unique, order is kept
  std::vector<link_ceiling> ceilings;
  std::vector<named_number> clocks;  ///< ticks a second: of a processor's counter, of an SM
  std::vector<named_number> bases;   ///< layers, ranks, isolated over batched
  std::vector<std::string> reasons;  ///< assay_reading.reason is an index into it, from 1
  std::vector<std::string> notes;    ///< sentences for the reader of the report
  /// The device that reports the records also stamps the events: the two are one party's word.
  bool has_one_observer = false;
  /// Why nobody recorded what the device did, who holds the recorder say; empty where somebody did.
  std::string records_absence{};
  /// Launches of a decode step, in order: a record of one says neither its operator nor, on a GPU,
  /// what it read.
  std::vector<telemetry::planned_launch> step_plan{};
  std::vector<telemetry::planned_request> requests{};  ///< in the order in which they run
  std::vector<arithmetic_ceiling> arithmetic{};
  /// The largest cache between the device and the memory that weights lie in; 0: nobody says.
  std::int64_t cache_bytes = 0;
  std::vector<absent_condition> absent_conditions{};

  void add_fact(std::string name, std::string value) {
    facts.push_back({std::move(name), std::move(value)});
  }

  friend bool operator==(const run_facts&, const run_facts&) = default;
};

/// Every string of `facts` may hold any bytes: what is not UTF-8 becomes U+FFFD. Empty lists are
/// left out.
std::string to_json(const run_facts& facts);

/// Parses and checks a FACTS block; every member may be missing.
/// Errors: unusable_input, naming the member and what would be right.
result<run_facts> parse_facts(std::string_view json);

/// Takes a later block over an earlier one. A fact of the same name and a ceiling of the same link
/// are replaced in place, so are clocks, bases, absent conditions and ceilings of arithmetic;
/// reasons, the plans of a step and of requests and the cache are replaced as a whole where the
/// later block has any; notes are added, the same sentence only once; one observer stays one, and
/// absent records stay absent.
void merge(run_facts& into, run_facts later);

}  // namespace assay::trace
