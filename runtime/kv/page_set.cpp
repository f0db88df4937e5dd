// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/kv/page_set.h"

#include <utility>

#include "runtime/telemetry/check.h"

namespace assay::kv {
namespace {

error broken(page_id page, const std::string& what) {
  return {error_kind::internal, "KV page " + std::to_string(page) + ": " + what, __FILE__,
          __LINE__};
}

}  // namespace

page_set::page_set(page_memory device, page_memory host)
    : device_(std::move(device)), host_(std::move(host)) {
  const std::uint32_t most = device_.capacity_slots() + host_.capacity_slots();
  entries_.resize(most);
  free_names_.reserve(most);
  for (page_id page = most; page > 0; --page) free_names_.push_back(page - 1);
}

void page_set::count_place(residence where, bool is_taken) {
  std::uint64_t& pages = where == residence::device ? kept_.device_pages : kept_.host_pages;
  std::uint64_t& bytes = where == residence::device ? kept_.device_bytes : kept_.host_bytes;
  const std::uint64_t page_bytes = memory(where).layout().whole_page_bytes();
  pages = is_taken ? pages + 1 : pages - 1;
  bytes = is_taken ? bytes + page_bytes : bytes - page_bytes;
}

std::optional<page_id> page_set::take() {
  const std::optional<std::uint32_t> slot = device_.take();
  if (!slot) return std::nullopt;
  ASSAY_CHECK(!free_names_.empty(), "there are as many names as slots, and a slot was free");
  const page_id page = free_names_.back();
  free_names_.pop_back();
  entries_[page] = {{residence::device, *slot}, 1};
  ++kept_.held_entries;
  ++kept_.live_pages;
  ++tally_.allocated_pages;
  count_place(residence::device, true);
  return page;
}

void page_set::hold(page_id page) {
  entry& at = entries_[page];
  ASSAY_CHECK(at.holders > 0, "a page that nobody holds has gone already");
  ++kept_.held_entries;
  if (++at.holders == 2) ++kept_.shared_pages;
}

void page_set::drop(page_id page) {
  entry& at = entries_[page];
  ASSAY_CHECK(at.holders > 0, "a page was dropped more often than held");
  --kept_.held_entries;
  --at.holders;
  if (at.holders == 1) --kept_.shared_pages;
  if (at.holders > 0) return;
  --kept_.live_pages;
  ++tally_.freed_pages;
  count_place(at.place.where, false);
  memory(at.place.where).give_back(at.place.slot);
  free_names_.push_back(page);
}

void page_set::move(page_id page, residence to, std::uint32_t slot) {
  entry& at = entries_[page];
  count_place(at.place.where, false);
  memory(at.place.where).give_back(at.place.slot);
  at.place = {to, slot};
  count_place(to, true);
  ++(to == residence::host ? tally_.spilled_pages : tally_.filled_pages);
}

page_gauges page_set::gauges() const {
  page_gauges all = kept_;
  all.free_device_pages = device_.free_slots();
  all.free_host_pages = host_.free_slots();
  all.set_apart_pages = device_.set_apart_slots() + host_.set_apart_slots();
  return all;
}

result<page_gauges> page_set::walk(const std::vector<std::uint32_t>& holders) const {
  page_gauges seen;
  std::vector<bool> used[2]{device_.idle_by_walk(), host_.idle_by_walk()};
  for (page_id page = 0; page < entries_.size(); ++page) {
    const entry& at = entries_[page];
    if (at.holders != holders[page])
      return failure(broken(page, std::to_string(holders[page]) + " tables hold it, " +
                                      std::to_string(at.holders) + " were counted"));
    if (holders[page] == 0) continue;
    const bool is_device = at.place.where == residence::device;
    std::vector<bool>& slots = used[is_device ? 0 : 1];
    if (slots[at.place.slot])
      return failure(broken(page, "its slot is free, or another page's as well"));
    slots[at.place.slot] = true;
    seen.held_entries += holders[page];
    seen.shared_pages += holders[page] > 1 ? 1 : 0;
    ++(is_device ? seen.device_pages : seen.host_pages);
  }
  seen.live_pages = seen.device_pages + seen.host_pages;
  seen.device_bytes = seen.device_pages * device_.layout().whole_page_bytes();
  seen.host_bytes = seen.host_pages * host_.layout().whole_page_bytes();
  seen.set_apart_pages = device_.set_apart_slots() + host_.set_apart_slots();
  // By the lists, not by the pages: a slot that neither a page nor a list knows has leaked.
  const auto idle = [](const page_memory& of) {
    return of.capacity_slots() - of.live_slots_by_walk() - of.set_apart_slots();
  };
  seen.free_device_pages = idle(device_);
  seen.free_host_pages = idle(host_);
  const std::uint64_t slots = std::uint64_t{device_.capacity_slots()} + host_.capacity_slots();
  const std::uint64_t found =
      seen.live_pages + seen.free_device_pages + seen.free_host_pages + seen.set_apart_pages;
  if (found != slots)
    return ASSAY_FAIL(internal, "KV pages: " + std::to_string(slots) + " slots, " +
                                    std::to_string(found) + " of them live, free or set apart");
  return seen;
}

std::string to_string(const page_gauges& g) {
  const auto part = [](const char* name, std::uint64_t value) {
    return std::string(name) + " " + std::to_string(value);
  };
  return part("entries", g.held_entries) + part(", live", g.live_pages) +
         part(", shared", g.shared_pages) + part(", device", g.device_pages) +
         part(", host", g.host_pages) + part(", device bytes", g.device_bytes) +
         part(", host bytes", g.host_bytes) + part(", free on device", g.free_device_pages) +
         part(", free on host", g.free_host_pages) + part(", set apart", g.set_apart_pages);
}

}  // namespace assay::kv
