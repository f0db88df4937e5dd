// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a step does on the host beside its launches: pages of the KV cache, and the choice of a
// token.
#include <array>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runtime/device/host_device.h"
#include "runtime/kv/kv_cache.h"
#include "runtime/kv/page_memory.h"
#include "runtime/memory/arena.h"
#include "runtime/sampling/random.h"
#include "runtime/sampling/sampler.h"
#include "runtime/telemetry/registry.h"
#include "scenarios/kernels/families.h"

namespace assay::scenarios {
namespace {

// A value that is made nowhere is computed nowhere.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

// An operator that one thread calls and that has no weights.
class host_call_run : public kernel_run {
 public:
  std::uint64_t tallied_weight_bytes() override { return 0; }
  std::uint32_t realised_threads() override { return 1; }
};

constexpr std::uint32_t sequence_tokens = 256;
constexpr std::uint32_t page_tokens = 16;
constexpr std::uint32_t pool_pages = 64;

// A sequence that grows token by token, as decoding grows it, and is given up.
class cache_run final : public host_call_run {
 public:
  static result<std::unique_ptr<kernel_run>> create() {
    auto made = std::make_unique<cache_run>();
    ASSAY_TRY_ASSIGN(made->device_, device::host_device::create({1 << 20, 0, 1}));
    ASSAY_TRY_ASSIGN(auto cache,
                     kv::kv_cache::create(*memory::arena::create(*made->device_, made->counters_),
                                          made->counters_, {1, 1, 8, page_tokens, pool_pages}));
    made->cache_ = std::make_unique<kv::kv_cache>(std::move(cache));
    return made;
  }

  void call(std::uint64_t times) override {
    for (std::uint64_t i = 0; i < times; ++i) {
      for (std::uint32_t token = 0; token < sequence_tokens; ++token)
        keep(cache_->extend(1).has_value());
      cache_->release();
    }
  }

 private:
  telemetry::registry counters_;
  std::unique_ptr<device::host_device> device_;
  std::unique_ptr<kv::kv_cache> cache_;  // last: it gives its memory back to the device
};

class pages_run final : public host_call_run {
 public:
  static result<std::unique_ptr<kernel_run>> create() {
    ASSAY_TRY_ASSIGN(auto pages, kv::page_memory::on_host({1, 1, 8, page_tokens, pool_pages}));
    return std::make_unique<pages_run>(std::move(pages));
  }

  explicit pages_run(kv::page_memory pages) : pages_(std::move(pages)) {}

  void call(std::uint64_t times) override {
    for (std::uint64_t i = 0; i < times; ++i) {
      for (std::uint32_t& slot : taken_) slot = pages_.take().value_or(0);
      for (const std::uint32_t slot : taken_) pages_.give_back(slot);
    }
  }

 private:
  kv::page_memory pages_;
  std::array<std::uint32_t, pool_pages> taken_{};
};

std::vector<float> logits_of(std::uint32_t vocabulary) {
  std::vector<float> logits(vocabulary);
  for (std::uint32_t i = 0; i < vocabulary; ++i)
    logits[i] = (static_cast<float>(17 * std::uint64_t{i} % 997) - 498.0F) / 73.0F;
  return logits;
}

class greedy_run final : public host_call_run {
 public:
  explicit greedy_run(std::uint32_t vocabulary) : logits_(logits_of(vocabulary)) {}
  void call(std::uint64_t times) override {
    for (std::uint64_t i = 0; i < times; ++i) keep(sampling::pick_highest(logits_).value_or(-1));
  }

 private:
  std::vector<float> logits_;
};

class drawn_run final : public host_call_run {
 public:
  explicit drawn_run(std::uint32_t vocabulary) : logits_(logits_of(vocabulary)) {
    for (std::size_t i = 0; i < draws_.size(); ++i) draws_[i] = sampling::uniform(1, i);
  }
  void call(std::uint64_t times) override {
    constexpr double temperature = 0.8;
    for (std::uint64_t i = 0; i < times; ++i)
      keep(sampling::pick_at(logits_, temperature, draws_[next_++ % draws_.size()], weights_)
               .value_or(-1));
  }

 private:
  std::vector<float> logits_;
  std::vector<double> weights_;
  std::array<double, 64> draws_{};
  std::size_t next_ = 0;
};

template <class Run>
void add_sampling(const char* how, std::uint32_t vocabulary, const declared_work& work,
                  kernel_list& to) {
  to.rows.push_back({fmt::format("sampling/{}/{}", how, vocabulary),
                     fmt::format("sampling/{}", how), work, 1,
                     [vocabulary]() -> result<std::unique_ptr<kernel_run>> {
                       return std::make_unique<Run>(vocabulary);
                     }});
}

}  // namespace

void add_rows_of_kv_pages(std::uint32_t, kernel_list& to) {
  constexpr std::uint64_t pages = sequence_tokens / page_tokens;
  // An entry of the block table is written for each page that is taken.
  to.rows.push_back({fmt::format("kv_pages/append_release/{}by{}", sequence_tokens, page_tokens),
                     "kv_pages/append_release",
                     {0, pages * sizeof(std::uint32_t), sequence_tokens + 2 * pages},
                     1,
                     cache_run::create});
  to.rows.push_back({fmt::format("kv_pages/take_give_back/{}", pool_pages),
                     "kv_pages/take_give_back",
                     {0, 2 * pool_pages * sizeof(std::uint32_t), 2 * pool_pages},
                     1,
                     pages_run::create});
}

void add_rows_of_sampling(std::uint32_t, kernel_list& to) {
  for (const std::uint32_t vocabulary : {32'000U, 151'936U}) {
    const std::uint64_t count = vocabulary;
    add_sampling<greedy_run>("greedy", vocabulary, {0, count * sizeof(float), count}, to);
    // Each weight is written once and read once.
    add_sampling<drawn_run>("temperature", vocabulary,
                            {0, count * (sizeof(float) + 2 * sizeof(double)), 3 * count}, to);
  }
}

}  // namespace assay::scenarios
