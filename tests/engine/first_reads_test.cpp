// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file an operator could name memory that it does not read: threads would fetch lines
// that nobody wants, and the only sign would be a slower step.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/ops/gated_mlp.h"
#include "runtime/ops/head.h"
#include "runtime/ops/projection.h"

namespace assay::ops {
namespace {

// Three weights, one behind the other, and room for their products.
class FirstReads : public testing::Test {
 protected:
  static constexpr std::uint32_t columns = 1024;
  static constexpr std::uint32_t rows = 520;  // no multiple of a block's
  static constexpr std::size_t weight_bytes = std::size_t{rows} * columns * 2;

  weight part(std::uint32_t i) {
    return {memory_.data() + i * weight_bytes, rows, columns, checkpoint::dtype::bf16};
  }

  // A value that is no number, put where the block says that it begins: how many products have
  // become none.
  std::ptrdiff_t spoiled_products(const device::kernel& what, std::uint32_t block) {
    const device::first_reads reads = what.reads(what.arguments.data(), block);
    std::ptrdiff_t found = 0;
    for (const std::byte* place : reads.places) {
      if (place == nullptr) continue;
      EXPECT_LE(place + reads.bytes, memory_.data() + memory_.size());
      std::byte* spoiled = memory_.data() + (place - memory_.data());
      std::memset(spoiled, 0xff, 2);
      run(what, block);
      std::memset(spoiled, 0, 2);
      found += std::count_if(out_.begin(), out_.end(), [](float each) { return std::isnan(each); });
    }
    return found;
  }

  void run(const device::kernel& what, std::uint32_t block) {
    std::fill(out_.begin(), out_.end(), 0.0F);
    device::block_context context;
    context.block = block;
    context.blocks = what.blocks;
    what.body(what.arguments.data(), context);
  }

  void expect_four(const device::kernel& what) {
    ASSERT_NE(what.reads, nullptr) << what.name;
    ASSERT_GT(what.blocks, 4U) << what.name;
    for (const std::uint32_t block : {0U, 1U, what.blocks / 2, what.blocks - 2})
      EXPECT_EQ(spoiled_products(what, block), 4) << what.name << ", block " << block;
  }

  std::vector<std::byte> memory_ = std::vector<std::byte>(3 * weight_bytes);
  std::vector<float> x_ = std::vector<float>(columns, 1.0F);
  std::vector<float> out_ = std::vector<float>(3 * rows);
};

TEST_F(FirstReads, of_a_projection_are_four_rows_of_it) {
  expect_four(project_add("down_projection", {x_.data(), part(0), out_.data(), 1}));
}

TEST_F(FirstReads, of_the_head_are_four_rows_of_it) {
  head_arguments a;
  a.normed = x_.data();
  a.head = part(0);
  a.logits = out_.data();
  a.positions = 1;
  expect_four(head(a));
}

TEST_F(FirstReads, of_a_query_key_value_product_are_of_the_weight_that_the_block_begins_in) {
  norm_qkv_arguments a;
  a.normed = x_.data();
  a.q_weight = part(0);
  a.k_weight = part(1);
  a.v_weight = part(2);
  a.q = out_.data();
  a.k = out_.data() + rows;
  a.v = out_.data() + 2 * rows;
  a.tokens = 1;
  expect_four(norm_qkv(a));
}

// A spoiled gate spoils its product, a spoiled row of the other weight that product and its own.
TEST_F(FirstReads, of_a_gated_product_are_two_rows_of_each_weight) {
  gated_mlp_arguments a;
  a.normed = x_.data();
  a.gate_weight = part(0);
  a.up_weight = part(1);
  a.gate = out_.data();
  a.up = out_.data() + rows;
  a.tokens = 1;
  const device::kernel gated = gated_mlp(a);
  for (const std::uint32_t block : {0U, gated.blocks / 2})
    EXPECT_EQ(spoiled_products(gated, block), 2 * 1 + 2 * 2) << "block " << block;
}

TEST_F(FirstReads, of_many_tokens_are_none) {
  const device::kernel many = project_add("down_projection", {x_.data(), part(0), out_.data(), 2});
  const device::first_reads reads = many.reads(many.arguments.data(), 0);
  EXPECT_EQ(reads.bytes, 0U);
  EXPECT_EQ(reads.places[0], nullptr);
}

}  // namespace
}  // namespace assay::ops
