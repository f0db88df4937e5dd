// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Slots for pages in one memory, a device's or the host's, and which of them are free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "runtime/kv/kv_layout.h"
#include "runtime/memory/arena.h"
#include "runtime/telemetry/result.h"

namespace assay::kv {

enum class residence : std::uint8_t { device, host };

constexpr std::string_view to_string(residence where) {
  return where == residence::device ? "device" : "host";
}

/// Slot numbers 0..capacity-1, each as large as a page; the lowest free one of a fresh memory is
/// taken first. A slot that a failed copy may still be writing is set apart until somebody has
/// waited for that copy.
/// Shapes: as kv_layout, whose capacity_pages is this memory's.
/// Ownership: its memory. Threads: one.
class page_memory {
 public:
  /// Errors: out_of_memory from the arena.
  static result<page_memory> on_device(memory::arena& from, const kv_layout& layout);
  /// Capacity may be 0: then it is always full. Errors: out_of_memory.
  static result<page_memory> on_host(const kv_layout& layout);

  /// A slot, or none where all are taken.
  std::optional<std::uint32_t> take();
  void give_back(std::uint32_t slot);
  /// In place of give_back.
  void set_apart(std::uint32_t slot);
  /// What was set apart is free again: every copy that was submitted has ended.
  void give_back_set_apart();

  /// First byte of a layer's part of a slot.
  std::byte* part(std::uint32_t layer, std::uint32_t slot) const {
    return base_ + layer * layout_.layer_bytes() + slot * layout_.page_bytes();
  }

  residence where() const { return where_; }
  const kv_layout& layout() const { return layout_; }
  std::uint32_t capacity_slots() const { return layout_.capacity_pages; }
  std::uint32_t free_slots() const { return static_cast<std::uint32_t>(free_.size()); }
  std::uint32_t set_apart_slots() const { return static_cast<std::uint32_t>(set_apart_.size()); }
  /// Counted afresh: slots that a walk of both lists does not meet. A slot that was given back
  /// twice is met once, so this differs from capacity - free - set apart where one was.
  std::uint32_t live_slots_by_walk() const;
  /// Which slots a walk of both lists meets, by slot.
  std::vector<bool> idle_by_walk() const;

 private:
  page_memory(residence where, const kv_layout& layout, memory::device_buffer device,
              std::unique_ptr<std::byte[]> host);

  residence where_;
  kv_layout layout_;
  memory::device_buffer device_;
  std::unique_ptr<std::byte[]> host_;
  std::byte* base_;
  std::vector<std::uint32_t> free_;  // taken from the back
  std::vector<std::uint32_t> set_apart_;
};

}  // namespace assay::kv
