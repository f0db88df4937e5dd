// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/kv/page_memory.h"

#include <new>
#include <string>
#include <utility>

#include "runtime/telemetry/check.h"

namespace assay::kv {

page_memory::page_memory(residence where, const kv_layout& layout, memory::device_buffer device,
                         std::unique_ptr<std::byte[]> host)
    : where_(where),
      layout_(layout),
      device_(std::move(device)),
      host_(std::move(host)),
      base_(where == residence::device ? device_.address() : host_.get()) {
  free_.reserve(layout.capacity_pages);
  for (std::uint32_t slot = layout.capacity_pages; slot > 0; --slot) free_.push_back(slot - 1);
}

result<page_memory> page_memory::on_device(memory::arena& from, const kv_layout& layout) {
  ASSAY_TRY_ASSIGN(memory::device_buffer buffer, from.allocate(layout.total_bytes()));
  return page_memory(residence::device, layout, std::move(buffer), nullptr);
}

result<page_memory> page_memory::on_host(const kv_layout& layout) {
  std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[layout.total_bytes()]);
  if (memory == nullptr)
    return ASSAY_FAIL(out_of_memory, "KV pages on the host: the system gives no " +
                                         std::to_string(layout.total_bytes()) +
                                         " bytes; ask for fewer pages");
  return page_memory(residence::host, layout, {}, std::move(memory));
}

std::optional<std::uint32_t> page_memory::take() {
  if (free_.empty()) return std::nullopt;
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  return slot;
}

void page_memory::give_back(std::uint32_t slot) {
  ASSAY_CHECK(slot < capacity_slots(), "a slot that the memory never gave");
  free_.push_back(slot);
}

void page_memory::set_apart(std::uint32_t slot) {
  ASSAY_CHECK(slot < capacity_slots(), "a slot that the memory never gave");
  set_apart_.push_back(slot);
}

void page_memory::give_back_set_apart() {
  free_.insert(free_.end(), set_apart_.begin(), set_apart_.end());
  set_apart_.clear();
}

std::vector<bool> page_memory::idle_by_walk() const {
  std::vector<bool> is_idle(capacity_slots(), false);
  for (const std::uint32_t slot : free_) is_idle[slot] = true;
  for (const std::uint32_t slot : set_apart_) is_idle[slot] = true;
  return is_idle;
}

std::uint32_t page_memory::live_slots_by_walk() const {
  std::uint32_t live = 0;
  for (const bool is_idle : idle_by_walk()) live += is_idle ? 0 : 1;
  return live;
}

}  // namespace assay::kv
