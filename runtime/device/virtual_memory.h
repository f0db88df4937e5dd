// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Addresses and the memory behind them, apart: what a stable_range is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "runtime/telemetry/result.h"

namespace assay::device {

class virtual_memory;

/// Memory without an address, as large as a page of its virtual_memory. It may be mapped at several
/// addresses, which are then aliases of each other; it goes with its last owner, and mappings own.
class physical_page {
 public:
  physical_page(std::shared_ptr<virtual_memory> from, std::uint64_t handle)
      : from_(std::move(from)), handle_(handle) {}
  ~physical_page();
  physical_page(const physical_page&) = delete;
  physical_page& operator=(const physical_page&) = delete;

  std::uint64_t handle() const { return handle_; }
  const virtual_memory* from() const { return from_.get(); }

 private:
  std::shared_ptr<virtual_memory> from_;
  std::uint64_t handle_;
};

using page_pointer = std::shared_ptr<physical_page>;

/// Reserves addresses, makes pages, and maps the ones at the others.
/// An address that is reserved and not mapped faults when it is touched, on a GPU as well.
/// Units: every address is a multiple of page_bytes(), every size as well.
/// Errors: out_of_memory: no memory or no addresses are left, or the limit is reached; the
/// system's or the driver's own, named by its call.
/// Ownership: pages and ranges keep it alive. Threads: as the maker says.
class virtual_memory : public std::enable_shared_from_this<virtual_memory> {
 public:
  virtual ~virtual_memory() = default;
  virtual_memory(const virtual_memory&) = delete;
  virtual_memory& operator=(const virtual_memory&) = delete;

  std::uint64_t page_bytes() const { return page_bytes_; }
  /// Of all pages that are alive, mapped or not.
  std::uint64_t live_bytes() const { return live_bytes_; }

  /// Errors: out_of_memory, naming limit, what is live and what was asked.
  result<page_pointer> create_page();

  virtual result<std::byte*> reserve(std::uint64_t bytes) = 0;
  /// Nothing is mapped there any more.
  virtual void give_back(std::byte* at, std::uint64_t bytes) noexcept = 0;
  /// For reading and writing. Nothing is mapped there.
  virtual result<void> map(std::byte* at, const physical_page& what) = 0;
  virtual result<void> unmap(std::byte* at) = 0;

 protected:
  virtual_memory(std::uint64_t page_bytes, std::uint64_t limit_bytes)
      : page_bytes_(page_bytes), limit_bytes_(limit_bytes) {}

 private:
  friend class physical_page;
  virtual result<std::uint64_t> create_handle() = 0;
  virtual void destroy_handle(std::uint64_t handle) noexcept = 0;

  std::uint64_t page_bytes_;
  std::uint64_t limit_bytes_;
  std::uint64_t live_bytes_ = 0;
};

}  // namespace assay::device
