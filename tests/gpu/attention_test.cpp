// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, attention could skip a page, read past the newest token, or weigh a block of its
// cluster twice: text stays fluent for hundreds of tokens after such a slip.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/gpu/gpu_gate.h"
#include "tests/gpu/reference.h"
#include "tests/gpu/tensors.h"

namespace assay::test {
namespace {

using namespace ops::cuda;
using reference::row;

constexpr float eps = 1e-6F;

struct attention_case {
  element type;
  std::uint32_t heads;
  std::uint32_t kv_heads;
  std::uint32_t head_dim;
  std::uint32_t position;
  std::uint32_t page_tokens = 16;
  bool has_norm = true;
  std::uint32_t cluster_blocks = 8;
};

const attention_case cases[] = {
    {element::bf16, 4, 2, 128, 0},
    {element::bf16, 4, 2, 128, 1},
    {element::bf16, 16, 8, 128, 127},
    {element::bf16, 16, 8, 128, 128, 16, true, 16},
    {element::bf16, 32, 8, 128, 1023, 16, false},
    {element::bf16, 32, 8, 128, 1024, 16, false, 16},
    {element::bf16, 32, 8, 128, 4095, 64, false, 16},
    {element::bf16, 32, 8, 64, 700, 16, false},
    {element::bf16, 14, 2, 64, 300, 16, false, 4},
    {element::bf16, 6, 2, 32, 5000, 256, true, 1},
    {element::bf16, 32, 8, 128, 511, 16, false},
    {element::bf16, 32, 8, 128, 512, 16, false},
    {element::bf16, 32, 8, 128, 4095, 16, true, 16},
    {element::bf16, 32, 8, 64, 15, 16, false},
    {element::bf16, 32, 8, 64, 16, 16, false},
    {element::bf16, 28, 4, 128, 600, 7, false},
    {element::bf16, 3, 3, 32, 77, 1},
    {element::bf16, 4, 4, 16, 0, 16, false},
    {element::bf16, 6, 2, 16, 700, 16, false},
    {element::f16, 4, 1, 16, 300, 7},
    {element::f32, 6, 2, 16, 513, 16, false},
    {element::f16, 32, 8, 128, 900},
    {element::f16, 8, 4, 64, 33},
    {element::f16, 4, 2, 32, 500},
    {element::f32, 32, 8, 128, 900},
    {element::f32, 8, 4, 64, 1200},
    {element::f32, 4, 2, 32, 20},
    // Pages of 8 tokens, and of more than a block's turn.
    {element::bf16, 32, 8, 128, 700, 8},
    {element::bf16, 8, 4, 64, 63, 8, false},
    {element::f16, 4, 1, 128, 64, 8, true, 16},
    {element::bf16, 16, 8, 128, 127, 128},
    {element::bf16, 16, 8, 128, 128, 128, false},
    {element::bf16, 32, 8, 128, 1500, 256, true, 16},
    {element::f16, 8, 2, 128, 600, 512},
    // Groups of five and six query heads: one part short of its heads, and one that fills two.
    {element::bf16, 40, 8, 128, 900},
    {element::bf16, 10, 2, 64, 300, 8, false},
    {element::bf16, 48, 8, 128, 513, 16, false, 16},
    {element::f16, 12, 2, 64, 77},
    {element::bf16, 5, 1, 32, 200},
    {element::f32, 5, 1, 64, 150, 128},
    {element::f32, 6, 1, 128, 300, 8},
};

/// One layer's cache with random rows, its pages in disorder.
struct random_cache {
  attention_case shape;
  std::vector<std::uint32_t> table;
  std::vector<double> pages;  // (pages, kv_heads, 2, page_tokens, head_dim)
  std::vector<row> keys;      // a token each, (kv_heads, head_dim)
  std::vector<row> values;

  random_cache(const attention_case& c, std::mt19937_64& random) : shape(c) {
    const std::uint32_t count = c.position / c.page_tokens + 2;
    table.resize(count);
    std::iota(table.begin(), table.end(), 0U);
    std::shuffle(table.begin(), table.end(), random);
    // Rows that no token owns hold what would show: not a number.
    pages.assign(std::size_t{count} * c.kv_heads * 2 * c.page_tokens * c.head_dim, std::nan(""));
    std::uniform_real_distribution<double> uniform(-1.5, 1.5);
    for (std::uint32_t token = 0; token < c.position; ++token) {
      row key(std::size_t{c.kv_heads} * c.head_dim);
      row value(key.size());
      for (std::uint32_t i = 0; i < key.size(); ++i) {
        key[i] = pages[offset(token, i, 0)] = rounded(c.type, uniform(random));
        value[i] = pages[offset(token, i, 1)] = rounded(c.type, uniform(random));
      }
      keys.push_back(std::move(key));
      values.push_back(std::move(value));
    }
  }

