// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Keys and values of many sequences, in pages that sequences share and that move between the device
// and the host.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "runtime/kv/block_table.h"
#include "runtime/kv/page_copier.h"
#include "runtime/kv/page_set.h"
#include "runtime/memory/arena.h"
#include "runtime/telemetry/result.h"

namespace assay::kv {

/// Names a sequence of a store; a number is never given twice.
struct sequence {
  std::uint32_t number = 0;
  bool operator<(const sequence& other) const { return number < other.number; }
};

/// Says where keys and values go; whoever computed them copies them there, in order with the
/// copies that the store asks of `by`.
/// A call that fails leaves every sequence with the contents and the length that it had. Pages of
/// other sequences may lie elsewhere then.
/// Where the device has no free page, those of the sequences that were used longest ago move to the
/// host, but never one that the sequence at hand holds.
/// Errors: usage: a sequence that is not there, positions that it does not hold; out_of_memory:
/// naming what is asked and what either memory has; the copier's own.
/// Ownership: its pages. Threads: one.
class page_store {
 public:
  /// `device.capacity_pages` pages there and `host_pages` on the host, of the same shape.
  /// Errors: out_of_memory.
  static result<page_store> create(memory::arena& from, const kv_layout& device,
                                   std::uint32_t host_pages);

  /// An empty sequence. With a window only the last `window_tokens` tokens are kept, in a ring.
  sequence admit(std::uint32_t window_tokens = 0);
  /// A sequence of the first `tokens` tokens of another. It shares their pages, the last one too
  /// where they fill it in part: whoever writes there first gets a copy of it.
  /// Errors: usage, for a part of a sequence in a ring: what came before may be gone.
  result<sequence> fork(sequence of, std::uint32_t tokens);
  /// Gives up its pages: those that nobody else holds are free.
  result<void> release(sequence which);

  /// Room for `tokens` more at its end, on the device; where they go. Valid until the next call.
  /// A ring takes no more than its window at once.
  result<std::span<const page_run>> append(sequence to, std::uint32_t tokens, page_copier& by);
  /// Where `tokens` tokens from position `first` on lie, in pages that nobody else holds.
  result<std::span<const page_run>> write(sequence to, std::uint32_t first, std::uint32_t tokens,
                                          page_copier& by);
  /// Brings every page of a sequence to where it is asked for, all or none, and waits for it.
  /// Sequences that share them find them there.
  result<void> migrate(sequence which, residence to, page_copier& by);
  /// migrate() to the host.
  result<void> evict(sequence which, page_copier& by) {
    return migrate(which, residence::host, by);
  }

  bool has(sequence which) const { return tables_.count(which) > 0; }
  /// The sequence must be there.
  const block_table& table(sequence which) const { return tables_.at(which); }
  const page_set& pages() const { return pages_; }
  /// Of the device's memory.
  const kv_layout& layout() const { return pages_.memory(residence::device).layout(); }
  page_gauges gauges() const { return pages_.gauges(); }
  page_tally tally() const;

  /// The gauges counted afresh, from every table and every free list. Cost: all of them.
  /// Errors: internal, where tables, pages and slots contradict each other.
  result<page_gauges> walk() const;
  /// Do the gauges equal a walk? Errors: internal, showing both. For tests.
  result<void> check() const;

 private:
  explicit page_store(page_set pages) : pages_(std::move(pages)) {}

  /// What becomes of an entry: a page of its own with the content of the one before, or without.
  struct renewal {
    std::uint32_t entry = 0;
    bool is_copy = false;
    page_id page = 0;
  };
  result<block_table*> find(sequence which);
  result<void> settle(block_table& table, std::uint32_t needed, page_copier& by);
  result<void> make_room(const block_table& keep, std::uint32_t pages, page_copier& by);
  std::vector<page_id> victims(const block_table& keep, std::uint32_t pages) const;
  result<void> renew(block_table& table, page_copier& by);
  result<void> copy_shared(const block_table& table, const renewal& what, page_copier& by);
  result<void> move(const std::vector<page_id>& pages, residence to, page_copier& by);
  result<void> submit_move(const std::vector<page_id>& pages, residence to,
                           const std::vector<std::uint32_t>& slots, page_copier& by);
  std::span<const page_run> runs_of(const block_table& table, std::uint32_t first,
                                    std::uint32_t tokens);

  page_set pages_;
  std::map<sequence, block_table> tables_;
  std::uint32_t sequences_ = 0;
  std::uint64_t uses_ = 0;
  page_tally copied_;  // the part of the tally that no page knows
  std::vector<renewal> renewals_;
  std::vector<page_run> runs_;
};

}  // namespace assay::kv
