// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/campaigns/fma_roof.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "runtime/telemetry/clock.h"

namespace assay::campaigns {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t register_bytes = 64;
#elif defined(__AVX__)
constexpr std::size_t register_bytes = 32;
#else
constexpr std::size_t register_bytes = 16;
#endif
constexpr std::size_t width = register_bytes / sizeof(float);
using reg = float __attribute__((vector_size(register_bytes)));

// More sums than a multiply-add takes cycles times how many begin in one.
constexpr int sums = 12;
constexpr std::int64_t rounds = 4'000'000;

// Read at run time, so that nothing is known of them; the sums stay what they are.
std::atomic<float> one{1.0F};
std::atomic<float> nothing{0.0F};

void spend() {
  reg sum[sums];
  for (int i = 0; i < sums; ++i) sum[i] = reg{} + static_cast<float>(i);
  const reg factor = reg{} + one.load(std::memory_order_relaxed);
  const reg term = reg{} + nothing.load(std::memory_order_relaxed);
  for (std::int64_t round = 0; round < rounds; ++round)
    for (int i = 0; i < sums; ++i) sum[i] = sum[i] * factor + term;
  reg all = sum[0];
  for (int i = 1; i < sums; ++i) all += sum[i];
  nothing.store(all[0] * 0.0F, std::memory_order_relaxed);
}

}  // namespace

double fma_flops_per_s(std::uint32_t threads) {
  double best = 0.0;
  for (int run = 0; run < 5; ++run) {
    std::vector<std::thread> others;
    const host_time start = host_now();
    for (std::uint32_t i = 1; i < threads; ++i) others.emplace_back(spend);
    spend();
    for (std::thread& each : others) each.join();
    const double spent_ns = static_cast<double>(host_now() - start);
    const double flops = 2.0 * width * sums * static_cast<double>(rounds) * threads;
    best = std::max(best, flops / spent_ns * 1e9);
  }
  return best;
}

}  // namespace assay::campaigns
