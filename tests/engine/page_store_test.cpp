// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a page that two sequences share could be written under one of them, a page that
// failed to move could be lost, and a gauge could drift from what is held: for thousands of steps
// nobody would notice.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/kv/page_store.h"
#include "tests/engine/running_engine.h"

namespace assay::kv {
namespace {

using engine_test::expect;

constexpr std::uint32_t layers = 2;
constexpr std::uint32_t page_tokens = 4;
constexpr kv_layout small_pages{layers, 1, 2, page_tokens, 0};  // 8 bytes of keys a token and layer

/// Copies at once; refuses the copy or the wait that it is told to.
class counting_copier final : public page_copier {
 public:
  result<void> copy(void* destination, const void* source, std::uint64_t bytes,
                    device::copy_direction) override {
    if (copies_before_refusal-- == 0) return ASSAY_FAIL(unavailable, "injected: copy");
    std::memcpy(destination, source, bytes);
    ++copies;
    return {};
  }
  result<void> wait() override {
    if (is_wait_refused) return ASSAY_FAIL(unavailable, "injected: wait");
    return {};
  }
  std::int64_t copies_before_refusal = -1;
  bool is_wait_refused = false;
  std::uint64_t copies = 0;
};

/// Keys and values of one token, of every layer.
using token_content = std::array<std::uint64_t, 2 * layers>;

class Store : public testing::Test {
 protected:
  Store() : Store(8, 8) {}
  Store(std::uint32_t device_pages, std::uint32_t host_pages) {
    kv_layout layout = small_pages;
    layout.capacity_pages = device_pages;
    store_.emplace(expect(page_store::create(*arena_, layout, host_pages)));
  }

  std::byte* at(sequence of, std::uint32_t position, std::uint32_t layer, bool is_value) {
    const block_table& table = store_->table(of);
    const page_id page = table.pages[table.entry_of(position / page_tokens)];
    return store_->pages().part(page, layer) + (is_value ? page_tokens * 8 : 0) +
           position % page_tokens * 8;
  }
  token_content read(sequence of, std::uint32_t position) {
    token_content content{};
    for (std::uint32_t i = 0; i < content.size(); ++i)
      std::memcpy(&content[i], at(of, position, i / 2, i % 2 == 1), 8);
    return content;
  }
  /// As an engine does: to where the runs say, and nowhere else.
  void fill(std::span<const page_run> runs, std::span<const token_content> contents) {
    const page_memory& device = store_->pages().memory(residence::device);
    for (const page_run& run : runs)
      for (std::uint32_t t = 0; t < run.tokens; ++t)
        for (std::uint32_t i = 0; i < 2 * layers; ++i)
          std::memcpy(device.part(i / 2, run.page) + (i % 2) * page_tokens * 8 + (run.slot + t) * 8,
                      &contents[run.first_token + t][i], 8);
  }
  /// `tokens` tokens of content 1000 · mark + position.
  void append(sequence to, std::uint32_t tokens, std::uint64_t mark) {
    const std::uint32_t first = store_->table(to).tokens;
    std::vector<token_content> contents(tokens);
    for (std::uint32_t t = 0; t < tokens; ++t) contents[t].fill(1000 * mark + first + t);
    fill(expect(store_->append(to, tokens, copier_)), contents);
  }
  std::uint64_t mark_at(sequence of, std::uint32_t position) { return read(of, position)[3]; }
  page_gauges gauges() {
    expect(store_->check());
    return store_->gauges();
  }

