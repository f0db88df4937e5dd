// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Sequences and their tables. What moves pages stands in page_store_move.cpp.
#include "runtime/kv/page_store.h"

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/telemetry/check.h"

namespace assay::kv {

result<page_store> page_store::create(memory::arena& from, const kv_layout& device,
                                      std::uint32_t host_pages) {
  kv_layout host = device;
  host.capacity_pages = host_pages;
  ASSAY_TRY_ASSIGN(page_memory there, page_memory::on_device(from, device));
  ASSAY_TRY_ASSIGN(page_memory here, page_memory::on_host(host));
  return page_store(page_set(std::move(there), std::move(here)));
}

result<block_table*> page_store::find(sequence which) {
  const auto found = tables_.find(which);
  if (found == tables_.end())
    return ASSAY_FAIL(usage, "KV sequence " + std::to_string(which.number) +
                                 " does not exist; admit or fork one, and release it once");
  return &found->second;
}

sequence page_store::admit(std::uint32_t window_tokens) {
  const sequence made{sequences_++};
  block_table& table = tables_[made];
  table.window_tokens = window_tokens;
  if (window_tokens > 0) table.ring_pages = ring_pages_for(window_tokens, layout().page_tokens);
  table.last_use = ++uses_;
  return made;
}

result<sequence> page_store::fork(sequence of, std::uint32_t tokens) {
  ASSAY_TRY_ASSIGN(const block_table* from, find(of));
  if (tokens > from->tokens || (from->ring_pages != 0 && tokens != from->tokens))
    return ASSAY_FAIL(usage, "KV sequence " + std::to_string(of.number) + ": its first " +
                                 std::to_string(tokens) + " of " + std::to_string(from->tokens) +
                                 " tokens cannot be shared; fork " +
                                 (from->ring_pages != 0 ? "a windowed one at its end" : "fewer"));
  block_table shared = *from;
  shared.tokens = tokens;
  shared.last_use = ++uses_;
  if (shared.ring_pages == 0) shared.pages.resize(pages_for(tokens, layout().page_tokens));
  for (const page_id page : shared.pages) pages_.hold(page);
  const sequence made{sequences_++};
  tables_.emplace(made, std::move(shared));
  return made;
}

result<void> page_store::release(sequence which) {
  ASSAY_TRY_ASSIGN(const block_table* gone, find(which));
  for (const page_id page : gone->pages) pages_.drop(page);
  tables_.erase(which);
  return {};
}

result<std::span<const page_run>> page_store::append(sequence to, std::uint32_t tokens,
                                                     page_copier& by) {
  ASSAY_TRY_ASSIGN(block_table * table, find(to));
  if (table->ring_pages != 0 && tokens > table->window_tokens)
    return ASSAY_FAIL(usage, "KV sequence " + std::to_string(to.number) + ": " +
                                 std::to_string(tokens) +
                                 " tokens at once do not fit its window of " +
                                 std::to_string(table->window_tokens) + "; append fewer");
  const std::uint32_t page_tokens = layout().page_tokens;
  const std::uint32_t end = pages_for(std::uint64_t{table->tokens} + tokens, page_tokens);
  renewals_.clear();
  if (tokens > 0 && table->tokens % page_tokens != 0) {
    const std::uint32_t last = table->entry_of(table->tokens / page_tokens);
    if (pages_.holders_of(table->pages[last]) > 1) renewals_.push_back({last, true, 0});
  }
  for (std::uint32_t i = pages_for(table->tokens, page_tokens); i < end; ++i) {
    const std::uint32_t entry = table->entry_of(i);
    // A ring comes back to a page whose tokens have left the window. Nobody else reads it: it is
    // written over where it lies.
    if (entry < table->pages.size() && pages_.holders_of(table->pages[entry]) == 1) continue;
    renewals_.push_back({entry, false, 0});
  }
  ASSAY_TRY(settle(*table, static_cast<std::uint32_t>(renewals_.size()), by));
  ASSAY_TRY(renew(*table, by));
  const std::uint32_t first = table->tokens;
  table->tokens += tokens;
  return runs_of(*table, first, tokens);
}

result<std::span<const page_run>> page_store::write(sequence to, std::uint32_t first,
                                                    std::uint32_t tokens, page_copier& by) {
  ASSAY_TRY_ASSIGN(block_table * table, find(to));
  if (first < table->first_token() || std::uint64_t{first} + tokens > table->tokens)
    return ASSAY_FAIL(
        usage, "KV sequence " + std::to_string(to.number) + ": positions " + std::to_string(first) +
                   " … " + std::to_string(std::uint64_t{first} + tokens) +
                   " are not all held; it holds " + std::to_string(table->first_token()) + " … " +
                   std::to_string(table->tokens));
  const std::uint32_t page_tokens = layout().page_tokens;
  renewals_.clear();
  if (tokens > 0)
    for (std::uint32_t i = first / page_tokens; i <= (first + tokens - 1) / page_tokens; ++i) {
      const std::uint32_t entry = table->entry_of(i);
      if (pages_.holders_of(table->pages[entry]) > 1) renewals_.push_back({entry, true, 0});
    }
  ASSAY_TRY(settle(*table, static_cast<std::uint32_t>(renewals_.size()), by));
  ASSAY_TRY(renew(*table, by));
  return runs_of(*table, first, tokens);
}

result<void> page_store::settle(block_table& table, std::uint32_t needed, page_copier& by) {
  std::vector<page_id> away;
  for (const page_id page : table.pages)
    if (pages_.place_of(page).where == residence::host) away.push_back(page);
  ASSAY_TRY(make_room(table, static_cast<std::uint32_t>(away.size()) + needed, by));
  ASSAY_TRY(move(away, residence::device, by));
  table.last_use = ++uses_;
  return {};
}

// Takes every page before it copies, and changes the table when all copies are on their way: until
// then there is nothing to undo but the pages taken.
result<void> page_store::renew(block_table& table, page_copier& by) {
  for (renewal& each : renewals_) {
    const auto page = pages_.take();
    ASSAY_CHECK(page.has_value(), "room was made for every page");
    each.page = *page;
  }
  for (const renewal& each : renewals_) {
    if (!each.is_copy) continue;
    if (auto copied = copy_shared(table, each, by); !copied) {
      for (const renewal& taken : renewals_) pages_.drop(taken.page);
      return copied;
    }
  }
  for (const renewal& each : renewals_) {
    if (each.is_copy) ++copied_.copied_pages;
    if (each.entry == table.pages.size()) {
      table.pages.push_back(each.page);
    } else {
      pages_.drop(table.pages[each.entry]);
      table.pages[each.entry] = each.page;
    }
  }
  return {};
}

result<void> page_store::copy_shared(const block_table& table, const renewal& what,
                                     page_copier& by) {
  for (std::uint32_t layer = 0; layer < layout().layers; ++layer) {
    ASSAY_TRY(by.copy(pages_.part(what.page, layer), pages_.part(table.pages[what.entry], layer),
                      layout().page_bytes(), device::copy_direction::d2d));
    copied_.copy_bytes += layout().page_bytes();
    ++copied_.copy_copies;
  }
  return {};
}

std::span<const page_run> page_store::runs_of(const block_table& table, std::uint32_t first,
                                              std::uint32_t tokens) {
  const std::uint32_t page_tokens = layout().page_tokens;
  runs_.clear();
  for (std::uint32_t done = 0; done < tokens;) {
    const std::uint32_t position = first + done;
    const std::uint32_t slot = position % page_tokens;
    const std::uint32_t fits = std::min(tokens - done, page_tokens - slot);
    const page_id page = table.pages[table.entry_of(position / page_tokens)];
    runs_.push_back({pages_.place_of(page).slot, slot, done, fits});
    done += fits;
  }
  return runs_;
}

page_tally page_store::tally() const {
  page_tally all = pages_.tally();
  all.copied_pages = copied_.copied_pages;
  all.copy_bytes = copied_.copy_bytes;
  all.copy_copies = copied_.copy_copies;
  all.spill_bytes = copied_.spill_bytes;
  all.fill_bytes = copied_.fill_bytes;
  all.spill_copies = copied_.spill_copies;
  all.fill_copies = copied_.fill_copies;
  return all;
}

result<page_gauges> page_store::walk() const {
  std::vector<std::uint32_t> holders(pages_.names(), 0);
  for (const auto& [which, table] : tables_)
    for (const page_id page : table.pages) ++holders[page];
  return pages_.walk(holders);
}

result<void> page_store::check() const {
  ASSAY_TRY_ASSIGN(const page_gauges walked, walk());
  if (walked == gauges()) return {};
  return ASSAY_FAIL(
      internal, "KV gauges say: " + to_string(gauges()) + "; a walk counts: " + to_string(walked));
}

}  // namespace assay::kv
