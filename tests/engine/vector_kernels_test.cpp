// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file one instruction set's loops could drop a tail, sum in another precision, or
// give a row another value because of the rows beside it, and only some processors would show it.
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/ops/stored_element.h"
#include "runtime/ops/vector_kernels.h"

namespace assay::ops {
namespace {

using checkpoint::dtype;

class Kernels : public testing::TestWithParam<isa> {
 protected:
  void SetUp() override {
    if (best_isa() < GetParam()) GTEST_SKIP() << "this processor has no " << to_string(GetParam());
  }
  const vector_kernels& loops() const { return kernels_of(GetParam()); }
  float real() { return std::uniform_real_distribution<float>(-2.0F, 2.0F)(random_); }
  std::vector<float> reals(std::size_t count) {
    std::vector<float> values(count);
    for (float& each : values) each = real();
    return values;
  }

  std::mt19937 random_{7};
};

// Rows of a stored weight, and what they stand for.
struct stored_rows {
  std::vector<std::byte> bytes;
  std::vector<double> values;
  std::size_t row_bytes;
};

stored_rows make(dtype type, std::size_t rows, std::size_t columns, std::mt19937& random) {
  stored_rows made{{}, {}, columns * checkpoint::bytes_of(type)};
  for (std::size_t i = 0; i < rows * columns; ++i) {
    float value = std::uniform_real_distribution<float>(-2.0F, 2.0F)(random);
    auto bits = std::bit_cast<std::uint32_t>(value);
    // Bits of any finite f16 below 2 will do; a bf16 is the upper half of an f32.
    const auto half = static_cast<std::uint16_t>(
        type == dtype::bf16 ? bits >> 16 : (bits >> 16 & 0x8000U) | (bits >> 4 & 0x3fffU));
    if (type == dtype::bf16) value = widened(stored_bf16{half});
    if (type == dtype::f16) value = widened(stored_f16{half});
    made.values.push_back(static_cast<double>(value));
    const std::size_t at = made.bytes.size();
    made.bytes.resize(at + checkpoint::bytes_of(type));
    if (type == dtype::f32)
      std::memcpy(&made.bytes[at], &value, 4);
    else
      std::memcpy(&made.bytes[at], &half, 2);
  }
  return made;
}

// A sum of n products in f32 is off by n roundings of its largest partial sum at most.
double bound(double magnitude, std::size_t terms) {
  return magnitude * static_cast<double>(terms + 4) * 0x1p-24;
}

double product_of(const stored_rows& rows, std::size_t row, const std::vector<float>& x,
                  double& magnitude) {
  double sum = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double product = rows.values[row * x.size() + k] * static_cast<double>(x[k]);
    sum += product;
    magnitude += std::fabs(product);
  }
  return sum;
}

// Runs of different lengths, one of them empty: what a short one reads beyond its end goes nowhere.
TEST_P(Kernels, dot_rows_are_sums_of_products_each_where_it_belongs) {
  constexpr std::array<std::uint32_t, 4> lengths{3, 0, 1, 2};
  for (const dtype type : {dtype::bf16, dtype::f16, dtype::f32})
    for (const std::size_t columns : {1U, 7U, 16U, 31U, 32U, 33U, 64U, 100U, 1024U, 1030U})
      for (const bool is_sum : {false, true}) {
        const stored_rows rows = make(type, 6, columns, random_);
        const std::vector<float> x = reals(columns);
        std::vector<float> got(7, 0.5F);
        row_runs runs;
        for (std::uint32_t i = 0, row = 0; i < 4; row += lengths[i++])
          if (lengths[i] > 0)
            runs[i] = {&rows.bytes[row * rows.row_bytes], lengths[i], got.data() + row};
        EXPECT_EQ(loops().dot_rows(type, runs, x.data(), columns, is_sum), 6U);
        for (std::size_t row = 0; row < 6; ++row) {
          double magnitude = 0.5;
          const double want = product_of(rows, row, x, magnitude) + (is_sum ? 0.5 : 0.0);
          ASSERT_NEAR(got[row], want, bound(magnitude, columns))
              << columns << " columns, row " << row;
        }
        EXPECT_EQ(got[6], 0.5F);
      }
}

TEST_P(Kernels, dot_of_a_row_does_not_depend_on_the_rows_beside_it) {
  const stored_rows rows = make(dtype::bf16, 4, 777, random_);
  const std::vector<float> x = reals(777);
  const auto at = [&](std::size_t i) { return rows.bytes.data() + i * rows.row_bytes; };
  std::array<float, 4> together;
  std::array<float, 2> alone;
  loops().dot_rows(dtype::bf16, {{{at(0), 4, together.data()}}}, x.data(), 777, false);
  loops().dot_rows(dtype::bf16, {{{at(2), 1, &alone[0]}, {}, {}, {at(2), 1, &alone[1]}}}, x.data(),
                   777, false);
  EXPECT_EQ(alone[0], together[2]);
  EXPECT_EQ(alone[1], together[2]);
}

TEST_P(Kernels, panel_holds_each_element_where_it_belongs) {
  const auto panel = std::make_unique<weight_panel>();
  for (const dtype type : {dtype::bf16, dtype::f16, dtype::f32})
    for (const std::uint32_t rows : {1U, 9U, 32U})
      for (const std::uint32_t columns : {1U, 20U, 53U, 256U}) {
        const stored_rows from = make(type, rows, columns, random_);
        for (auto& each : panel->values) each.fill(5.0F);
        loops().fill_panel(type, from.bytes.data(), from.row_bytes, rows, columns, *panel);
        for (std::uint32_t k = 0; k < columns; ++k)
          for (std::uint32_t lane = 0; lane < panel_lanes; ++lane)
            ASSERT_EQ(static_cast<double>(panel->values[k][lane]),
                      lane < rows ? from.values[lane * columns + k] : 0.0)
                << "lane " << lane << " column " << k;
      }
}

TEST_P(Kernels, panel_times_tokens_is_the_sum_of_products_and_writes_nothing_else) {
  const auto panel = std::make_unique<weight_panel>();
  constexpr std::size_t stride = 300;
  const std::vector<float> x = reals(tile_tokens * stride);
  for (auto& each : panel->values)
    for (float& value : each) value = real();
  for (std::uint32_t tokens = 1; tokens <= tile_tokens; ++tokens)
    for (const std::uint32_t lanes : {1U, 15U, 16U, 17U, 31U, 32U})
      for (const bool is_sum : {false, true}) {
        const std::uint32_t columns = 200 + tokens;
        std::vector<float> out(tile_tokens * 40, 3.0F);
        loops().multiply_panel(*panel, {x.data(), stride}, columns,
                               {out.data(), 40, tokens, lanes, is_sum});
        for (std::uint32_t t = 0; t < tile_tokens; ++t)
          for (std::uint32_t lane = 0; lane < 40; ++lane) {
            double want = 3.0;
            if (t < tokens && lane < lanes) {
              want = is_sum ? 3.0 : 0.0;
              for (std::uint32_t k = 0; k < columns; ++k)
                want += static_cast<double>(panel->values[k][lane]) *
                        static_cast<double>(x[t * stride + k]);
            }
            ASSERT_NEAR(out[t * 40 + lane], want, bound(4.0 * columns, columns))
                << tokens << " tokens, " << lanes << " lanes, at " << t << ", " << lane;
          }
      }
}

// Rows as a page has them: other heads' columns between one row and the next.
TEST_P(Kernels, scores_and_mixtures_are_the_sums_of_products) {
  for (const std::uint32_t columns : {4U, 16U, 80U, 128U})
    for (const std::uint32_t heads : {1U, 2U, 5U})
      for (const std::uint32_t count : {1U, 4U, 17U}) {
        const std::size_t stride = columns + 24;
        const std::vector<float> rows = reals(count * stride);
        const std::vector<float> q = reals(heads * columns);
        std::vector<float> scores(heads * 20, 9.0F);
        loops().score_rows({rows.data(), stride, count}, q.data(), heads, columns, 0.5F,
                           scores.data(), 20);
        std::vector<float> out(heads * columns, 1.0F);
        loops().mix_rows({rows.data(), stride, count}, scores.data(), 20, heads, columns,
                         out.data());
        for (std::uint32_t h = 0; h < heads; ++h) {
          std::vector<double> mixed(columns, 1.0);
          for (std::uint32_t i = 0; i < count; ++i) {
            double want = 0.0;
            for (std::uint32_t k = 0; k < columns; ++k)
              want += static_cast<double>(rows[i * stride + k]) *
                      static_cast<double>(q[h * columns + k]);
            ASSERT_NEAR(scores[h * 20 + i], 0.5 * want, bound(4.0 * columns, columns));
            for (std::uint32_t k = 0; k < columns; ++k)
              mixed[k] += static_cast<double>(scores[h * 20 + i]) *
                          static_cast<double>(rows[i * stride + k]);
          }
          for (std::uint32_t k = 0; k < columns; ++k)
            ASSERT_NEAR(out[h * columns + k], mixed[k], bound(8.0 * columns * count, count));
          EXPECT_EQ(scores[h * 20 + count], 9.0F);
        }
      }
}

INSTANTIATE_TEST_SUITE_P(Isa, Kernels, testing::Values(isa::portable, isa::avx2, isa::avx512),
                         [](const auto& each) { return std::string(to_string(each.param)); });

TEST(Isa, in_force_is_the_limit_where_the_processor_has_it) {
  for (const isa most : {isa::portable, isa::avx2, isa::avx512}) {
    EXPECT_EQ(limit_isa(most), std::min(most, best_isa()));
    EXPECT_EQ(&kernels_in_force(), &kernels_of(std::min(most, best_isa())));
  }
  EXPECT_EQ(limit_isa(best_isa()), best_isa());
}

}  // namespace
}  // namespace assay::ops
