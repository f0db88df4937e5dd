// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/link/link_variants.h"

#include <cstring>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay::probes {

namespace {

// The loops are written once, over a vector of a given width; each instruction set instantiates
// them inside a function of its own, which makes the compiler use its registers. Not
// target_clones: its resolvers run before a sanitizer is ready.
template <std::size_t Bytes>
struct wide {
  typedef std::uint64_t words __attribute__((vector_size(Bytes), may_alias));
};

template <std::size_t Bytes>
[[gnu::always_inline]] inline void copy_by(std::byte* to, const std::byte* from,
                                           std::size_t bytes) {
  using words = typename wide<Bytes>::words;
  auto* out = reinterpret_cast<words*>(to);
  const auto* in = reinterpret_cast<const words*>(from);
  for (std::size_t left = bytes / sizeof(words); left != 0; left -= 4, in += 4, out += 4) {
    const words a = in[0];
    const words b = in[1];
    const words c = in[2];
    const words d = in[3];
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
  }
}

// Eight chains of additions: one would wait for its own latency.
template <std::size_t Bytes>
[[gnu::always_inline]] inline std::uint64_t sum_by(const std::byte* from, std::size_t bytes) {
  using words = typename wide<Bytes>::words;
  const auto* in = reinterpret_cast<const words*>(from);
  words chain[8] = {};
  for (std::size_t left = bytes / sizeof(words); left != 0; left -= 8, in += 8)
    for (int i = 0; i < 8; ++i) chain[i] += in[i];
  std::uint64_t sum = 0;
  for (const words& lanes : chain)
    for (std::size_t lane = 0; lane < Bytes / sizeof(std::uint64_t); ++lane) sum += lanes[lane];
  return sum;
}

// Four places a quarter of the set apart: more of the memory's requests are in flight than a single
// place keeps there, and each place is a stream of its own to a prefetcher.
template <std::size_t Bytes>
[[gnu::always_inline]] inline std::uint64_t sum_at_four_places(const std::byte* from,
                                                               std::size_t bytes) {
  using words = typename wide<Bytes>::words;
  const std::size_t apart = bytes / 4 / sizeof(words);
  const auto* in = reinterpret_cast<const words*>(from);
  words chain[8] = {};
  for (std::size_t left = apart; left != 0; left -= 2, in += 2)
#pragma GCC unroll 4  // or the sums would go to memory
    for (std::size_t place = 0; place < 4; ++place) {
      chain[2 * place] += in[place * apart];
      chain[2 * place + 1] += in[place * apart + 1];
    }
  std::uint64_t sum = 0;
  for (const words& lanes : chain)
    for (std::size_t lane = 0; lane < Bytes / sizeof(std::uint64_t); ++lane) sum += lanes[lane];
  return sum;
}

// Asks for each line 4 KiB before it is read, across the page that a hardware prefetcher stops at.
template <std::size_t Bytes>
[[gnu::always_inline]] inline std::uint64_t sum_asked_ahead(const std::byte* from,
                                                            std::size_t bytes) {
  using words = typename wide<Bytes>::words;
  constexpr std::size_t ahead_bytes = 4096;
  constexpr std::size_t line_bytes = 64;
  words chain[8] = {};
  for (std::size_t at = 0; at < bytes; at += 8 * sizeof(words)) {
    const auto* in = reinterpret_cast<const words*>(from + at);
    for (std::size_t line = 0; line < 8 * sizeof(words); line += line_bytes)
      __builtin_prefetch(from + at + ahead_bytes + line);
    for (int i = 0; i < 8; ++i) chain[i] += in[i];
  }
  std::uint64_t sum = 0;
  for (const words& lanes : chain)
    for (std::size_t lane = 0; lane < Bytes / sizeof(std::uint64_t); ++lane) sum += lanes[lane];
  return sum;
}

void copy_by_library(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}
void copy_by_16(std::byte* to, const std::byte* from, std::size_t bytes) {
  copy_by<16>(to, from, bytes);
}
std::uint64_t sum_by_16(const std::byte* from, std::size_t bytes) {
  return sum_by<16>(from, bytes);
}

#if defined(__x86_64__)

[[gnu::target("avx2")]] void copy_by_32(std::byte* to, const std::byte* from, std::size_t bytes) {
  copy_by<32>(to, from, bytes);
}
[[gnu::target("avx512f")]] void copy_by_64(std::byte* to, const std::byte* from,
                                           std::size_t bytes) {
  copy_by<64>(to, from, bytes);
}
[[gnu::target("avx2")]] std::uint64_t sum_by_32(const std::byte* from, std::size_t bytes) {
  return sum_by<32>(from, bytes);
}
[[gnu::target("avx512f")]] std::uint64_t sum_by_64(const std::byte* from, std::size_t bytes) {
  return sum_by<64>(from, bytes);
}

[[gnu::target("avx2")]] std::uint64_t sum_at_four_places_by_32(const std::byte* from,
                                                               std::size_t bytes) {
  return sum_at_four_places<32>(from, bytes);
}
[[gnu::target("avx512f")]] std::uint64_t sum_at_four_places_by_64(const std::byte* from,
                                                                  std::size_t bytes) {
  return sum_at_four_places<64>(from, bytes);
}
[[gnu::target("avx2")]] std::uint64_t sum_asked_ahead_by_32(const std::byte* from,
                                                            std::size_t bytes) {
  return sum_asked_ahead<32>(from, bytes);
}
[[gnu::target("avx512f")]] std::uint64_t sum_asked_ahead_by_64(const std::byte* from,
                                                               std::size_t bytes) {
  return sum_asked_ahead<64>(from, bytes);
}

// Stores past the caches: no line is fetched only to be overwritten.
[[gnu::target("avx2")]] void copy_past_caches(std::byte* to, const std::byte* from,
                                              std::size_t bytes) {
  auto* out = reinterpret_cast<__m256i*>(to);
  const auto* in = reinterpret_cast<const __m256i*>(from);
  for (std::size_t left = bytes / sizeof(__m256i); left != 0; left -= 2, in += 2, out += 2) {
    const __m256i a = _mm256_load_si256(in);
    const __m256i b = _mm256_load_si256(in + 1);
    _mm256_stream_si256(out, a);
    _mm256_stream_si256(out + 1, b);
  }
  _mm_sfence();
}

// "rep movsb": the copy that the microcode does; fastest for large sizes on some cores.
void copy_by_microcode(std::byte* to, const std::byte* from, std::size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

#endif

std::vector<copy_variant> supported_copies() {
  std::vector<copy_variant> all{{"library", copy_by_library}, {"16-byte", copy_by_16}};
#if defined(__x86_64__)
  all.push_back({"microcode", copy_by_microcode});
  if (__builtin_cpu_supports("avx2")) {
    all.push_back({"32-byte", copy_by_32});
    all.push_back({"past caches", copy_past_caches});
  }
  if (__builtin_cpu_supports("avx512f")) all.push_back({"64-byte", copy_by_64});
#endif
  return all;
}

std::vector<read_variant> supported_reads() {
  std::vector<read_variant> all{{"16-byte", sum_by_16}};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    all.push_back({"32-byte", sum_by_32});
    all.push_back({"32-byte, four places", sum_at_four_places_by_32});
    all.push_back({"32-byte, asked ahead", sum_asked_ahead_by_32});
  }
  if (__builtin_cpu_supports("avx512f")) {
    all.push_back({"64-byte", sum_by_64});
    all.push_back({"64-byte, four places", sum_at_four_places_by_64});
    all.push_back({"64-byte, asked ahead", sum_asked_ahead_by_64});
  }
#endif
  return all;
}

}  // namespace

std::span<const copy_variant> copy_variants() {
  static const std::vector<copy_variant> all = supported_copies();
  return all;
}

std::span<const read_variant> read_variants() {
  static const std::vector<read_variant> all = supported_reads();
  return all;
}

}  // namespace assay::probes
