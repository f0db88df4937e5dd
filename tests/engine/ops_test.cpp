// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file an operator could be wrong in a shape or a type that no checkpoint at hand has:
// f16 weights, rows that four does not divide, columns beyond one tile.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/ops/bias.h"
#include "runtime/ops/dot.h"
#include "runtime/ops/exponential.h"
#include "runtime/ops/gated_mlp.h"
#include "runtime/ops/isa.h"
#include "runtime/ops/multiply.h"
#include "runtime/ops/projection.h"

namespace assay::ops {
namespace {

using checkpoint::dtype;

// Rounds toward zero, which is exact for the values used below.
std::uint16_t to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  if ((bits & 0x7fffffffU) == 0) return static_cast<std::uint16_t>(sign);
  const int exponent = static_cast<int>(bits >> 23 & 0xffU) - 127 + 15;
  const std::uint32_t mantissa = bits & 0x7fffffU;
  if (exponent > 0)
    return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(exponent) << 10 |
                                      mantissa >> 13);
  return static_cast<std::uint16_t>(sign | (mantissa | 0x800000U) >> (14 - exponent));
}

struct stored {
  std::vector<std::byte> bytes;
  std::vector<float> values;  // what the bytes stand for
};

// Multiples of 1/8 in [-2, 2): exact in all three types.
stored make(dtype type, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> eighths(-16, 15);
  stored out{std::vector<std::byte>(count * checkpoint::bytes_of(type)), {}};
  for (std::size_t i = 0; i < count; ++i) {
    const float value = static_cast<float>(eighths(random)) / 8.0F;
    out.values.push_back(value);
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto half = type == dtype::bf16 ? static_cast<std::uint16_t>(bits >> 16) : to_f16(value);
    if (type == dtype::f32)
      std::memcpy(&out.bytes[i * 4], &bits, 4);
    else
      std::memcpy(&out.bytes[i * 2], &half, 2);
  }
  return out;
}

struct shape {
  std::uint32_t rows;
  std::uint32_t columns;
  std::uint32_t tokens;
};

// Sums of multiples of 1/64 below 2^17 are exact in f32 in any order, so equality is exact too.
void expect_exact_product(dtype type, const shape& s, into how) {
  const stored weights = make(type, std::size_t{s.rows} * s.columns, 1);
  const stored x = make(dtype::f32, std::size_t{s.tokens} * s.columns, 2);
  const weight w{weights.bytes.data(), s.rows, s.columns, type};
  std::vector<float> out(std::size_t{s.tokens} * s.rows, 3.0F);
  device::block_context context;
  multiply(w, {0, s.rows}, x.values.data(), s.tokens, out.data(), how, context);
  for (std::uint32_t t = 0; t < s.tokens; ++t)
    for (std::uint32_t r = 0; r < s.rows; ++r) {
      float want = how == into::add ? 3.0F : 0.0F;
      for (std::uint32_t k = 0; k < s.columns; ++k)
        want += weights.values[std::size_t{r} * s.columns + k] *
                x.values[std::size_t{t} * s.columns + k];
      ASSERT_EQ(out[std::size_t{t} * s.rows + r], want) << "row " << r << " token " << t;
    }
  EXPECT_EQ(context.weight_bytes, w.bytes());
}

// Each instruction set of this processor, and the best one again afterwards.
class Multiply : public testing::TestWithParam<isa> {
 protected:
  void SetUp() override {
    if (limit_isa(GetParam()) != GetParam())
      GTEST_SKIP() << "this processor has no " << to_string(GetParam());
  }
  void TearDown() override { limit_isa(best_isa()); }
};

TEST_P(Multiply, is_exact_in_every_type_and_odd_shape) {
  for (const dtype type : {dtype::bf16, dtype::f16, dtype::f32})
    for (const shape& s : {shape{1, 1, 1},
                           {7, 33, 1},
                           {64, 256, 1},
                           {9, 31, 2},
                           {13, 1030, 3},
                           {6, 2049, 5},
                           {70, 300, 13},
                           {129, 40, 25},
                           {301, 520, 27}})
      for (const into how : {into::store, into::add}) {
        SCOPED_TRACE(std::to_string(s.rows) + "x" + std::to_string(s.columns));
        expect_exact_product(type, s, how);
      }
}

