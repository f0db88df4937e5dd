// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/kv/kv_cache.h"

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/telemetry/check.h"

namespace assay::kv {

using telemetry::counter_id;

kv_cache::kv_cache(memory::device_buffer buffer, telemetry::counter_writer& counters,
                   const kv_layout& layout)
    : buffer_(std::move(buffer)),
      counters_(&counters),
      layout_(layout),
      pool_(layout.capacity_pages),
      table_(layout.capacity_pages) {
  counters_->set(counter_id::kv_capacity_pages, layout.capacity_pages);
  counters_->set(counter_id::kv_live_pages, 0);
  counters_->add(counter_id::kv_allocated_pages, 0);
  counters_->add(counter_id::kv_freed_pages, 0);
}

result<kv_cache> kv_cache::create(memory::arena& from, telemetry::counter_writer& counters,
                                  const kv_layout& layout) {
  ASSAY_TRY_ASSIGN(memory::device_buffer buffer, from.allocate(layout.total_bytes()));
  return kv_cache(std::move(buffer), counters, layout);
}

result<const std::vector<page_run>*> kv_cache::extend(std::uint32_t tokens) {
  const std::uint64_t total = std::uint64_t{cached_tokens_} + tokens;
  const std::uint32_t needed = pages_for(total, layout_.page_tokens);
  if (needed > layout_.capacity_pages)
    return ASSAY_FAIL(unusable_input, "KV cache: " + std::to_string(total) + " tokens exceed the " +
                                          std::to_string(layout_.context_tokens()) +
                                          " that its pages hold; load with a longer context");
  const std::uint32_t taken = needed - held_pages_;
  while (held_pages_ < needed) {
    const auto page = pool_.take();
    ASSAY_CHECK(page.has_value(), "a pool with room for the sequence has no page");
    table_[held_pages_++] = *page;
  }
  counters_->add(counter_id::kv_allocated_pages, taken);
  counters_->set(counter_id::kv_live_pages, pool_.live_pages());
  runs_.clear();
  for (std::uint32_t done = 0; done < tokens;) {
    const std::uint32_t position = cached_tokens_ + done;
    const std::uint32_t slot = position % layout_.page_tokens;
    const std::uint32_t fits = std::min(tokens - done, layout_.page_tokens - slot);
    runs_.push_back({table_[position / layout_.page_tokens], slot, done, fits});
    done += fits;
  }
  cached_tokens_ += tokens;
  return &runs_;
}

void kv_cache::release() {
  for (std::uint32_t i = 0; i < held_pages_; ++i) pool_.give_back(table_[i]);
  counters_->add(counter_id::kv_freed_pages, held_pages_);
  counters_->set(counter_id::kv_live_pages, pool_.live_pages());
  held_pages_ = 0;
  cached_tokens_ = 0;
}

std::byte* kv_cache::layer(std::uint32_t index) const {
  return buffer_.address() + index * layout_.layer_bytes();
}

}  // namespace assay::kv
