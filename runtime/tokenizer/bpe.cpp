// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tokenizer/bpe.h"

#include <algorithm>
#include <utility>

namespace assay::tokenizer {

namespace {

/// Orders a heap so that its top has the lowest rank and, of equal ranks, stands leftmost.
bool is_later(const merge_scratch::candidate& a, const merge_scratch::candidate& b) {
  return a.rank != b.rank ? a.rank > b.rank : a.at > b.at;
}

}  // namespace

bpe_model::bpe_model(const std::array<std::int32_t, 256>& byte_ids,
                     std::span<const merge_rule> rules)
    : byte_ids_(byte_ids), merges_(rules) {}

void bpe_model::learn_pieces(
    const std::vector<std::pair<std::string_view, std::int32_t>>& ids_by_bytes, whole_pieces rule) {
  if (rule == whole_pieces::taken) {
    whole_pieces_ = piece_table(ids_by_bytes);
    return;
  }
  std::vector<std::pair<std::string_view, std::int32_t>> whole;
  std::vector<std::int32_t> ids;
  merge_scratch scratch;
  for (const auto& [bytes, id] : ids_by_bytes) {
    ids.clear();
    merge(bytes, ids, scratch);
    if (ids.size() == 1 && ids[0] == id) whole.emplace_back(bytes, id);
  }
  whole_pieces_ = piece_table(whole);
}

void bpe_model::append_ids(std::string_view piece, std::vector<std::int32_t>& out,
                           merge_scratch& scratch) const {
  const std::int32_t whole = piece.empty() ? -1 : whole_pieces_.find(piece);
  if (whole >= 0)
    out.push_back(whole);
  else
    merge(piece, out, scratch);
}

void bpe_model::merge(std::string_view piece, std::vector<std::int32_t>& out,
                      merge_scratch& scratch) const {
  if (piece.size() <= scan_at_most_bytes)
    merge_by_scan(piece, out, scratch);
  else
    merge_by_heap(piece, out, scratch);
}

void bpe_model::merge_by_scan(std::string_view piece, std::vector<std::int32_t>& out,
                              merge_scratch& scratch) const {
  std::vector<std::int32_t>& ids = scratch.ids;
  std::vector<merge_effect>& effects = scratch.effects;  // of ids[i] with ids[i + 1]
  ids.clear();
  effects.clear();
  for (char c : piece) ids.push_back(byte_ids_[static_cast<unsigned char>(c)]);
  for (std::size_t i = 0; i + 1 < ids.size(); ++i)
    effects.push_back(merges_.find(ids[i], ids[i + 1]));
  while (!effects.empty()) {
    scratch.steps += effects.size();
    const auto best =
        std::min_element(effects.begin(), effects.end(),
                         [](merge_effect a, merge_effect b) { return a.rank < b.rank; });
    if (!best->exists()) break;
    const std::size_t at = static_cast<std::size_t>(best - effects.begin());
    ids[at] = best->merged;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    effects.erase(best);
    if (at > 0) effects[at - 1] = merges_.find(ids[at - 1], ids[at]);
    if (at < effects.size()) effects[at] = merges_.find(ids[at], ids[at + 1]);
  }
  out.insert(out.end(), ids.begin(), ids.end());
}

/// Puts the pair that begins at symbol `at` on the heap if a rule merges it.
void bpe_model::propose(std::int32_t at, merge_scratch& scratch) const {
  if (at < 0) return;
  const merge_scratch::symbol& left = scratch.symbols[static_cast<std::size_t>(at)];
  if (left.next < 0) return;
  ++scratch.steps;
  const std::int32_t right = scratch.symbols[static_cast<std::size_t>(left.next)].id;
  const merge_effect effect = merges_.find(left.id, right);
  if (!effect.exists()) return;
  ++scratch.steps;
  scratch.heap.push_back({effect.rank, at, effect.merged});
  std::push_heap(scratch.heap.begin(), scratch.heap.end(), is_later);
}

/// Merges, unless the pair that was proposed has since merged with something else.
void bpe_model::merge_at(const merge_scratch::candidate& best, merge_scratch& scratch) const {
  std::vector<merge_scratch::symbol>& symbols = scratch.symbols;
  merge_scratch::symbol& left = symbols[static_cast<std::size_t>(best.at)];
  if (left.id < 0 || left.next < 0) return;
  merge_scratch::symbol& right = symbols[static_cast<std::size_t>(left.next)];
  const merge_effect now = merges_.find(left.id, right.id);
  if (now.rank != best.rank) return;
  left.id = best.merged;
  left.next = right.next;
  right.id = -1;
  if (left.next >= 0) symbols[static_cast<std::size_t>(left.next)].previous = best.at;
  propose(left.previous, scratch);
  propose(best.at, scratch);
}

void bpe_model::merge_by_heap(std::string_view piece, std::vector<std::int32_t>& out,
                              merge_scratch& scratch) const {
  const std::int32_t count = static_cast<std::int32_t>(piece.size());
  scratch.symbols.clear();
  scratch.heap.clear();
  for (std::int32_t i = 0; i < count; ++i) {
    const unsigned char byte = static_cast<unsigned char>(piece[static_cast<std::size_t>(i)]);
    scratch.symbols.push_back({byte_ids_[byte], i - 1, i + 1 < count ? i + 1 : -1});
  }
  for (std::int32_t i = 0; i < count; ++i) propose(i, scratch);
  while (!scratch.heap.empty()) {
    ++scratch.steps;
    std::pop_heap(scratch.heap.begin(), scratch.heap.end(), is_later);
    const merge_scratch::candidate best = scratch.heap.back();
    scratch.heap.pop_back();
    merge_at(best, scratch);
  }
  // The first symbol is never merged into another, so the list begins with it.
  for (std::int32_t i = count > 0 ? 0 : -1; i >= 0;) {
    const merge_scratch::symbol& symbol = scratch.symbols[static_cast<std::size_t>(i)];
    out.push_back(symbol.id);
    i = symbol.next;
  }
}

}  // namespace assay::tokenizer
