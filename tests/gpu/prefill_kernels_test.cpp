// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, prefill could attend to a token too many or too few at the edge of a tile or of a
// page: in a long prompt one key of hundreds, which no end-to-end comparison would see.
#include "runtime/ops/cuda/prefill_kernels.h"
#include "runtime/ops/cuda/matrix_products.h"
#include "tests/gpu/gpu_gate.h"
#include "tests/gpu/prefill_case.h"
#include "tests/gpu/reference.h"
#include "tests/gpu/tensors.h"

namespace assay::test {
namespace {

using namespace ops::cuda;
using reference::row;

constexpr float eps = 1e-6F;

const prefill_case cases[] = {
    {element::bf16, 4, 2, 128, 0, 1},
    {element::bf16, 4, 2, 128, 0, 2},
    {element::bf16, 4, 2, 128, 0, 15},
    {element::bf16, 4, 2, 128, 0, 16},
    {element::bf16, 4, 2, 128, 0, 17},
    {element::bf16, 4, 1, 64, 0, 63, 16, false, true},
    {element::bf16, 4, 1, 64, 0, 64, 16, false, true},
    {element::bf16, 4, 1, 64, 0, 65, 16, false, true},
    {element::bf16, 3, 1, 128, 0, 127},
    {element::bf16, 3, 1, 128, 0, 128, 64},
    {element::bf16, 3, 1, 128, 0, 129},
    {element::bf16, 8, 8, 64, 0, 300, 7, false},
    {element::bf16, 6, 2, 32, 63, 66, 1},
    {element::bf16, 4, 4, 16, 64, 64, 16, false},
    {element::bf16, 14, 2, 64, 1, 130, 256, false, true},
    {element::bf16, 8, 1, 128, 700, 40},
    {element::bf16, 2, 2, 128, 0, 600, 16, false},
    {element::bf16, 2, 1, 128, 70, 1100},
    {element::f16, 2, 1, 64, 0, 1025, 32},
    {element::f16, 4, 2, 128, 5, 140},
    {element::f16, 4, 1, 64, 127, 2, 64, true, true},
    {element::f16, 6, 2, 32, 128, 15},
    {element::f16, 4, 1, 16, 0, 129, 16, false, true},
    {element::f32, 6, 2, 16, 31, 33, 16, false, true},
    {element::f32, 4, 2, 32, 0, 65},
    {element::f32, 9, 3, 64, 100, 3, 7},
    {element::f32, 2, 2, 128, 64, 70},
    // Pages of 8 tokens: a box of a tile's copies has the eight rows of one unit of the swizzle.
    {element::bf16, 4, 2, 128, 0, 150, 8},
    {element::bf16, 4, 2, 64, 13, 260, 8, false, true},
    {element::f16, 2, 1, 128, 121, 15, 8},
    // Pages of a tile and of more: a box is a whole tile.
    {element::bf16, 4, 2, 128, 0, 300, 128},
    {element::bf16, 4, 2, 128, 100, 200, 256},
    {element::f16, 2, 1, 128, 127, 130, 512, false},
    // Groups of five and six query heads.
    {element::bf16, 10, 2, 128, 60, 135},
    {element::bf16, 12, 2, 128, 0, 140, 8, false},
    {element::f16, 5, 1, 64, 127, 70, 16, false, true},
    {element::bf16, 6, 1, 64, 0, 129},
    {element::bf16, 10, 2, 32, 63, 66},
    {element::f32, 6, 1, 64, 30, 40},
    {element::f32, 5, 1, 128, 0, 70},
};

bool can_pipeline(const prefill_case& c) {
  const bool is_power = (c.page_tokens & (c.page_tokens - 1)) == 0;
  return c.type != element::f32 && c.head_dim >= 64 && c.page_tokens >= 8 && is_power;
}

void check_all(row_attention kind) {
  std::mt19937_64 random(31);
  for (const prefill_case& c : cases) {
    if (kind == row_attention::pipelined && !can_pipeline(c)) continue;
    SCOPED_TRACE("type " + std::to_string(static_cast<int>(c.type)) + ", heads " +
                 std::to_string(c.heads) + "/" + std::to_string(c.kv_heads) + " x " +
                 std::to_string(c.head_dim) + ", tokens " + std::to_string(c.first) + " + " +
                 std::to_string(c.tokens) + ", pages of " + std::to_string(c.page_tokens));
    check_prefill_case(c, kind, random);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(PrefillKernels, append_and_attend_as_the_reference_at_the_edges_of_tiles_and_pages) {
  ASSAY_NEEDS_GPU();
  check_all(row_attention::warps);
}

TEST(PrefillKernels, do_so_where_copies_and_products_overlap) {
  ASSAY_NEEDS_GPU();
  check_all(row_attention::pipelined);
}

TEST(PrefillKernels, do_so_by_what_each_shape_takes) {
  ASSAY_NEEDS_GPU();
  check_all(row_attention::by_shape);
}

TEST(PrefillKernels, overlap_copies_and_products_of_heads_and_pages_that_can_alone) {
  ASSAY_NEEDS_GPU();
  const device_array<std::byte> any(4096);
  const device_array<std::uint32_t> table(1);
  const attend_rows_arguments can{
      any.data(), any.data(), table.data(), any.data(), 16, 1, 1, 64, row_attention::pipelined};
  EXPECT_EQ(attend_rows(element::f32, {nullptr, 0, 1}, can), cudaErrorInvalidValue);
  attend_rows_arguments a = can;
  a.head_dim = 32;
  EXPECT_EQ(attend_rows(element::bf16, {nullptr, 0, 1}, a), cudaErrorInvalidValue);
  for (const std::uint32_t page_tokens : {4U, 24U}) {
    a = can;
    a.page_tokens = page_tokens;
    EXPECT_EQ(attend_rows(element::bf16, {nullptr, 0, 1}, a), cudaErrorInvalidValue);
  }
}

TEST(PrefillKernels, norm_and_gate_rows_as_the_reference) {
  ASSAY_NEEDS_GPU();
  std::mt19937_64 random(32);
  constexpr std::uint32_t tokens = 5;
  for (const element type : {element::bf16, element::f16, element::f32})
    for (const std::uint32_t columns : {96U, 1024U, 2048U, 4096U, 14336U}) {
      SCOPED_TRACE("type " + std::to_string(static_cast<int>(type)) + ", " +
                   std::to_string(columns) + " columns");
      check_norm_and_gate(type, columns, tokens, random);
      if (HasFatalFailure()) return;
    }
}

TEST(PrefillKernels, embed_rows_as_they_are) {
  ASSAY_NEEDS_GPU();
  std::mt19937_64 random(35);
  for (const element type : {element::bf16, element::f16, element::f32})
    for (const std::uint32_t columns : {96U, 4096U}) check_embed(type, columns, 9, random);
}

// Rows of odd addresses are what any driver refuses.
TEST(PrefillKernels, attend_by_warps_where_the_driver_makes_no_maps) {
  ASSAY_NEEDS_GPU();
  std::mt19937_64 random(36);
  for (const prefill_case& c : {prefill_case{element::bf16, 4, 2, 128, 5, 140},
                                prefill_case{element::f16, 4, 1, 64, 0, 65}}) {
    check_refused_maps(c, random);
    if (HasFatalFailure()) return;
  }
}

TEST(PrefillKernels, refuse_shapes_that_no_kernel_covers) {
  ASSAY_NEEDS_GPU();
  attend_rows_arguments a{};
  a.heads = 4;
  a.kv_heads = 2;
  a.head_dim = 96;
  a.page_tokens = 16;
  EXPECT_EQ(attend_rows(element::bf16, {nullptr, 0, 1}, a), cudaErrorInvalidValue);
  a.head_dim = 64;
  EXPECT_EQ(attend_rows(element::bf16, {nullptr, 0, 0}, a), cudaErrorInvalidValue);
  a.heads = 5;
  EXPECT_EQ(attend_rows(element::bf16, {nullptr, 0, 1}, a), cudaErrorInvalidValue);
  for (const std::uint32_t columns : {12U, 16392U})
    EXPECT_EQ(norm_rows(element::bf16, {nullptr, 0, 1}, {nullptr, nullptr, nullptr, columns, eps}),
              cudaErrorInvalidValue);
}

/// What one rounding to the type may cost, of the value.
double step_of(element type) {
  return type == element::bf16 ? 8e-3 : type == element::f16 ? 1e-3 : 1e-5;
}

/// out (tokens, rows · matrices) = input · wᵀ of two matrices, and added to what was there.
TEST(MatrixProducts, are_the_products_that_the_layout_says) {
  ASSAY_NEEDS_GPU();
  std::mt19937_64 random(33);
  const device_array<std::byte> workspace(matrix_products::workspace_bytes);
  auto products = matrix_products::create(nullptr, workspace.data());
  ASSERT_TRUE(products) << products.error().message;
  constexpr std::uint32_t tokens = 37, rows = 48, columns = 224;
  for (const element type : {element::bf16, element::f16, element::f32}) {
    SCOPED_TRACE("type " + std::to_string(static_cast<int>(type)));
    const tensor second = random_tensor(type, rows * columns, -1, 1, random);
    const tensor first = random_tensor(type, rows * columns, -1, 1, random);
    const tensor input = random_tensor(type, tokens * columns, -1, 1, random);
    const auto before = random_floats(std::size_t{tokens} * rows, 10.0, random);
    const device_array<std::byte> out(std::size_t{tokens} * 2 * rows * bytes_of(type));
    const device_array<float> added(before);
    const auto multiplied =
        products->multiply(type, {first.device.data(), second.device.data(), input.device.data(),
                                  out.data(), tokens, rows, columns, 2 * rows});
    ASSERT_TRUE(multiplied) << multiplied.error().message;
    const auto more =
        products->multiply_add(type, {first.device.data(), nullptr, input.device.data(),
                                      added.data(), tokens, rows, columns, rows});
    ASSERT_TRUE(more) << more.error().message;
    ASSERT_CUDA(cudaDeviceSynchronize());
    const auto got = unpacked(type, out.host());
    row wanted;
    row wanted_sum;
    for (std::uint32_t t = 0; t < tokens; ++t) {
      const auto at = input.values.begin() + std::ptrdiff_t{t} * columns;
      const row x(at, at + columns);
      const row one = reference::product(first.values, x);
      const row two = reference::product(second.values, x);
      wanted.insert(wanted.end(), one.begin(), one.end());
      wanted.insert(wanted.end(), two.begin(), two.end());
      for (std::uint32_t r = 0; r < rows; ++r)
        wanted_sum.push_back(one[r] + double{before[std::size_t{t} * rows + r]});
    }
    EXPECT_LT(relative_error({got.begin(), got.end()}, wanted), step_of(type));
    EXPECT_LT(relative_error(added.host(), wanted_sum), 1e-6);
  }
}

TEST(MatrixProducts, are_the_same_where_two_matrices_lie_together) {
  ASSAY_NEEDS_GPU();
  std::mt19937_64 random(34);
  const device_array<std::byte> workspace(matrix_products::workspace_bytes);
  auto products = matrix_products::create(nullptr, workspace.data());
  ASSERT_TRUE(products) << products.error().message;
  constexpr std::uint32_t tokens = 70, rows = 64, columns = 128;
  const tensor both = random_tensor(element::bf16, 2 * rows * columns, -1, 1, random);
  const tensor input = random_tensor(element::bf16, tokens * columns, -1, 1, random);
  const device_array<std::byte> out(std::size_t{tokens} * 2 * rows * 2);
  const std::byte* second = both.device.data() + rows * columns * 2;
  EXPECT_TRUE(is_followed(element::bf16, both.device.data(), rows, columns, second));
  EXPECT_FALSE(is_followed(element::bf16, both.device.data(), rows, columns, second + 16));
  EXPECT_FALSE(is_followed(element::bf16, both.device.data(), rows, columns, nullptr));
  const auto multiplied =
      products->multiply(element::bf16, {both.device.data(), second, input.device.data(),
                                         out.data(), tokens, rows, columns, 2 * rows});
  ASSERT_TRUE(multiplied) << multiplied.error().message;
  ASSERT_CUDA(cudaDeviceSynchronize());
  const auto got = unpacked(element::bf16, out.host());
  row wanted;
  for (std::uint32_t t = 0; t < tokens; ++t) {
    const auto at = input.values.begin() + std::ptrdiff_t{t} * columns;
    const row one = reference::product(both.values, row(at, at + columns));
    wanted.insert(wanted.end(), one.begin(), one.end());
  }
  EXPECT_LT(relative_error({got.begin(), got.end()}, wanted), step_of(element::bf16));
}

}  // namespace
}  // namespace assay::test
