// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/stable_range.h"

#include <limits>
#include <string>
#include <utility>

namespace assay::device {

result<std::unique_ptr<stable_range>> stable_range::reserve(device& on,
                                                            std::shared_ptr<virtual_memory> of,
                                                            std::uint64_t bytes) {
  const std::uint64_t page_bytes = of->page_bytes();
  const std::uint64_t most_bytes = page_bytes * std::numeric_limits<std::uint32_t>::max();
  if (bytes == 0 || bytes > most_bytes)
    return ASSAY_FAIL(usage, "stable range of " + std::to_string(bytes) + " bytes: ask for 1 to " +
                                 std::to_string(most_bytes));
  const std::uint64_t pages = (bytes + page_bytes - 1) / page_bytes;
  ASSAY_TRY_ASSIGN(std::byte * base, of->reserve(pages * page_bytes));
  return std::unique_ptr<stable_range>(
      new stable_range(on, std::move(of), base, static_cast<std::uint32_t>(pages)));
}

stable_range::stable_range(device& on, std::shared_ptr<virtual_memory> of, std::byte* base,
                           std::uint32_t pages)
    : device_(on), memory_(std::move(of)), base_(base), pages_(pages) {}

stable_range::~stable_range() {
  // Where a wait fails the device is lost, and nothing runs on it any more.
  (void)wait_for_uses();
  for (std::uint32_t page = 0; page < pages_.size(); ++page)
    if (pages_[page]) (void)memory_->unmap(address_of(page));
  memory_->give_back(base_, pages_.size() * page_bytes());
}

page_pointer stable_range::page_at(std::uint32_t page) const {
  return page < pages_.size() ? pages_[page] : nullptr;
}

result<void> stable_range::check(std::uint32_t page, bool is_mapped, const char* call) const {
  const std::string what =
      "stable range: " + std::string(call) + " of page " + std::to_string(page);
  if (page >= pages_.size())
    return ASSAY_FAIL(
        usage, what + ", but it has " + std::to_string(pages_.size()) + "; reserve a longer one");
  if ((pages_[page] != nullptr) == is_mapped) return {};
  return ASSAY_FAIL(usage, what + (is_mapped ? ", which is not mapped; map it first"
                                             : ", which is mapped; unmap or remap it"));
}

result<void> stable_range::map(std::uint32_t page, page_pointer what) {
  ASSAY_TRY(check(page, false, "map"));
  if (what == nullptr || what->from() != memory_.get())
    return ASSAY_FAIL(usage, "stable range: map of page " + std::to_string(page) +
                                 " to memory that is not its own; take it from create_page");
  ASSAY_TRY(memory_->map(address_of(page), *what));
  pages_[page] = std::move(what);
  ++tally_.maps;
  return {};
}

result<page_pointer> stable_range::unmap(std::uint32_t page) {
  ASSAY_TRY(check(page, true, "unmap"));
  ASSAY_TRY(wait_for_uses());
  ASSAY_TRY(memory_->unmap(address_of(page)));
  ++tally_.unmaps;
  return std::exchange(pages_[page], nullptr);
}

result<page_pointer> stable_range::remap(std::uint32_t page, page_pointer to) {
  ASSAY_TRY_ASSIGN(page_pointer before, unmap(page));
  if (auto mapped = map(page, std::move(to)); !mapped) {
    if (auto again = map(page, std::move(before)); !again)
      return ASSAY_FAIL(internal, mapped.error().message +
                                      "; and the page before could not be mapped again: " +
                                      again.error().message);
    return failure(std::move(mapped).error());
  }
  return before;
}

result<void> stable_range::grow(std::uint32_t pages) {
  std::uint32_t first = page_count();
  while (first > 0 && pages_[first - 1] == nullptr) --first;
  if (pages > page_count() - first)
    return ASSAY_FAIL(usage, "stable range: growth by " + std::to_string(pages) + " pages, but " +
                                 std::to_string(page_count() - first) + " of " +
                                 std::to_string(page_count()) +
                                 " are left behind the last one; reserve a longer one");
  for (std::uint32_t done = 0; done < pages; ++done) {
    auto fresh = memory_->create_page();
    auto mapped = fresh ? map(first + done, *std::move(fresh))
                        : result<void>(failure(std::move(fresh).error()));
    if (mapped) continue;
    // Nobody can have used them yet.
    while (done-- > 0) ASSAY_TRY(unmap(first + done));
    return mapped;
  }
  return {};
}

result<void> stable_range::note_use(stream by) {
  auto found = uses_.find(by.index);
  if (found == uses_.end()) {
    ASSAY_TRY_ASSIGN(const event made, device_.create_event());
    found = uses_.emplace(by.index, use{made, false}).first;
  }
  ASSAY_TRY(device_.record_event(by, found->second.last));
  found->second.is_open = true;
  return {};
}

result<void> stable_range::wait_for_uses() {
  bool has_waited = false;
  for (auto& [index, each] : uses_) {
    if (!each.is_open) continue;
    ASSAY_TRY_ASSIGN(const bool is_over, device_.is_reached(each.last));
    if (!is_over) {
      ASSAY_TRY(device_.synchronize(stream{index}));
      has_waited = true;
    }
    each.is_open = false;
  }
  if (has_waited) ++tally_.waits;
  return {};
}

}  // namespace assay::device