  telemetry::registry counters_;
  std::unique_ptr<device::host_device> device_ = expect(device::host_device::create({}));
  std::shared_ptr<memory::arena> arena_ = memory::arena::create(*device_, counters_);
  std::optional<page_store> store_;
  counting_copier copier_;
};

TEST_F(Store, a_fork_shares_whole_pages_and_the_writer_gets_a_copy_of_the_last) {
  const sequence first = store_->admit();
  append(first, 10, 1);  // 3 pages, the last one with 2 tokens
  const sequence second = expect(store_->fork(first, 9));
  EXPECT_EQ(gauges().live_pages, 3U);
  EXPECT_EQ(gauges().shared_pages, 3U);
  append(second, 3, 2);  // position 9 lies within the third page
  EXPECT_EQ(gauges().live_pages, 4U);
  EXPECT_EQ(gauges().shared_pages, 2U);
  EXPECT_EQ(store_->tally().copied_pages, 1U);
  EXPECT_EQ(store_->tally().copy_bytes, 2U * 64U);
  EXPECT_EQ(mark_at(first, 9), 1009U);
  EXPECT_EQ(mark_at(second, 8), 1008U);
  EXPECT_EQ(mark_at(second, 9), 2009U);
  append(first, 2, 3);
  EXPECT_EQ(store_->tally().copied_pages, 1U) << "nobody else holds the page by now";
  expect(store_->release(first));
  EXPECT_EQ(mark_at(second, 0), 1000U);
  EXPECT_EQ(gauges().live_pages, 3U);
  expect(store_->release(second));
  EXPECT_EQ(gauges().free_device_pages, 8U);
}

TEST_F(Store, a_write_leaves_the_others_as_they_were) {
  const sequence first = store_->admit();
  append(first, 12, 1);
  const sequence second = expect(store_->fork(first, 12));
  const auto runs = expect(store_->write(second, 3, 2, copier_));
  ASSERT_EQ(runs.size(), 2U);
  token_content content;
  content.fill(77);
  fill(runs, std::vector<token_content>(2, content));
  EXPECT_EQ(mark_at(first, 3), 1003U);
  EXPECT_EQ(mark_at(first, 4), 1004U);
  EXPECT_EQ(mark_at(second, 2), 1002U);
  EXPECT_EQ(mark_at(second, 3), 77U);
  EXPECT_EQ(mark_at(second, 4), 77U);
  EXPECT_EQ(gauges().shared_pages, 1U);
}

TEST_F(Store, room_is_made_by_who_was_used_longest_ago) {
  const sequence oldest = store_->admit();
  const sequence older = store_->admit();
  append(oldest, 12, 1);
  append(older, 12, 2);
  const sequence young = store_->admit();
  append(young, 16, 3);  // four pages, two are free
  EXPECT_EQ(gauges().host_pages, 2U);
  EXPECT_EQ(store_->tally().spilled_pages, 2U);
  for (std::uint32_t entry = 0; entry < 3; ++entry)
    EXPECT_EQ(store_->pages().place_of(store_->table(older).pages[entry]).where, residence::device);
  append(oldest, 1, 4);  // comes back whole, and another must go
  EXPECT_EQ(store_->tally().filled_pages, 2U);
  EXPECT_EQ(gauges().device_pages, 8U);
  for (std::uint32_t position = 0; position < 12; ++position)
    EXPECT_EQ(mark_at(oldest, position), 1000U + position);
}

TEST_F(Store, a_migration_that_fails_midway_changes_nothing) {
  const sequence moved = store_->admit();
  append(moved, 11, 1);
  const page_gauges before = gauges();
  copier_.copies_before_refusal = 3;  // of six
  EXPECT_FALSE(store_->evict(moved, copier_).has_value());
  EXPECT_EQ(gauges(), before);
  copier_.copies_before_refusal = -1;
  copier_.is_wait_refused = true;
  EXPECT_FALSE(store_->evict(moved, copier_).has_value());
  EXPECT_EQ(gauges().set_apart_pages, 3U) << "copies may still be writing there";
  EXPECT_EQ(gauges().device_pages, 3U);
  copier_.is_wait_refused = false;
  expect(store_->evict(moved, copier_));
  EXPECT_EQ(gauges().set_apart_pages, 0U);
  EXPECT_EQ(gauges().host_pages, 3U);
  EXPECT_EQ(gauges().free_device_pages, 8U);
  for (std::uint32_t position = 0; position < 11; ++position)
    EXPECT_EQ(mark_at(moved, position), 1000U + position);
}

TEST_F(Store, a_window_keeps_its_tokens_in_a_ring_of_pages) {
  const sequence ring = store_->admit(6);  // ring of 3 pages
  for (std::uint32_t step = 0; step < 40; ++step) {
    append(ring, 1 + step % 3, 1);
    const std::uint32_t tokens = store_->table(ring).tokens;
    EXPECT_EQ(gauges().live_pages, std::min(pages_for(tokens, page_tokens), 3U));
    for (std::uint32_t p = store_->table(ring).first_token(); p < tokens; ++p)
      ASSERT_EQ(mark_at(ring, p), 1000U + p);
  }
  EXPECT_EQ(store_->tally().allocated_pages, 3U);
  EXPECT_FALSE(store_->append(ring, 7, copier_).has_value());
  EXPECT_FALSE(store_->fork(ring, 5).has_value());
  EXPECT_FALSE(store_->write(ring, 0, 1, copier_).has_value());
}

TEST_F(Store, refusals_name_the_sequence_and_the_room) {
  const auto message_of = [](const auto& got) { return got ? "" : got.error().message; };
  const sequence only = store_->admit();
  append(only, 32, 1);
  EXPECT_EQ(message_of(store_->append(only, 1, copier_)),
            "KV pages: 1 asked, 0 of 8 free on the device, 0 could leave it, 8 of 8 free on the "
            "host; release a sequence or give the cache more pages");
  EXPECT_NE(message_of(store_->release(sequence{7})).find("sequence 7 does not exist"),
            std::string::npos);
  EXPECT_NE(message_of(store_->fork(only, 33)).find("its first 33 of 32 tokens"),
            std::string::npos);
  EXPECT_NE(message_of(store_->write(only, 31, 2, copier_)).find("positions 31 … 33"),
            std::string::npos);
  EXPECT_EQ(gauges().live_pages, 8U);
}

/// What a sequence is to somebody who knows of no store: its tokens, and for each entry of its
/// table a number that it has in common with whoever shares the page.
struct modelled {
  std::vector<token_content> tokens;
  std::vector<std::uint64_t> pages;
  std::uint32_t window_tokens = 0;
  std::uint32_t ring = 0;  ///< pages; 0: none

