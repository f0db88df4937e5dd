// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/kv/kv_cache.h"

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/telemetry/check.h"

namespace assay::kv {
namespace {

using telemetry::counter_id;

// Of a cache that shares nothing, whose pages therefore stay where they are.
class no_copier final : public page_copier {
 public:
  result<void> copy(void*, const void*, std::uint64_t, device::copy_direction) override {
    return ASSAY_FAIL(internal, "KV cache: a page wants to be copied, and nobody can");
  }
  result<void> wait() override { return {}; }
};

}  // namespace

kv_cache::kv_cache(page_store store, telemetry::counter_writer& counters)
    : store_(std::move(store)), counters_(&counters), slots_(store_.layout().capacity_pages) {
  counters_->set(counter_id::kv_capacity_pages, store_.layout().capacity_pages);
  publish();
}

result<kv_cache> kv_cache::create(memory::arena& from, telemetry::counter_writer& counters,
                                  const kv_layout& layout, std::uint32_t host_pages) {
  ASSAY_TRY_ASSIGN(page_store store, page_store::create(from, layout, host_pages));
  return kv_cache(std::move(store), counters);
}

result<std::span<const page_run>> kv_cache::extend(std::uint32_t tokens) {
  no_copier nobody;
  return extend(tokens, nobody);
}

result<std::span<const page_run>> kv_cache::extend(std::uint32_t tokens, page_copier& by) {
  const std::uint64_t total = std::uint64_t{cached_tokens()} + tokens;
  if (total > layout().context_tokens())
    return ASSAY_FAIL(unusable_input, "KV cache: " + std::to_string(total) + " tokens exceed the " +
                                          std::to_string(layout().context_tokens()) +
                                          " that its pages hold; load with a longer context");
  if (!open_) open_ = store_.admit();
  auto runs = store_.append(*open_, tokens, by);
  if (!runs && runs.error().kind == error_kind::out_of_memory && kept_) {
    forget();
    runs = store_.append(*open_, tokens, by);
  }
  // Also after a failure: to make room, pages may have moved.
  show_slots();
  publish();
  return runs;
}

std::uint32_t kv_cache::begin_with_kept(std::span<const std::int32_t> prompt) {
  ASSAY_CHECK(!open_, "a sequence is open");
  if (!kept_ || prompt.empty()) return 0;
  const std::size_t most = std::min(kept_ids_.size(), prompt.size() - 1);
  const auto differs = std::mismatch(
      prompt.begin(), prompt.begin() + static_cast<std::ptrdiff_t>(most), kept_ids_.begin());
  const auto common = static_cast<std::uint32_t>(differs.first - prompt.begin());
  if (common == 0) return 0;
  const auto forked = store_.fork(*kept_, common);
  ASSAY_CHECK(forked.has_value(), "the kept prefix holds each of its ids");
  open_ = *forked;
  counters_->add(counter_id::kv_reused_tokens, common);
  publish();
  return common;
}

void kv_cache::keep(std::span<const std::int32_t> ids) {
  ASSAY_CHECK(open_ && ids.size() <= cached_tokens(), "what is kept was cached");
  forget();
  const auto forked = store_.fork(*open_, static_cast<std::uint32_t>(ids.size()));
  ASSAY_CHECK(forked.has_value(), "an open sequence can be forked at any of its tokens");
  kept_ = *forked;
  kept_ids_.assign(ids.begin(), ids.end());
  publish();
}

void kv_cache::forget() {
  if (kept_) ASSAY_CHECK(store_.release(*kept_).has_value(), "what was kept is there");
  kept_.reset();
  kept_ids_.clear();
  publish();
}

void kv_cache::release() {
  if (open_) ASSAY_CHECK(store_.release(*open_).has_value(), "an open sequence is there");
  open_.reset();
  publish();
}

void kv_cache::show_slots() {
  const block_table& shown = opened();
  for (std::size_t i = 0; i < shown.pages.size(); ++i)
    slots_[i] = store_.pages().place_of(shown.pages[i]).slot;
}

void kv_cache::publish() {
  const page_gauges level = store_.gauges();
  counters_->set(counter_id::kv_live_pages, static_cast<std::int64_t>(level.live_pages));
  counters_->set(counter_id::kv_shared_pages, static_cast<std::int64_t>(level.shared_pages));
  const page_tally now = store_.tally();
  const auto add = [&](counter_id id, std::uint64_t page_tally::*part) {
    counters_->add(id, static_cast<std::int64_t>(now.*part - published_.*part));
  };
  add(counter_id::kv_allocated_pages, &page_tally::allocated_pages);
  add(counter_id::kv_freed_pages, &page_tally::freed_pages);
  add(counter_id::kv_copied_pages, &page_tally::copied_pages);
  add(counter_id::kv_copy_bytes, &page_tally::copy_bytes);
  add(counter_id::kv_copy_copies_count, &page_tally::copy_copies);
  add(counter_id::kv_spilled_pages, &page_tally::spilled_pages);
  add(counter_id::kv_spill_bytes, &page_tally::spill_bytes);
  add(counter_id::kv_spill_copies_count, &page_tally::spill_copies);
  add(counter_id::kv_filled_pages, &page_tally::filled_pages);
  add(counter_id::kv_fill_bytes, &page_tally::fill_bytes);
  add(counter_id::kv_fill_copies_count, &page_tally::fill_copies);
  counters_->add(counter_id::kv_reused_tokens, 0);
  published_ = now;
}

std::uint32_t kv_cache::live_pages_by_walk() const {
  return store_.pages().memory(residence::device).live_slots_by_walk() +
         store_.pages().memory(residence::host).live_slots_by_walk();
}

std::uint32_t kv_cache::shared_pages_by_walk() const {
  const auto walked = store_.walk();
  ASSAY_CHECK(walked.has_value(), "tables, pages and slots contradict each other");
  return static_cast<std::uint32_t>(walked->shared_pages);
}

std::byte* kv_cache::layer(std::uint32_t index) const {
  return store_.pages().memory(residence::device).part(index, 0);
}

}  // namespace assay::kv