  std::size_t offset(std::uint32_t token, std::uint32_t i, std::uint32_t which) const {
    const std::size_t page = table[token / shape.page_tokens];
    const std::size_t head = page * shape.kv_heads + i / shape.head_dim;
    return ((head * 2 + which) * shape.page_tokens + token % shape.page_tokens) * shape.head_dim +
           i % shape.head_dim;
  }
};

std::vector<float> rope_frequencies(std::uint32_t head_dim) {
  std::vector<float> frequencies(head_dim / 2);
  for (std::uint32_t i = 0; i < frequencies.size(); ++i)
    frequencies[i] = static_cast<float>(std::pow(1e6, -2.0 * i / head_dim));
  return frequencies;
}

row part(const std::vector<float>& from, std::size_t begin, std::size_t count) {
  const auto at = from.begin() + static_cast<std::ptrdiff_t>(begin);
  return {at, at + static_cast<std::ptrdiff_t>(count)};
}

void check_case(const attention_case& c, bool is_tensor, std::mt19937_64& random) {
  random_cache cache(c, random);
  const std::size_t kv_row = std::size_t{c.kv_heads} * c.head_dim;
  const std::size_t q_row = std::size_t{c.heads} * c.head_dim;
  const auto qkv = random_floats(q_row + 2 * kv_row, 1.0, random);
  const auto frequencies = rope_frequencies(c.head_dim);
  const tensor q_gain = random_tensor(c.type, c.head_dim, 0.5, 1.5, random);
  const tensor k_gain = random_tensor(c.type, c.head_dim, 0.5, 1.5, random);
  const device_array<float> device_qkv(qkv);
  const device_array<float> device_frequencies(frequencies);
  const device_array<std::byte> pages(packed(c.type, cache.pages));
  const device_array<std::uint32_t> table(cache.table);
  const device_array<decode_state> state(
      std::vector<decode_state>{{0, static_cast<std::int32_t>(c.position), 0, 0, 0, 0}});
  const device_array<float> out(q_row);
  launch_site site;
  site.is_first = true;
  site.cluster_blocks = c.cluster_blocks;
  site.has_tensor_attention = is_tensor;
  ASSERT_CUDA(attention(c.type, site,
                        {device_qkv.data(), c.has_norm ? q_gain.device.data() : nullptr,
                         c.has_norm ? k_gain.device.data() : nullptr, device_frequencies.data(),
                         pages.data(), table.data(), state.data(), out.data(), c.page_tokens,
                         c.heads, c.kv_heads, c.head_dim, eps}));
  ASSERT_CUDA(cudaDeviceSynchronize());

  row q = part(qkv, 0, q_row);
  row key = part(qkv, q_row, kv_row);
  row value = part(qkv, q_row + kv_row, kv_row);
  if (c.has_norm) {
    reference::norm_heads(q, c.head_dim, q_gain.values, eps);
    reference::norm_heads(key, c.head_dim, k_gain.values, eps);
  }
  reference::rotate(q, c.head_dim, frequencies, c.position);
  reference::rotate(key, c.head_dim, frequencies, c.position);
  const std::vector<double> after = unpacked(c.type, pages.host());
  const double step = c.type == element::bf16 ? 8e-3 : c.type == element::f16 ? 1e-3 : 1e-5;
  for (std::uint32_t i = 0; i < kv_row; ++i) {
    // What the cache keeps is what is attended to: the appended row itself goes into the reference.
    const double kept = after[cache.offset(c.position, i, 0)];
    ASSERT_NEAR(kept, key[i], step * (1 + std::abs(key[i])));
    ASSERT_EQ(after[cache.offset(c.position, i, 1)], rounded(c.type, value[i]));
    key[i] = kept;
    value[i] = rounded(c.type, value[i]);
  }
  cache.keys.push_back(key);
  cache.values.push_back(value);
  EXPECT_LT(relative_error(out.host(), reference::attend(q, cache.keys, cache.values, c.heads,
                                                         c.kv_heads, c.head_dim)),
            2e-5);
  // Nothing but the new token's rows changed.
  for (std::uint32_t i = 0; i < kv_row; ++i)
    for (std::uint32_t which = 0; which < 2; ++which)
      cache.pages[cache.offset(c.position, i, which)] = after[cache.offset(c.position, i, which)];
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  EXPECT_TRUE(std::equal(after.begin(), after.end(), cache.pages.begin(), same));
}

void check_all(bool is_tensor) {
  std::mt19937_64 random(11);
  for (const attention_case& c : cases) {
    SCOPED_TRACE("type " + std::to_string(static_cast<int>(c.type)) + ", heads " +
                 std::to_string(c.heads) + "/" + std::to_string(c.kv_heads) + " x " +
                 std::to_string(c.head_dim) + ", position " + std::to_string(c.position) +
                 ", pages of " + std::to_string(c.page_tokens) + ", cluster " +
                 std::to_string(c.cluster_blocks));
    check_case(c, is_tensor, random);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(PagedAttention, attends_to_every_cached_token_and_appends_the_new_one) {
  ASSAY_NEEDS_GPU();
  check_all(false);
}

// The same tolerance: tensor cores lose nothing of an f32 query or weight that matters.
TEST(PagedAttention, does_so_on_tensor_cores) {
  ASSAY_NEEDS_GPU();
  check_all(true);
}

TEST(PagedAttention, refuses_shapes_that_no_kernel_covers) {
  ASSAY_NEEDS_GPU();
  attention_arguments a{};
  a.heads = 4;
  a.kv_heads = 2;
  a.head_dim = 96;
  a.page_tokens = 16;
  EXPECT_EQ(attention(element::bf16, {}, a), cudaErrorInvalidValue);
  a.head_dim = 64;
  a.heads = 5;
  EXPECT_EQ(attention(element::bf16, {}, a), cudaErrorInvalidValue);
  a.heads = 4;
  launch_site site;
  site.cluster_blocks = 17;
  EXPECT_EQ(attention(element::bf16, site, a), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace assay::test
