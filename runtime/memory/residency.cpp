// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/residency.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>

namespace assay::memory {
namespace {

// A weight that does not fit when it first comes never pushes out another: on a scan whatever stays
// is worth the same, and what stays put is never paged in again.
class pin final : public residency_policy {
 public:
  explicit pin(std::uint64_t budget_bytes) : residency_policy(budget_bytes) {}

  lookup_outcome look_up(const weight_access& what, std::vector<weight_key>& evicted) override {
    evicted.clear();
    if (kept_.contains(what.key)) return note(what, lookup_outcome::hit);
    if (what.bytes > budget_bytes() - bytes_) return note(what, lookup_outcome::bypassed);
    kept_.emplace(what.key, what.bytes);
    bytes_ += what.bytes;
    return note(what, lookup_outcome::admitted);
  }
  bool is_resident(weight_key key) const override { return kept_.contains(key); }
  std::uint64_t resident_bytes() const override { return bytes_; }
  std::uint64_t resident_count() const override { return kept_.size(); }

 private:
  std::unordered_map<weight_key, std::uint64_t> kept_;
  std::uint64_t bytes_ = 0;
};

class lru final : public residency_policy {
 public:
  explicit lru(std::uint64_t budget_bytes) : residency_policy(budget_bytes) {}

  lookup_outcome look_up(const weight_access& what, std::vector<weight_key>& evicted) override {
    evicted.clear();
    if (const auto found = at_.find(what.key); found != at_.end()) {
      recency_.splice(recency_.end(), recency_, found->second);
      return note(what, lookup_outcome::hit);
    }
    if (what.bytes > budget_bytes()) return note(what, lookup_outcome::bypassed);
    while (what.bytes > budget_bytes() - bytes_) evict_oldest(evicted);
    at_.emplace(what.key, recency_.insert(recency_.end(), what));
    bytes_ += what.bytes;
    return note(what, lookup_outcome::admitted);
  }
  bool is_resident(weight_key key) const override { return at_.contains(key); }
  std::uint64_t resident_bytes() const override { return bytes_; }
  std::uint64_t resident_count() const override { return at_.size(); }

 private:
  void evict_oldest(std::vector<weight_key>& evicted) {
    const weight_access oldest = recency_.front();
    recency_.pop_front();
    at_.erase(oldest.key);
    bytes_ -= oldest.bytes;
    evicted.push_back(oldest.key);
    note_eviction(oldest.bytes);
  }

  std::list<weight_access> recency_;  // oldest first
  std::unordered_map<weight_key, std::list<weight_access>::iterator> at_;
  std::uint64_t bytes_ = 0;
};

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

// For each access, when its weight is needed next.
std::vector<std::size_t> next_uses(std::span<const weight_access> trace) {
  std::vector<std::size_t> next(trace.size(), never);
  std::unordered_map<weight_key, std::size_t> seen;
  for (std::size_t i = trace.size(); i-- > 0;) {
    if (const auto later = seen.find(trace[i].key); later != seen.end()) next[i] = later->second;
    seen[trace[i].key] = i;
  }
  return next;
}

// Kept bytes by their weight's next use. A use belongs to one access, so the key is unique.
using kept_bytes = std::map<std::size_t, std::uint64_t>;

void drop_farthest(kept_bytes& kept, std::uint64_t surplus_bytes) {
  while (surplus_bytes > 0) {
    const auto farthest = std::prev(kept.end());
    const std::uint64_t dropped = std::min(farthest->second, surplus_bytes);
    surplus_bytes -= dropped;
    farthest->second -= dropped;
    if (farthest->second == 0) kept.erase(farthest);
  }
}

}  // namespace

std::string_view to_string(residency_kind kind) {
  return kind == residency_kind::pin ? "pin" : "lru";
}

result<residency_kind> parse_residency(std::string_view word) {
  for (const residency_kind kind : {residency_kind::pin, residency_kind::lru})
    if (word == to_string(kind)) return kind;
  return ASSAY_FAIL(usage, "'" + std::string(word) + "' is no residency policy; say pin or lru");
}

residency_tally operator-(const residency_tally& later, const residency_tally& earlier) {
  return {later.lookups_count - earlier.lookups_count,
          later.lookup_bytes - earlier.lookup_bytes,
          later.hits_count - earlier.hits_count,
          later.hit_bytes - earlier.hit_bytes,
          later.page_ins_count - earlier.page_ins_count,
          later.page_in_bytes - earlier.page_in_bytes,
          later.admitted_count - earlier.admitted_count,
          later.admitted_bytes - earlier.admitted_bytes,
          later.evictions_count - earlier.evictions_count,
          later.evicted_bytes - earlier.evicted_bytes};
}

lookup_outcome residency_policy::note(const weight_access& what, lookup_outcome outcome) {
  ++tally_.lookups_count;
  tally_.lookup_bytes += what.bytes;
  if (outcome == lookup_outcome::hit) {
    ++tally_.hits_count;
    tally_.hit_bytes += what.bytes;
    return outcome;
  }
  ++tally_.page_ins_count;
  tally_.page_in_bytes += what.bytes;
  if (outcome == lookup_outcome::admitted) {
    ++tally_.admitted_count;
    tally_.admitted_bytes += what.bytes;
  }
  return outcome;
}

void residency_policy::note_eviction(std::uint64_t bytes) {
  ++tally_.evictions_count;
  tally_.evicted_bytes += bytes;
}

std::unique_ptr<residency_policy> make_policy(residency_kind kind, std::uint64_t budget_bytes) {
  if (kind == residency_kind::lru) return std::make_unique<lru>(budget_bytes);
  return std::make_unique<pin>(budget_bytes);
}

optimum best_possible(std::span<const weight_access> trace, std::uint64_t budget_bytes) {
  optimum best;
  const std::vector<std::size_t> next = next_uses(trace);
  kept_bytes kept;
  std::uint64_t total_bytes = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    best.lookup_bytes += trace[i].bytes;
    if (const auto found = kept.find(i); found != kept.end()) {
      best.hit_bytes += found->second;
      total_bytes -= found->second;
      kept.erase(found);
    }
    if (next[i] == never) continue;
    kept.emplace(next[i], trace[i].bytes);
    total_bytes += trace[i].bytes;
    if (total_bytes <= budget_bytes) continue;
    drop_farthest(kept, total_bytes - budget_bytes);
    total_bytes = budget_bytes;
  }
  return best;
}

}  // namespace assay::memory
