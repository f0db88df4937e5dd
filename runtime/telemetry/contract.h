// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The contract of a counter: what it claims to measure, said precisely enough to be checked.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "runtime/telemetry/clock.h"
#include "runtime/telemetry/range.h"
#include "runtime/telemetry/reading.h"
#include "runtime/telemetry/units.h"

namespace assay::telemetry {

/// What runs the model. A counter's contract may differ between the two: other links, other
/// records.
enum class device_class : std::uint8_t { host, cuda };

/// How the value behaves over time.
enum class counter_kind : std::uint8_t {
  count,     ///< cumulative amount; never falls between resets
  gauge,     ///< the present level
  peak,      ///< the highest level so far
  duration,  ///< cumulative time, or the last interval where `reset` is per_request
  ratio,     ///< part of a whole
  rate,      ///< amount per second
};

/// Does anything between start and stop wait for the device?
enum class host_blocking : std::uint8_t { yes, no, enqueue_only };

/// When the value starts again at 0.
enum class reset_scope : std::uint8_t {
  per_request,  ///< at each request's begin
  per_process,  ///< cumulative from process start
  never,        ///< a level; it has no start
};

/// Kind of device activity that a counter accounts for.
enum class activity : std::uint8_t { none, copy, launch, event, memory, submission };

/// Direction of a copy. `any` only in claims.
enum class direction : std::uint8_t { any, h2d, d2h, d2d };

/// What the counter takes from each record of the claimed activity.
enum class measure : std::uint8_t {
  none,
  bytes,         ///< bytes that the worker moved
  operations,    ///< how many records
  span,          ///< first start to last end within a window
  weight_bytes,  ///< weight bytes that the kernels tallied while reading them
  kv_bytes,      ///< KV bytes that the kernels tallied while reading them
  live_bytes,    ///< allocated minus freed so far
  peak_bytes,    ///< highest value of live_bytes so far
  allocations,   ///< memory records that allocate
  frees,         ///< memory records that free
  sync_calls,    ///< submissions that wait for a stream
  calls,         ///< submissions of any kind
  brackets,      ///< time between the events around each run of records, summed
};

/// The activity that a counter accounts for. `reason` is mandatory where there is none: a counter
/// that no device record can judge must say who else can.
struct claim {
  activity kind = activity::none;
  direction dir = direction::any;
  telemetry::range range = telemetry::range::any;
  telemetry::measure measure = telemetry::measure::none;
  std::string_view reason;

  static constexpr claim of(activity kind, direction dir, telemetry::range range,
                            telemetry::measure measure) {
    return {kind, dir, range, measure, {}};
  }
  static constexpr claim nothing(std::string_view reason) {
    return {activity::none, direction::any, range::any, measure::none, reason};
  }
};

/// What carries the bytes, and so bounds their rate.
enum class link_class : std::uint8_t {
  none,
  host_memcpy,    ///< one thread's memcpy within host memory
  host_read,      ///< one thread reading memory
  pcie,           ///< pinned host memory to or from a GPU, the faster direction
  device_read,    ///< memory of a GPU, read by its kernels
  device_copy,    ///< memory of a GPU, copied within it; the bytes count once
  pcie_pageable,  ///< host memory that is not pinned to a GPU: the driver stages it
};

/// For a duration: the byte counter whose quotient must be a bandwidth that the link can carry.
struct pairing {
  std::string_view bytes_counter;
  link_class link = link_class::none;
  std::string_view reason;

  static constexpr pairing with(std::string_view bytes_counter, link_class link) {
    return {bytes_counter, link, {}};
  }
  static constexpr pairing nothing(std::string_view reason) {
    return {{}, link_class::none, reason};
  }
};

/// What a reading may be at all, beyond what its unit implies: what lies outside is no measurement.
struct value_limits {
  std::optional<double> least;
  std::optional<double> most;

  friend constexpr bool operator==(const value_limits&, const value_limits&) = default;
};

/// A field without a default: leaving it out of a contract does not compile.
template <class T>
struct required {
  T value;
  required() = delete;
  template <class U>
  requires std::constructible_from<T, U>
  constexpr required(U&& v) : value(std::forward<U>(v)) {}  // NOLINT: implicit by design
  constexpr operator const T&() const { return value; }     // NOLINT: implicit by design
};

/// One row of the catalog.
struct counter_contract {
  required<std::string_view> name;  ///< room.subject.quantity_unit
  required<assay::unit> unit;
  required<counter_kind> kind;
  required<clock_domain> clock;        ///< none unless a time or a rate
  required<std::string_view> bracket;  ///< what lies between start and stop, in words
  required<host_blocking> blocks_host;
  required<claim> claims;
  required<pairing> pairs_with;
  /// An equation over counters that must balance ("a - b = c", "a <= b"; docs/trace-format.md has
  /// its grammar), or "none: " and why there is none.
  required<std::string_view> identity;
  required<reset_scope> reset;
  value_limits limits = {};
};

// Each broken clause calls a function that is not constexpr, so the compiler's message names it.
void contract_name_must_be_room_subject_quantity_unit();
void contract_name_must_end_in_its_unit();
void contract_bracket_must_be_said();
void contract_time_needs_a_clock();
void contract_duration_needs_bytes_or_a_reason();
void contract_claim_needs_a_measure_or_a_reason();
void contract_identity_must_be_said();
void contract_limits_must_leave_a_value();

namespace contract_rules {

constexpr bool ends_in_unit(std::string_view name, std::string_view unit) {
  return name.size() > unit.size() + 1 && name.ends_with(unit) &&
         name[name.size() - unit.size() - 1] == '_';
}

constexpr bool well_formed(std::string_view name) {
  int dots = 0;
  char before = '.';
  for (char c : name) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (!word && c != '.') return false;
    if (c == '.') {
      if (before == '.') return false;
      ++dots;
    }
    before = c;
  }
  return dots == 2 && before != '.';
}

}  // namespace contract_rules

/// Passes a contract through, or stops the compilation at the clause that it breaks.
consteval counter_contract checked(counter_contract c) {
  using namespace contract_rules;
  if (!well_formed(c.name)) contract_name_must_be_room_subject_quantity_unit();
  const bool level = c.unit.value == unit::tokens || c.unit.value == unit::pages;
  if (!ends_in_unit(c.name, to_string(c.unit.value)) && !level)
    contract_name_must_end_in_its_unit();
  if (level && !c.name.value.ends_with(to_string(c.unit.value)))
    contract_name_must_end_in_its_unit();
  if (c.bracket.value.empty()) contract_bracket_must_be_said();
  const bool timed = c.kind.value == counter_kind::duration || c.kind.value == counter_kind::rate;
  if (timed != (c.clock.value != clock_domain::none)) contract_time_needs_a_clock();
  if (c.kind.value == counter_kind::duration && c.pairs_with.value.bytes_counter.empty() &&
      c.pairs_with.value.reason.empty())
    contract_duration_needs_bytes_or_a_reason();
  const claim& claims = c.claims;
  if ((claims.measure == measure::none) == claims.reason.empty())
    contract_claim_needs_a_measure_or_a_reason();
  if (c.identity.value.empty()) contract_identity_must_be_said();
  if (c.limits.least && c.limits.most && *c.limits.least > *c.limits.most)
    contract_limits_must_leave_a_value();
  return c;
}

}  // namespace assay::telemetry
