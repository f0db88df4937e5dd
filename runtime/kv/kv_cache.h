// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Keys and values of the tokens seen so far: one sequence at a time, and a prefix that later ones
// may begin with.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/kv/page_store.h"
#include "runtime/telemetry/counter_writer.h"

namespace assay::kv {

/// A store of pages for an engine that runs one request at a time. Says where keys and values go;
/// the engine copies them there. Writes runtime.kv.*, but for what the engine copies and reads.
/// Threads: one. Ownership: the counter writer must outlive it.
class kv_cache {
 public:
  /// `host_pages` take what a kept prefix needs not have on the device; with 0 such a prefix is
  /// given up where a request needs its pages.
  /// Errors: out_of_memory from the arena.
  static result<kv_cache> create(memory::arena& from, telemetry::counter_writer& counters,
                                 const kv_layout& layout, std::uint32_t host_pages = 0);

  /// Makes room for `tokens` more and returns where they go. Valid until the next call.
  /// Errors: unusable_input, where the context is full; nothing is taken then; the copier's own.
  result<std::span<const page_run>> extend(std::uint32_t tokens, page_copier& by);
  /// The same of a cache that keeps no prefix: then there is nothing to copy.
  result<std::span<const page_run>> extend(std::uint32_t tokens);

  /// Begins a sequence with the tokens that `prompt` has in common with the kept prefix, all but
  /// its last: some token must run to give logits. Returns how many they are. No sequence is open.
  std::uint32_t begin_with_kept(std::span<const std::int32_t> prompt);
  /// Keeps the first `ids.size()` cached tokens, which are these, for later sequences; whatever was
  /// kept before is given up. They stay when the sequence is released.
  void keep(std::span<const std::int32_t> ids);
  /// Gives up what is kept.
  void forget();
  /// Gives every page of the sequence back that is not kept.
  void release();

  std::uint32_t cached_tokens() const { return open_ ? opened().tokens : 0; }
  std::uint32_t held_pages() const {
    return open_ ? static_cast<std::uint32_t>(opened().pages.size()) : 0;
  }
  std::span<const std::int32_t> kept_ids() const { return kept_ids_; }
  const kv_layout& layout() const { return store_.layout(); }
  const page_store& store() const { return store_; }
  /// Pages of the device's and the host's memory that a walk of the free lists does not meet: what
  /// runtime.kv.live_pages must say.
  std::uint32_t live_pages_by_walk() const;
  /// Pages that a walk of the tables meets twice or more: what runtime.kv.shared_pages must say.
  std::uint32_t shared_pages_by_walk() const;

  /// The block table for kernels: the device's slot of each page_tokens positions. Its address is
  /// fixed for life.
  const std::uint32_t* table() const { return slots_.data(); }
  /// First byte of a layer's pages on the device.
  std::byte* layer(std::uint32_t index) const;

 private:
  kv_cache(page_store store, telemetry::counter_writer& counters);

  const block_table& opened() const { return store_.table(*open_); }
  void show_slots();
  void publish();

  page_store store_;
  telemetry::counter_writer* counters_;
  std::vector<std::uint32_t> slots_;  // capacity_pages entries, those of the open sequence in use
  std::optional<sequence> open_;
  std::optional<sequence> kept_;
  std::vector<std::int32_t> kept_ids_;
  page_tally published_;
};

}  // namespace assay::kv