// Cut at places that nothing divides by: what one range leaves out another must have.
TEST_P(Multiply, ranges_take_each_row_once) {
  for (const std::uint32_t tokens : {1U, 3U})
    for (const std::uint32_t rows : {1U, 6U, 7U, 130U})
      for (const std::uint32_t each : {1U, 5U, 32U}) {
        const stored weights = make(dtype::bf16, std::size_t{rows} * 40, 1);
        const stored x = make(dtype::f32, std::size_t{tokens} * 40, 2);
        const weight w{weights.bytes.data(), rows, 40, dtype::bf16};
        std::vector<float> whole(std::size_t{tokens} * rows, 0.0F);
        std::vector<float> parts = whole;
        device::block_context context;
        multiply(w, {0, rows}, x.values.data(), tokens, whole.data(), into::add, context);
        device::block_context shared;
        std::vector<int> taken(rows, 0);
        for (std::uint32_t begin = 0; begin < rows; begin += each) {
          for (const row_range& some : rows_taken(w, {begin, std::min(rows, begin + each)}, tokens))
            for (std::uint32_t row = some.begin; row < some.end; ++row) ++taken[row];
          multiply(w, {begin, std::min(rows, begin + each)}, x.values.data(), tokens, parts.data(),
                   into::add, shared);
        }
        EXPECT_EQ(taken, std::vector<int>(rows, 1)) << rows << " rows by " << each;
        EXPECT_EQ(parts, whole) << rows << " rows by " << each;
        EXPECT_EQ(shared.weight_bytes, w.bytes());
      }
}

// A prompt's tokens are multiplied some at a time: how many must not show in a bit of the result.
TEST_P(Multiply, of_a_token_does_not_depend_on_the_tokens_beside_it) {
  constexpr std::uint32_t rows = 140;
  constexpr std::uint32_t columns = 531;
  constexpr std::uint32_t most = 40;
  std::mt19937 random(3);
  std::uniform_real_distribution<float> real(-1.0F, 1.0F);
  std::vector<float> stored_values(std::size_t{rows} * columns);
  std::vector<float> x(std::size_t{most} * columns);
  for (float& each : stored_values) each = real(random);
  for (float& each : x) each = real(random);
  const weight w{reinterpret_cast<const std::byte*>(stored_values.data()), rows, columns,
                 dtype::f32};
  const auto product = [&](std::uint32_t first, std::uint32_t tokens) {
    std::vector<float> out(std::size_t{tokens} * rows);
    device::block_context context;
    multiply(w, {0, rows}, x.data() + std::size_t{first} * columns, tokens, out.data(), into::store,
             context);
    return out;
  };
  const std::vector<float> all = product(0, most);
  for (const std::uint32_t tokens : {2U, 3U, 7U, 12U, 13U, 23U, 32U}) {
    const std::uint32_t first = most - tokens;
    const std::vector<float> some(all.begin() + std::ptrdiff_t{first} * rows, all.end());
    EXPECT_TRUE(product(first, tokens) == some) << tokens << " tokens";
  }
}

struct pair_types {
  dtype first;
  dtype second;
};

// Both weights' rows, each once, and to the last bit what each weight alone gives.
void expect_two_weights(const pair_types& types, std::uint32_t rows, std::uint32_t each,
                        std::uint32_t tokens) {
  const stored first = make(types.first, std::size_t{rows} * 40, 1);
  const stored second = make(types.second, std::size_t{rows} * 40, 3);
  const stored x = make(dtype::f32, std::size_t{tokens} * 40, 2);
  const weight a{first.bytes.data(), rows, 40, types.first};
  const weight b{second.bytes.data(), rows, 40, types.second};
  std::vector<float> want_a(std::size_t{tokens} * rows);
  std::vector<float> want_b(want_a);
  device::block_context context;
  multiply(a, {0, rows}, x.values.data(), tokens, want_a.data(), into::store, context);
  multiply(b, {0, rows}, x.values.data(), tokens, want_b.data(), into::store, context);
  std::vector<float> got_a(want_a.size(), 9.0F);
  std::vector<float> got_b(got_a);
  std::vector<int> taken(rows, 0);
  device::block_context shared;
  for (std::uint32_t begin = 0; begin < rows; begin += each) {
    const row_range range{begin, std::min(rows, begin + each)};
    for (const row_range& some : rows_taken(a, range, tokens, 2))
      for (std::uint32_t row = some.begin; row < some.end; ++row) ++taken[row];
    multiply_pair({a, b, got_a.data(), got_b.data()}, range, x.values.data(), tokens, shared);
  }
  EXPECT_EQ(taken, std::vector<int>(rows, 1)) << rows << " rows by " << each;
  EXPECT_EQ(got_a, want_a) << rows << " rows by " << each;
  EXPECT_EQ(got_b, want_b) << rows << " rows by " << each;
  EXPECT_EQ(shared.weight_bytes, a.bytes() + b.bytes());
}

