// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/link/multiply_add.h"

#include <cstring>
#include <vector>

namespace assay::probes {
namespace {

template <std::size_t Bytes>
struct float_lanes {
  typedef float floats __attribute__((vector_size(Bytes)));
};

// Written once, as link_variants.cpp has its loops: the function of each instruction set that it is
// inlined into makes one instruction of product and sum, where the set has one.
template <std::size_t Bytes>
[[gnu::always_inline]] inline void multiply_add(float* lanes, float factor, float term,
                                                std::uint32_t rounds) {
  using floats = typename float_lanes<Bytes>::floats;
  floats chain[multiply_add_chains];
  std::memcpy(chain, lanes, sizeof chain);
  const floats factors = floats{} + factor;
  const floats terms = floats{} + term;
  for (; rounds != 0; --rounds)
#pragma GCC unroll 12  // or the sums would go to memory
    for (std::size_t i = 0; i < multiply_add_chains; ++i) chain[i] = chain[i] * factors + terms;
  std::memcpy(lanes, chain, sizeof chain);
}

void by_16(float* lanes, float factor, float term, std::uint32_t rounds) {
  multiply_add<16>(lanes, factor, term, rounds);
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void by_32(float* lanes, float factor, float term,
                                       std::uint32_t rounds) {
  multiply_add<32>(lanes, factor, term, rounds);
}
[[gnu::target("avx512f")]] void by_64(float* lanes, float factor, float term,
                                      std::uint32_t rounds) {
  multiply_add<64>(lanes, factor, term, rounds);
}
#endif

std::vector<multiply_add_variant> supported() {
  std::vector<multiply_add_variant> all{{"16-byte", 16, by_16}};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    all.push_back({"32-byte", 32, by_32});
  if (__builtin_cpu_supports("avx512f")) all.push_back({"64-byte", 64, by_64});
#endif
  return all;
}

}  // namespace

std::span<const multiply_add_variant> multiply_add_variants() {
  static const std::vector<multiply_add_variant> all = supported();
  return all;
}

}  // namespace assay::probes
