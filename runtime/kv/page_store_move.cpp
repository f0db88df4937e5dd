// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Pages between the device's memory and the host's.
#include <algorithm>
#include <string>
#include <utility>

#include "runtime/kv/page_store.h"

namespace assay::kv {

result<void> page_store::migrate(sequence which, residence to, page_copier& by) {
  ASSAY_TRY_ASSIGN(block_table * table, find(which));
  if (to == residence::device) return settle(*table, 0, by);
  std::vector<page_id> here;
  for (const page_id page : table->pages)
    if (pages_.place_of(page).where != to) here.push_back(page);
  return move(here, to, by);
}

// Of the sequences by their last use, the oldest first: pages on the device that `keep` does not
// hold, as many as are needed and no more.
std::vector<page_id> page_store::victims(const block_table& keep, std::uint32_t pages) const {
  std::vector<bool> is_spared(pages_.names(), false);
  for (const page_id page : keep.pages) is_spared[page] = true;
  std::vector<const block_table*> by_age;
  for (const auto& [which, table] : tables_) by_age.push_back(&table);
  std::sort(by_age.begin(), by_age.end(),
            [](const block_table* a, const block_table* b) { return a->last_use < b->last_use; });
  std::vector<page_id> found;
  for (const block_table* table : by_age)
    for (const page_id page : table->pages) {
      if (found.size() == pages) return found;
      if (is_spared[page] || pages_.place_of(page).where == residence::host) continue;
      is_spared[page] = true;  // once, whoever else holds it
      found.push_back(page);
    }
  return found;
}

result<void> page_store::make_room(const block_table& keep, std::uint32_t pages, page_copier& by) {
  const page_memory& device = pages_.memory(residence::device);
  if (pages <= device.free_slots()) return {};
  const std::uint32_t lacking = pages - device.free_slots();
  const std::vector<page_id> leaving = victims(keep, lacking);
  const page_memory& host = pages_.memory(residence::host);
  if (leaving.size() < lacking || host.free_slots() < lacking)
    return ASSAY_FAIL(
        out_of_memory,
        "KV pages: " + std::to_string(pages) + " asked, " + std::to_string(device.free_slots()) +
            " of " + std::to_string(device.capacity_slots()) + " free on the device, " +
            std::to_string(leaving.size()) + " could leave it, " +
            std::to_string(host.free_slots()) + " of " + std::to_string(host.capacity_slots()) +
            " free on the host; release a sequence or give the cache more pages");
  return move(leaving, residence::host, by);
}

result<void> page_store::move(const std::vector<page_id>& pages, residence to, page_copier& by) {
  if (pages.empty()) return {};
  page_memory& target = pages_.memory(to);
  if (target.free_slots() < pages.size())
    return ASSAY_FAIL(out_of_memory, "KV pages: " + std::to_string(pages.size()) + " to move, " +
                                         std::to_string(target.free_slots()) + " of " +
                                         std::to_string(target.capacity_slots()) + " free on the " +
                                         std::string(to_string(to)) +
                                         "; release a sequence or give it more pages");
  std::vector<std::uint32_t> slots;
  for (std::size_t i = 0; i < pages.size(); ++i) slots.push_back(*target.take());
  const auto submitted = submit_move(pages, to, slots, by);
  // Also where a copy was refused: those before it are writing to the slots.
  const auto waited = by.wait();
  if (!waited) {
    for (const std::uint32_t slot : slots) target.set_apart(slot);
    return waited;
  }
  pages_.memory(residence::device).give_back_set_apart();
  pages_.memory(residence::host).give_back_set_apart();
  if (!submitted) {
    for (const std::uint32_t slot : slots) target.give_back(slot);
    return submitted;
  }
  for (std::size_t i = 0; i < pages.size(); ++i) pages_.move(pages[i], to, slots[i]);
  return {};
}

result<void> page_store::submit_move(const std::vector<page_id>& pages, residence to,
                                     const std::vector<std::uint32_t>& slots, page_copier& by) {
  const bool is_spill = to == residence::host;
  const auto direction = is_spill ? device::copy_direction::d2h : device::copy_direction::h2d;
  const page_memory& target = pages_.memory(to);
  std::uint64_t& bytes = is_spill ? copied_.spill_bytes : copied_.fill_bytes;
  std::uint64_t& copies = is_spill ? copied_.spill_copies : copied_.fill_copies;
  for (std::size_t i = 0; i < pages.size(); ++i)
    for (std::uint32_t layer = 0; layer < layout().layers; ++layer) {
      ASSAY_TRY(by.copy(target.part(layer, slots[i]), pages_.part(pages[i], layer),
                        layout().page_bytes(), direction));
      bytes += layout().page_bytes();
      ++copies;
    }
  return {};
}

}  // namespace assay::kv