TEST_P(Multiply, a_pair_is_two_weights) {
  for (const std::uint32_t tokens : {1U, 3U})
    for (const std::uint32_t rows : {1U, 3U, 7U, 130U})
      for (const std::uint32_t each : {1U, 5U, 32U})
        expect_two_weights({dtype::bf16, dtype::bf16}, rows, each, tokens);
}

// A checkpoint may store its gate in one type and its up in another.
TEST_P(Multiply, a_pair_may_be_of_two_types) {
  for (const std::uint32_t tokens : {1U, 3U})
    for (const std::uint32_t rows : {1U, 7U, 130U}) {
      expect_two_weights({dtype::bf16, dtype::f16}, rows, 5, tokens);
      expect_two_weights({dtype::bf16, dtype::f32}, rows, 32, tokens);
      expect_two_weights({dtype::f32, dtype::bf16}, rows, 5, tokens);
    }
}

INSTANTIATE_TEST_SUITE_P(Isa, Multiply, testing::Values(isa::portable, isa::avx2, isa::avx512),
                         [](const auto& each) { return std::string(to_string(each.param)); });

// Blocks from the last to the first: one that finished what another had not begun would show.
device::block_context run_backwards(const device::kernel& what) {
  device::block_context all;
  all.blocks = what.blocks;
  if (what.prepare != nullptr) what.prepare(what.arguments.data(), all);
  for (std::uint32_t block = what.blocks; block-- > 0;) {
    device::block_context context;
    context.block = block;
    context.blocks = what.blocks;
    what.body(what.arguments.data(), context);
    all.weight_bytes += context.weight_bytes;
  }
  return all;
}

weight matrix_of(const stored& from, std::uint32_t rows, std::uint32_t columns) {
  return {from.bytes.data(), rows, columns, dtype::bf16};
}

double dot_of(const stored& w, std::uint32_t row, const float* x, std::uint32_t columns) {
  double sum = 0.0;
  for (std::uint32_t k = 0; k < columns; ++k)
    sum +=
        static_cast<double>(w.values[std::size_t{row} * columns + k]) * static_cast<double>(x[k]);
  return sum;
}

TEST(Operators, query_key_value_and_their_bias_are_whole_in_many_blocks) {
  const std::uint32_t columns = 1024;
  const std::uint32_t q_rows = 201;
  const std::uint32_t kv_rows = 70;
  const stored gain = make(dtype::bf16, columns, 1);
  const stored q = make(dtype::bf16, std::size_t{q_rows} * columns, 2);
  const stored kv = make(dtype::bf16, std::size_t{kv_rows} * columns, 3);
  const stored bias = make(dtype::bf16, q_rows, 4);
  for (const std::uint32_t tokens : {1U, 3U}) {
    const stored x = make(dtype::f32, std::size_t{tokens} * columns, 5);
    std::vector<float> normed(x.values.size());
    std::vector<float> q_out(std::size_t{tokens} * q_rows, 9.0F);
    std::vector<float> k_out(std::size_t{tokens} * kv_rows, 9.0F);
    std::vector<float> v_out(k_out);
    norm_qkv_arguments a;
    a.x = x.values.data();
    a.normed = normed.data();
    a.gain = matrix_of(gain, 1, columns);
    a.q_weight = matrix_of(q, q_rows, columns);
    a.k_weight = a.v_weight = matrix_of(kv, kv_rows, columns);
    a.q_bias = matrix_of(bias, 1, q_rows);
    a.k_bias = a.v_bias = matrix_of(bias, 1, kv_rows);
    a.q = q_out.data();
    a.k = k_out.data();
    a.v = v_out.data();
    a.tokens = tokens;
    a.eps = 1e-6F;
    const device::kernel kernel = norm_qkv(a);
    ASSERT_GT(kernel.blocks, 4U);
    EXPECT_EQ(run_backwards(kernel).weight_bytes,
              2 * (columns + q.values.size() + 2 * kv.values.size() + q_rows + 2 * kv_rows));
    for (std::uint32_t t = 0; t < tokens; ++t) {
      const float* row = normed.data() + std::size_t{t} * columns;
      for (std::uint32_t r = 0; r < q_rows; ++r)
        ASSERT_NEAR(q_out[t * q_rows + r],
                    dot_of(q, r, row, columns) + static_cast<double>(bias.values[r]), 1e-2)
            << "row " << r;
      for (std::uint32_t r = 0; r < kv_rows; ++r) {
        const double want = dot_of(kv, r, row, columns) + static_cast<double>(bias.values[r]);
        ASSERT_NEAR(k_out[t * kv_rows + r], want, 1e-2) << "row " << r;
        ASSERT_NEAR(v_out[t * kv_rows + r], want, 1e-2) << "row " << r;
      }
    }
  }
}

