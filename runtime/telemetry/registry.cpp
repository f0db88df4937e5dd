// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/telemetry/registry.h"

#include <bit>

namespace assay::telemetry {
namespace {

// A plain load first: after the first write the flag's cache line is only read.
void mark(std::atomic<bool>& written) noexcept {
  if (!written.load(std::memory_order_relaxed)) written.store(true, std::memory_order_relaxed);
}

}  // namespace

void registry::add(counter_id id, std::int64_t amount) noexcept {
  slot& s = at(id);
  s.bits.fetch_add(amount, std::memory_order_relaxed);
  mark(s.written);
}

void registry::set(counter_id id, std::int64_t value) noexcept {
  slot& s = at(id);
  s.bits.store(value, std::memory_order_relaxed);
  mark(s.written);
}

void registry::set_real(counter_id id, double value) noexcept {
  set(id, std::bit_cast<std::int64_t>(value));
}

void registry::raise(counter_id id, std::int64_t value) noexcept {
  slot& s = at(id);
  std::int64_t seen = s.bits.load(std::memory_order_relaxed);
  while (seen < value && !s.bits.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
  mark(s.written);
}

void registry::mark_not_applicable(counter_id id, std::string_view reason) noexcept {
  slot& s = at(id);
  // The first reason stays: pointer and size are two words, and a second mark could pair the one
  // with the other.
  bool expected = false;
  if (!s.is_marked.compare_exchange_strong(expected, true, std::memory_order_relaxed)) return;
  s.reason_size.store(reason.size(), std::memory_order_relaxed);
  s.reason.store(reason.data(), std::memory_order_release);
}

void registry::begin_request() noexcept {
  for (int i = 0; i < counter_total; ++i) {
    const auto id = static_cast<counter_id>(i);
    if (contract_of(id).reset.value != reset_scope::per_request) continue;
    slot& s = at(id);
    s.bits.store(0, std::memory_order_relaxed);
    // A request that never writes the counter has not measured it: zero would be a claim.
    s.written.store(false, std::memory_order_relaxed);
    // Nor does what one request cannot have say anything of the next.
    s.reason.store(nullptr, std::memory_order_relaxed);
    s.is_marked.store(false, std::memory_order_relaxed);
  }
}

reading registry::read(counter_id id) const noexcept {
  const slot& s = at(id);
  reading r;
  if (const char* reason = s.reason.load(std::memory_order_acquire); reason != nullptr) {
    r.state = reading_state::not_applicable;
    r.reason = {reason, s.reason_size.load(std::memory_order_relaxed)};
    return r;
  }
  if (!s.written.load(std::memory_order_relaxed)) return r;
  r.bits = s.bits.load(std::memory_order_relaxed);
  const bool zero = is_real(contract_of(id).unit) ? r.real() == 0.0 : r.bits == 0;
  r.state = zero ? reading_state::zero : reading_state::measured;
  return r;
}

snapshot registry::read_all() const noexcept {
  snapshot all;
  for (int i = 0; i < counter_total; ++i)
    all[static_cast<std::size_t>(i)] = read(static_cast<counter_id>(i));
  return all;
}

}  // namespace assay::telemetry
