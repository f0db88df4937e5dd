// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/telemetry/catalog.h"

#include <array>

namespace assay::telemetry {
namespace {

constexpr std::array<counter_contract, counter_total> rows{{
#define ASSAY_COUNTER(identifier, ...) checked({__VA_ARGS__}),
#include "runtime/telemetry/catalog.def"
#undef ASSAY_COUNTER
}};

consteval bool names_are_unique() {
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = i + 1; j < rows.size(); ++j)
      if (rows[i].name.value == rows[j].name.value) return false;
  return true;
}
static_assert(names_are_unique(), "two rows of catalog.def share a name");

consteval bool pairs_exist() {
  for (const auto& row : rows) {
    const std::string_view wanted = row.pairs_with.value.bytes_counter;
    bool found = wanted.empty();
    for (const auto& other : rows) found = found || other.name.value == wanted;
    if (!found) return false;
  }
  return true;
}
static_assert(pairs_exist(), "a pairs_with names a counter that catalog.def does not have");

consteval link_class link_on_cuda(link_class link) {
  switch (link) {
    case link_class::host_memcpy:
      return link_class::pcie;
    case link_class::host_read:
      return link_class::device_read;
    default:
      return link;
  }
}

// The row with what differs: an empty bracket or identity stays as it is.
struct difference {
  counter_id counter;
  std::string_view bracket;
  std::optional<claim> claims;
  std::string_view identity;
};

consteval counter_contract changed(counter_contract row, const difference& by) {
  if (!by.bracket.empty()) row.bracket.value = by.bracket;
  if (by.claims) row.claims.value = *by.claims;
  if (!by.identity.empty()) row.identity.value = by.identity;
  return checked(row);
}

consteval std::array<counter_contract, counter_total> make_rows_on_cuda() {
  std::array<counter_contract, counter_total> made = rows;
  for (counter_contract& row : made)
    row.pairs_with.value.link = link_on_cuda(row.pairs_with.value.link);
  constexpr difference differences[] = {
#define ASSAY_ON_CUDA(identifier, ...) difference{.counter = counter_id::identifier, __VA_ARGS__},
#include "runtime/telemetry/catalog_cuda.def"
#undef ASSAY_ON_CUDA
  };
  for (const difference& each : differences) {
    counter_contract& row = made[static_cast<std::size_t>(each.counter)];
    row = changed(row, each);
  }
  return made;
}

constexpr std::array<counter_contract, counter_total> rows_on_cuda = make_rows_on_cuda();

}  // namespace

std::span<const counter_contract> catalog(device_class on) {
  return on == device_class::cuda ? rows_on_cuda : rows;
}

const counter_contract& contract_of(counter_id id, device_class on) {
  return catalog(on)[static_cast<std::size_t>(id)];
}

std::optional<counter_id> find_counter(std::string_view name) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].name.value == name) return static_cast<counter_id>(i);
  return std::nullopt;
}

std::string_view to_string(device_class value) {
  return value == device_class::cuda ? "cuda" : "host";
}

std::string_view to_string(counter_kind value) {
  switch (value) {
    case counter_kind::count:
      return "count";
    case counter_kind::gauge:
      return "gauge";
    case counter_kind::peak:
      return "peak";
    case counter_kind::duration:
      return "duration";
    case counter_kind::ratio:
      return "ratio";
    case counter_kind::rate:
      return "rate";
  }
  return "?";
}

std::string_view to_string(clock_domain value) {
  switch (value) {
    case clock_domain::none:
      return "none";
    case clock_domain::host:
      return "host";
    case clock_domain::device_event:
      return "device_event";
  }
  return "?";
}

std::string_view to_string(host_blocking value) {
  switch (value) {
    case host_blocking::yes:
      return "yes";
    case host_blocking::no:
      return "no";
    case host_blocking::enqueue_only:
      return "enqueue only";
  }
  return "?";
}

std::string_view to_string(reset_scope value) {
  switch (value) {
    case reset_scope::per_request:
      return "per_request";
    case reset_scope::per_process:
      return "per_process";
    case reset_scope::never:
      return "never";
  }
  return "?";
}

std::string_view to_string(activity value) {
  switch (value) {
    case activity::none:
      return "none";
    case activity::copy:
      return "copy";
    case activity::launch:
      return "launch";
    case activity::event:
      return "event";
    case activity::memory:
      return "memory";
    case activity::submission:
      return "submission";
  }
  return "?";
}

std::string_view to_string(direction value) {
  switch (value) {
    case direction::any:
      return "any";
    case direction::h2d:
      return "h2d";
    case direction::d2h:
      return "d2h";
    case direction::d2d:
      return "d2d";
  }
  return "?";
}

std::string_view to_string(measure value) {
  switch (value) {
    case measure::none:
      return "none";
    case measure::bytes:
      return "bytes";
    case measure::operations:
      return "operations";
    case measure::span:
      return "span";
    case measure::weight_bytes:
      return "weight_bytes";
    case measure::kv_bytes:
      return "kv_bytes";
    case measure::live_bytes:
      return "live_bytes";
    case measure::peak_bytes:
      return "peak_bytes";
    case measure::allocations:
      return "allocations";
    case measure::frees:
      return "frees";
    case measure::sync_calls:
      return "sync_calls";
    case measure::calls:
      return "calls";
    case measure::brackets:
      return "brackets";
  }
  return "?";
}

std::string_view to_string(link_class value) {
  switch (value) {
    case link_class::none:
      return "none";
    case link_class::host_memcpy:
      return "host_memcpy";
    case link_class::host_read:
      return "host_read";
    case link_class::pcie:
      return "pcie";
    case link_class::device_read:
      return "device_read";
    case link_class::device_copy:
      return "device_copy";
    case link_class::pcie_pageable:
      return "pcie_pageable";
  }
  return "?";
}

}  // namespace assay::telemetry