TEST(Operators, gated_product_is_whole_in_many_blocks) {
  const std::uint32_t columns = 1024;
  const std::uint32_t rows = 333;
  const stored gain = make(dtype::bf16, columns, 1);
  const stored gate = make(dtype::bf16, std::size_t{rows} * columns, 2);
  const stored up = make(dtype::bf16, std::size_t{rows} * columns, 3);
  for (const std::uint32_t tokens : {1U, 3U}) {
    const stored x = make(dtype::f32, std::size_t{tokens} * columns, 5);
    std::vector<float> normed(x.values.size());
    std::vector<float> out(std::size_t{tokens} * rows, 9.0F);
    std::vector<float> scratch(out);
    gated_mlp_arguments a;
    a.x = x.values.data();
    a.normed = normed.data();
    a.gain = matrix_of(gain, 1, columns);
    a.gate_weight = matrix_of(gate, rows, columns);
    a.up_weight = matrix_of(up, rows, columns);
    a.gate = out.data();
    a.up = scratch.data();
    a.tokens = tokens;
    a.eps = 1e-6F;
    const device::kernel kernel = gated_mlp(a);
    ASSERT_GT(kernel.blocks, 4U);
    run_backwards(kernel);
    for (std::uint32_t t = 0; t < tokens; ++t)
      for (std::uint32_t r = 0; r < rows; ++r) {
        const float* row = normed.data() + std::size_t{t} * columns;
        const double z = dot_of(gate, r, row, columns);
        const double want = z / (1.0 + std::exp(-z)) * dot_of(up, r, row, columns);
        ASSERT_NEAR(out[t * rows + r], want, 1e-4 * std::max(1.0, std::fabs(want)) + 2e-2)
            << "row " << r;
      }
  }
}

TEST(Blocks, cover_each_row_once) {
  for (const std::uint32_t tokens : {1U, 2U, 512U})
    for (const std::uint32_t rows : {1U, 64U, 65U, 5000U})
      for (const std::uint32_t columns : {7U, 1024U, 100'000U}) {
        const weight w{nullptr, rows, columns, dtype::bf16};
        std::uint32_t next = 0;
        for (std::uint32_t block = 0; block < blocks_of(w, tokens); ++block) {
          EXPECT_EQ(rows_at(w, block, tokens).begin, next);
          EXPECT_GT(rows_at(w, block, tokens).end, next);
          next = rows_at(w, block, tokens).end;
        }
        EXPECT_EQ(next, rows);
      }
}

TEST(Blocks, of_many_tokens_are_larger_as_long_as_sixteen_threads_have_one) {
  const auto blocks = [](std::uint32_t rows, std::uint32_t columns, std::uint32_t tokens) {
    return blocks_of({nullptr, rows, columns, dtype::bf16}, tokens);
  };
  EXPECT_EQ(blocks(4096, 4096, 1), 128U);
  EXPECT_EQ(blocks(4096, 4096, 2), 32U);
  EXPECT_EQ(blocks(1024, 4096, 2), 16U);
  EXPECT_EQ(blocks(512, 4096, 2), 16U);
  EXPECT_EQ(blocks(256, 4096, 2), 8U);
}

TEST(Blocks, share_out_what_there_is) {
  for (const std::uint32_t rows : {1U, 64U, 65U, 200U}) {
    const std::uint32_t blocks = (rows + 63) / 64;
    std::uint32_t next = 0;
    for (std::uint32_t block = 0; block < blocks; ++block) {
      const row_range range = rows_of_block(rows, {block, blocks});
      EXPECT_EQ(range.begin, next);
      next = range.end;
    }
    EXPECT_EQ(next, rows);
  }
}

// Two tiles of 1024, a range that begins inside, and rows outside of it that must stay.
// A softmax is the same under any shift: only here would a peak that misses a row show.
TEST(Peak, is_found_wherever_it_stands_and_passes_over_what_is_no_number) {
  for (std::size_t count = 1; count <= 40; ++count)
    for (std::size_t at = 0; at < count; ++at) {
      std::vector<float> values(count, -3.0F);
      values[(at + 1) % count] = std::numeric_limits<float>::quiet_NaN();
      values[at] = 2.0F;
      EXPECT_EQ(largest_of(values.data(), count, -5.0F), 2.0F) << count << " " << at;
      EXPECT_EQ(largest_of(values.data(), count, 7.0F), 7.0F);
    }
}

TEST(Bias, is_added_to_the_rows_of_a_range_for_every_token) {
  for (const dtype type : {dtype::bf16, dtype::f16, dtype::f32}) {
    const std::uint32_t rows = 1500;
    const std::uint32_t tokens = 3;
    const row_range range{17, 1471};
    const stored bias = make(type, rows, 5);
    std::vector<float> out(std::size_t{tokens} * rows);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(i);
    device::block_context context;
    add_bias({bias.bytes.data(), 1, rows, type}, range, tokens, out.data(), context);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::size_t row = i % rows;
      const bool is_within = row >= range.begin && row < range.end;
      ASSERT_EQ(out[i], static_cast<float>(i) + (is_within ? bias.values[row] : 0.0F)) << i;
    }
    EXPECT_EQ(context.weight_bytes, (range.end - range.begin) * checkpoint::bytes_of(type));
  }
}