  std::size_t entry(std::size_t index) const { return ring == 0 ? index : index % ring; }
  std::size_t first() const {
    return ring == 0 || tokens.size() <= window_tokens ? 0 : tokens.size() - window_tokens;
  }
};

class RandomStore : public Store {
 protected:
  RandomStore() : Store(24, 20) {}

  using entry_of_model = std::map<sequence, modelled>::iterator;
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }
  entry_of_model any() {
    return std::next(model_.begin(), below(static_cast<std::uint32_t>(model_.size())));
  }

  std::size_t holders(std::uint64_t page) const {
    std::size_t count = 0;
    for (const auto& each : model_)
      count += static_cast<std::size_t>(
          std::count(each.second.pages.begin(), each.second.pages.end(), page));
    return count;
  }
  std::size_t live() const {
    std::set<std::uint64_t> pages;
    for (const auto& each : model_)
      pages.insert(each.second.pages.begin(), each.second.pages.end());
    return pages.size();
  }
  std::vector<token_content> random_tokens(std::uint32_t count) {
    std::vector<token_content> made(count);
    for (token_content& each : made)
      for (std::uint64_t& word : each) word = random_();
    return made;
  }
  void renew_if_shared(modelled& of, std::size_t index) {
    if (holders(of.pages[of.entry(index)]) > 1) of.pages[of.entry(index)] = next_page_++;
  }

  /// A failure must have been injected, or the memory must really be short.
  template <class T>
  bool succeeded(const result<T>& got) {
    if (got) return true;
    ++failures_;
    const bool is_short = got.error().kind == error_kind::out_of_memory;
    const page_gauges level = store_->gauges();
    if (is_short)
      EXPECT_TRUE(level.free_device_pages < 14 || level.free_host_pages < 14)
          << got.error().message;
    else
      EXPECT_EQ(got.error().message.rfind("injected", 0), 0U) << got.error().message;
    return false;
  }

  void admit() {
    if (model_.size() >= 12) return;
    modelled fresh;
    if (below(4) == 0) {
      fresh.window_tokens = 1 + below(14);
      fresh.ring = (fresh.window_tokens + 2 * page_tokens - 2) / page_tokens;
    }
    const sequence made = store_->admit(fresh.window_tokens);
    model_.emplace(made, fresh);
  }
  void fork() {
    if (model_.size() >= 12) return;
    const auto from = any();
    modelled copy = from->second;
    if (copy.ring == 0) {
      copy.tokens.resize(below(static_cast<std::uint32_t>(copy.tokens.size()) + 1));
      copy.pages.resize((copy.tokens.size() + page_tokens - 1) / page_tokens);
    }
    const auto made = store_->fork(from->first, static_cast<std::uint32_t>(copy.tokens.size()));
    ASSERT_TRUE(made.has_value()) << made.error().message;
    model_.emplace(*made, copy);
  }
  void grow() {
    const auto to = any();
    modelled& m = to->second;
    std::uint32_t count = 1 + below(9);
    if (m.ring != 0) count = std::min(count, m.window_tokens);
    if (m.tokens.size() + count > 48) return;
    const auto runs = store_->append(to->first, count, copier_);
    if (!succeeded(runs)) return;
    const auto contents = random_tokens(count);
    fill(*runs, contents);
    if (m.tokens.size() % page_tokens != 0) renew_if_shared(m, m.tokens.size() / page_tokens);
    const std::size_t before = (m.tokens.size() + page_tokens - 1) / page_tokens;
    m.tokens.insert(m.tokens.end(), contents.begin(), contents.end());
    for (std::size_t i = before; i < (m.tokens.size() + page_tokens - 1) / page_tokens; ++i) {
      if (m.pages.size() <= m.entry(i)) m.pages.resize(m.entry(i) + 1);
      m.pages[m.entry(i)] = next_page_++;
    }
  }
  void overwrite() {
    const auto to = any();
    modelled& m = to->second;
    const auto held = static_cast<std::uint32_t>(m.tokens.size() - m.first());
    if (held == 0) return;
    const auto first = static_cast<std::uint32_t>(m.first()) + below(held);
    const std::uint32_t count = 1 + below(static_cast<std::uint32_t>(m.tokens.size()) - first);
    const auto runs = store_->write(to->first, first, count, copier_);
    if (!succeeded(runs)) return;
    const auto contents = random_tokens(count);
    fill(*runs, contents);
    std::copy(contents.begin(), contents.end(), m.tokens.begin() + first);
    for (std::uint32_t i = first / page_tokens; i <= (first + count - 1) / page_tokens; ++i)
      renew_if_shared(m, i);
  }
  void migrate() {
    const residence to = below(3) == 0 ? residence::device : residence::host;
    succeeded(store_->migrate(any()->first, to, copier_));
  }
  void release() {
    const auto gone = any();
    expect(store_->release(gone->first));
    model_.erase(gone);
  }

