// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Pages by name: where each lies, and how many block tables hold it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/kv/page_gauges.h"
#include "runtime/kv/page_memory.h"

namespace assay::kv {

/// Names a page for as long as somebody holds it, wherever it lies.
using page_id = std::uint32_t;

struct page_place {
  residence where = residence::device;
  std::uint32_t slot = 0;
};

/// The only writer of the gauges: each change of a holder or of a place moves them by its edge.
/// Ownership: both memories. Threads: one.
class page_set {
 public:
  page_set(page_memory device, page_memory host);

  /// A page on the device with one holder, or none where no slot is free.
  std::optional<page_id> take();
  /// One more holder.
  void hold(page_id page);
  /// One holder less; the last one frees the page.
  void drop(page_id page);

  /// The page now lies in `slot`, which was taken of that memory; its old slot is given back.
  void move(page_id page, residence to, std::uint32_t slot);

  const page_place& place_of(page_id page) const { return entries_[page].place; }
  std::uint32_t holders_of(page_id page) const { return entries_[page].holders; }
  std::byte* part(page_id page, std::uint32_t layer) const {
    const page_place& at = entries_[page].place;
    return memory(at.where).part(layer, at.slot);
  }

  page_memory& memory(residence where) { return where == residence::device ? device_ : host_; }
  const page_memory& memory(residence where) const {
    return where == residence::device ? device_ : host_;
  }
  page_gauges gauges() const;
  const page_tally& tally() const { return tally_; }

  /// The same gauges from `holders`, by page, counted by whoever walked the tables.
  /// Errors: internal, in one sentence: a page with other holders than it was told of, a live page
  /// in a free slot, two pages in one slot.
  result<page_gauges> walk(const std::vector<std::uint32_t>& holders) const;
  std::size_t names() const { return entries_.size(); }

 private:
  struct entry {
    page_place place;
    std::uint32_t holders = 0;
  };
  void count_place(residence where, bool is_taken);

  page_memory device_;
  page_memory host_;
  std::vector<entry> entries_;       // by page_id; without holders where the name is free
  std::vector<page_id> free_names_;  // taken from the back
  page_gauges kept_;                 // without what the memories know themselves
  page_tally tally_;
};

}  // namespace assay::kv