TEST(Bias, that_is_none_changes_and_tallies_nothing) {
  float out = 1.0F;
  device::block_context context;
  add_bias({}, {0, 1}, 1, &out, context);
  EXPECT_EQ(out, 1.0F);
  EXPECT_EQ(context.weight_bytes, 0U);
}

TEST(Widen, reads_every_finite_f16) {
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const int exponent = static_cast<int>(bits >> 10 & 0x1fU);
    if (exponent == 31) continue;
    const double mantissa = bits & 0x3ffU;
    const double magnitude =
        exponent == 0 ? mantissa * 0x1p-24 : std::ldexp(1024.0 + mantissa, exponent - 25);
    const auto stored_bits = static_cast<std::uint16_t>(bits);
    float got = 0.0F;
    widen(dtype::f16, reinterpret_cast<const std::byte*>(&stored_bits), 1, &got);
    ASSERT_EQ(got, bits & 0x8000U ? -magnitude : magnitude) << bits;
  }
}

TEST(Norm, divides_by_the_root_of_the_mean_square_over_two_tiles) {
  const std::uint32_t width = 1500;
  const stored gain = make(dtype::bf16, width, 3);
  const stored x = make(dtype::f32, 2 * width, 4);
  std::vector<float> out(2 * width);
  device::block_context context;
  rms_norm({gain.bytes.data(), 1, width, dtype::bf16}, 1e-6F, x.values.data(), 2, out.data(),
           context);
  EXPECT_EQ(context.weight_bytes, 2 * width);
  for (std::uint32_t t = 0; t < 2; ++t) {
    double squares = 0.0;
    for (std::uint32_t i = 0; i < width; ++i)
      squares += std::pow(static_cast<double>(x.values[t * width + i]), 2);
    const double scale = 1.0 / std::sqrt(squares / width + 1e-6);
    for (std::uint32_t i = 0; i < width; ++i)
      ASSERT_NEAR(out[t * width + i], x.values[t * width + i] * scale * gain.values[i], 1e-5);
  }
}

TEST(Exponential, is_within_3e_7_of_the_true_one) {
  for (double x = -86.9; x < 87.9; x += 0.0137) {
    const auto rounded = static_cast<float>(x);
    float value = rounded;
    exponentials(&value, 1, 0.0F);
    ASSERT_NEAR(value / std::exp(static_cast<double>(rounded)), 1.0, 3e-7) << x;
  }
}

TEST(Exponential, carries_nan_instead_of_hiding_it) {
  std::vector<float> values(17, 0.0F);
  values[16] = NAN;
  exponentials(values.data(), values.size(), 0.0F);
  EXPECT_EQ(values[0], 1.0F);
  EXPECT_TRUE(std::isnan(values[16]));
}

TEST(Exponential, silu_multiplies_by_the_logistic) {
  std::vector<float> gate{-20.0F, -1.0F, 0.0F, 1.0F, 20.0F, -200.0F};
  const std::vector<float> z = gate;
  const std::vector<float> up(z.size(), 2.0F);
  silu_times(gate.data(), up.data(), gate.size());
  for (std::size_t i = 0; i < z.size(); ++i)
    EXPECT_NEAR(gate[i], 2.0 * z[i] / (1.0 + std::exp(-static_cast<double>(z[i]))), 2e-6) << z[i];
}

}  // namespace
}  // namespace assay::ops
