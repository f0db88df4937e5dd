// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What compute-sanitizer looks at: each kernel of prefill, in the fewest rows that bring all of its
// turns. Without this, a warp could read a tile that another has not written yet, or a row that
// nobody wrote, and the numbers would be right on the machine that they were compared on.
#include "tests/gpu/gpu_gate.h"
#include "tests/gpu/prefill_case.h"

namespace assay::test {
namespace {

using ops::cuda::element;
using ops::cuda::row_attention;

void check_small(const prefill_case& c, row_attention kind, beside_rows beside) {
  std::mt19937_64 random(51);
  SCOPED_TRACE("type " + std::to_string(static_cast<int>(c.type)) + ", heads of " +
               std::to_string(c.head_dim));
  check_prefill_case(c, kind, random, beside);
}

// Tiles of 64 keys, two at a time: the third takes the place of the first.
TEST(PrefillSmall, warps_attend_over_three_tiles) {
  ASSAY_NEEDS_GPU();
  for (const element type : {element::bf16, element::f16})
    for (const std::uint32_t head_dim : {16U, 32U, 64U, 128U}) {
      check_small({type, 2, 1, head_dim, 126, 5}, row_attention::warps, beside_rows::unwritten);
      if (HasFatalFailure()) return;
    }
}

// A second block of 128 queries, and pages whose size is no power of two.
TEST(PrefillSmall, warps_attend_in_two_blocks) {
  ASSAY_NEEDS_GPU();
  check_small({element::bf16, 1, 1, 16, 0, 129, 7, false, true}, row_attention::warps,
              beside_rows::unwritten);
}

TEST(PrefillSmall, lanes_attend_in_f32) {
  ASSAY_NEEDS_GPU();
  for (const std::uint32_t head_dim : {16U, 32U, 64U, 128U}) {
    check_small({element::f32, 2, 1, head_dim, 30, 5}, row_attention::by_shape,
                beside_rows::unwritten);
    if (HasFatalFailure()) return;
  }
}

// A block with two contexts of three tiles of 128 keys, two at a time, that end within a page.
// Boxes are copied whole: what they bring from beside the rows is written, and no number.
TEST(PrefillSmall, copies_and_products_overlap_over_three_tiles) {
  ASSAY_NEEDS_GPU();
  for (const element type : {element::bf16, element::f16})
    for (const std::uint32_t head_dim : {64U, 128U})
      for (const std::uint32_t page_tokens : {8U, 128U}) {
        check_small({type, 1, 1, head_dim, 130, 129, page_tokens}, row_attention::pipelined,
                    beside_rows::no_numbers);
        if (HasFatalFailure()) return;
      }
}

// Columns for each number of threads a row: a warp, two, four, eight and sixteen of them.
TEST(PrefillSmall, rows_are_normed_gated_and_embedded_at_every_width) {
  ASSAY_NEEDS_GPU();
  std::mt19937_64 random(52);
  for (const element type : {element::bf16, element::f16, element::f32})
    for (const std::uint32_t columns : {96U, 1032U, 2056U, 4104U, 8200U}) {
      SCOPED_TRACE("type " + std::to_string(static_cast<int>(type)) + ", " +
                   std::to_string(columns) + " columns");
      check_norm_and_gate(type, columns, 2, random, beside_rows::unwritten);
      check_embed(type, columns, 2, random, beside_rows::unwritten);
      if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace assay::test
