// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Which weights stay on the device when not all of them fit: policies as pure objects.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/telemetry/result.h"

namespace assay::memory {

/// A weight, by whatever number its owner gave it. A mixture's expert is a weight like any other:
/// its owner numbers it within its layer, and looks it up when the router has named it.
using weight_key = std::uint32_t;

struct weight_access {
  weight_key key = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const weight_access&, const weight_access&) = default;
};

enum class residency_kind : std::uint8_t {
  pin,  ///< what came first stays; what does not fit passes by. The default.
  lru,  ///< everything is admitted, and the least recent goes. No hit on a scan that does not fit.
};

std::string_view to_string(residency_kind kind);
/// Errors: usage, naming the words that there are.
result<residency_kind> parse_residency(std::string_view word);

/// What became of one lookup.
enum class lookup_outcome : std::uint8_t {
  hit,
  admitted,  ///< paged in, and stays
  bypassed,  ///< paged in, used, and not kept
};

/// Counts and bytes apart: a thousand norms that hit beside one head that misses are a high rate of
/// one and a low rate of the other.
struct residency_tally {
  std::uint64_t lookups_count = 0;
  std::uint64_t lookup_bytes = 0;
  std::uint64_t hits_count = 0;
  std::uint64_t hit_bytes = 0;
  std::uint64_t page_ins_count = 0;
  std::uint64_t page_in_bytes = 0;
  std::uint64_t admitted_count = 0;
  std::uint64_t admitted_bytes = 0;
  std::uint64_t evictions_count = 0;
  std::uint64_t evicted_bytes = 0;

  friend bool operator==(const residency_tally&, const residency_tally&) = default;
};

/// Of what happened between two looks at a tally: the fill is one window, the steady state another.
residency_tally operator-(const residency_tally& later, const residency_tally& earlier);

/// Threads: one. Errors: none; a budget of 0 keeps nothing.
class residency_policy {
 public:
  virtual ~residency_policy() = default;

  /// A weight is needed. `evicted` gets the keys that made room for it, oldest first; it is cleared
  /// first. A key always comes with the same size.
  virtual lookup_outcome look_up(const weight_access& what, std::vector<weight_key>& evicted) = 0;
  virtual bool is_resident(weight_key key) const = 0;
  virtual std::uint64_t resident_bytes() const = 0;
  virtual std::uint64_t resident_count() const = 0;

  const residency_tally& tally() const { return tally_; }
  std::uint64_t budget_bytes() const { return budget_bytes_; }

 protected:
  explicit residency_policy(std::uint64_t budget_bytes) : budget_bytes_(budget_bytes) {}
  lookup_outcome note(const weight_access& what, lookup_outcome outcome);
  void note_eviction(std::uint64_t bytes);

 private:
  std::uint64_t budget_bytes_;
  residency_tally tally_;
};

std::unique_ptr<residency_policy> make_policy(residency_kind kind, std::uint64_t budget_bytes);

/// Misses of the best that any policy could have done on a recorded trace: nothing that keeps at
/// most `budget_bytes` has more hit bytes. It knows the future, may pass a weight by, and may keep
/// parts of one: with weights cut into bytes, keeping what is used soonest is optimal, and whole
/// weights can only do worse. For weights of one size it keeps whole ones.
/// Complexity: accesses times weights kept.
struct optimum {
  std::uint64_t lookup_bytes = 0;
  std::uint64_t hit_bytes = 0;
};
optimum best_possible(std::span<const weight_access> trace, std::uint64_t budget_bytes);

}  // namespace assay::memory