  void step() {
    copier_.copies_before_refusal = below(6) == 0 ? static_cast<std::int64_t>(below(12)) : -1;
    copier_.is_wait_refused = below(24) == 0;
    const std::uint32_t choice = model_.empty() ? 0 : below(100);
    if (choice < 8) return admit();
    if (choice < 20) return fork();
    if (choice < 60) return grow();
    if (choice < 74) return overwrite();
    if (choice < 91) return migrate();
    return release();
  }

  void expect_contents(const sequence& of, const modelled& m) {
    ASSERT_EQ(store_->table(of).tokens, m.tokens.size());
    for (std::size_t p = m.first(); p < m.tokens.size(); ++p)
      ASSERT_EQ(read(of, static_cast<std::uint32_t>(p)), m.tokens[p]) << "position " << p;
  }
  void expect_as_modelled() {
    const auto checked = store_->check();
    ASSERT_TRUE(checked.has_value()) << checked.error().message;
    const page_gauges level = store_->gauges();
    ASSERT_EQ(level.live_pages, live());
    std::size_t entries = 0;
    for (const auto& each : model_) {
      const std::size_t pages = (each.second.tokens.size() + page_tokens - 1) / page_tokens;
      entries += each.second.ring == 0 ? pages : std::min<std::size_t>(pages, each.second.ring);
    }
    ASSERT_EQ(level.held_entries, entries) << "the sum of ceil(len / page)";
    const page_tally total = store_->tally();
    ASSERT_EQ(total.allocated_pages - total.freed_pages, level.live_pages);
    for (const auto& each : model_)
      ASSERT_NO_FATAL_FAILURE(expect_contents(each.first, each.second));
  }

  std::mt19937_64 random_{20261202};
  std::map<sequence, modelled> model_;
  std::uint64_t next_page_ = 1;
  std::uint64_t failures_ = 0;
};

TEST_F(RandomStore, equals_a_model_of_plain_vectors_whatever_is_done_and_whatever_fails) {
#ifdef ASSAY_SANITIZED
  constexpr int operations = 20'000;
#else
  constexpr int operations = 100'000;
#endif
  for (int i = 0; i < operations; ++i) {
    ASSERT_NO_FATAL_FAILURE(step()) << "operation " << i;
    ASSERT_NO_FATAL_FAILURE(expect_as_modelled()) << "operation " << i;
  }
  EXPECT_GT(failures_, operations / 100U);
  const page_tally total = store_->tally();
  for (const std::uint64_t each : {total.copied_pages, total.spilled_pages, total.filled_pages})
    EXPECT_GT(each, operations / 100U);
  while (!model_.empty()) release();
  // One more move that ends well gives back what failed copies might have written to.
  copier_ = {};
  const sequence last = store_->admit();
  append(last, 4, 1);
  expect(store_->evict(last, copier_));
  expect(store_->release(last));
  const page_gauges level = gauges();
  EXPECT_EQ(level.live_pages, 0U);
  EXPECT_EQ(level.free_device_pages, 24U);
  EXPECT_EQ(level.free_host_pages, 20U);
}

}  // namespace
}  // namespace assay::kv
