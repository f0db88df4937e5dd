// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A range of addresses that stay while the memory behind them is exchanged: what a captured graph
// may keep pointers to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "runtime/device/device.h"
#include "runtime/device/virtual_memory.h"
#include "runtime/telemetry/result.h"

namespace assay::device {

/// What became of a range. Counts since it was reserved.
struct range_tally {
  std::uint64_t maps = 0;
  std::uint64_t unmaps = 0;
  std::uint64_t waits = 0;  ///< unmaps that found the last use still running
};

/// Pages 0..page_count()-1 at fixed addresses, each mapped to a physical page or to none.
/// Mapping is no operation of a stream: neither waits for it nor is waited for. So whoever enqueues
/// work that touches the range says so by note_use(), and no page leaves before that work is done.
/// What was never noted is not waited for.
/// Errors: usage, naming the page: outside the range, mapped already, not mapped, or a page of
/// another memory; out_of_memory; the memory's and the device's own.
/// Ownership: its mappings; the device outlives it. The destructor waits for the last use.
/// Threads: one.
class stable_range {
 public:
  /// Reserves `bytes` rounded up to whole pages, and maps none.
  static result<std::unique_ptr<stable_range>> reserve(device& on,
                                                       std::shared_ptr<virtual_memory> of,
                                                       std::uint64_t bytes);
  ~stable_range();
  stable_range(const stable_range&) = delete;
  stable_range& operator=(const stable_range&) = delete;

  std::byte* address() const { return base_; }
  std::byte* address_of(std::uint32_t page) const { return base_ + page * memory_->page_bytes(); }
  std::uint32_t page_count() const { return static_cast<std::uint32_t>(pages_.size()); }
  std::uint64_t page_bytes() const { return memory_->page_bytes(); }
  /// Null where none is mapped.
  page_pointer page_at(std::uint32_t page) const;
  virtual_memory& memory() { return *memory_; }

  result<void> map(std::uint32_t page, page_pointer what);
  /// Waits for the last use. The page that was mapped.
  result<page_pointer> unmap(std::uint32_t page);
  /// unmap() and map(): the address is never anybody else's in between. The page that was mapped
  /// before; where the new one cannot be mapped, it is again.
  result<page_pointer> remap(std::uint32_t page, page_pointer to);
  /// Maps `pages` fresh pages behind the last one that is mapped, all or none.
  result<void> grow(std::uint32_t pages);

  /// What was enqueued on the stream until now may touch any page of the range.
  result<void> note_use(stream by);

  const range_tally& tally() const { return tally_; }

 private:
  stable_range(device& on, std::shared_ptr<virtual_memory> of, std::byte* base,
               std::uint32_t pages);
  result<void> check(std::uint32_t page, bool is_mapped, const char* call) const;
  result<void> wait_for_uses();

  struct use {
    event last;
    bool is_open = false;  ///< not known to be over
  };

  device& device_;
  std::shared_ptr<virtual_memory> memory_;
  std::byte* base_;
  std::vector<page_pointer> pages_;
  std::map<std::uint32_t, use> uses_;  // by stream
  range_tally tally_;
};

}  // namespace assay::device
