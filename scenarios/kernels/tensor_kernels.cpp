// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Operators over stored tensors. Sizes: those of the suite whose table this project answers to.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "runtime/ops/bias.h"
#include "runtime/ops/embed.h"
#include "runtime/ops/multiply.h"
#include "scenarios/kernels/families.h"
#include "scenarios/kernels/launched_kernel.h"

namespace assay::scenarios {
namespace {

using checkpoint::dtype;

constexpr std::uint64_t float_bytes = sizeof(float);

struct matrix_shape {
  std::uint32_t rows;
  std::uint32_t columns;
};

std::string family_name(const char* name, dtype type) {
  return fmt::format("{}/{}", name, name_of(type));
}

struct add_arguments {
  ops::weight bias;
  float* out;
  std::uint32_t tokens;
};

void add_body(const add_arguments& a, device::block_context& context) {
  ops::add_bias(a.bias, ops::rows_of_block(a.bias.columns, context), a.tokens, a.out, context);
}

// Blocks of 64 KiB of what is added to, as far as there are columns for them: about as much as a
// projection's block has when it adds its part of the bias.
std::uint32_t blocks_of_add(const matrix_shape& shape) {
  const std::uint64_t bytes = shape.rows * shape.columns * float_bytes;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(bytes >> 16, 1, std::max(1U, shape.columns / 64)));
}

result<bound_kernel> bind_add(dtype type, const matrix_shape& shape) {
  ASSAY_TRY_ASSIGN(stored_operand bias, stored_matrix(type, 1, shape.columns));
  ASSAY_TRY_ASSIGN(operand_memory out, float_matrix(std::uint64_t{shape.rows} * shape.columns));
  bound_kernel bound;
  bound.what = device::kernel::bind<add_arguments, add_body>(
      "add", {bias.as_weight, out.floats(), shape.rows}, blocks_of_add(shape));
  bound.memory.push_back(std::move(bias.memory));
  bound.memory.push_back(std::move(out));
  return bound;
}

struct gather_shape {
  matrix_shape table;
  std::uint32_t ids;
};

result<bound_kernel> bind_gather(dtype type, const gather_shape& shape) {
  ASSAY_TRY_ASSIGN(stored_operand table,
                   stored_matrix(type, shape.table.rows, shape.table.columns));
  ASSAY_TRY_ASSIGN(operand_memory ids, operand_memory::create(shape.ids * sizeof(std::int32_t)));
  auto* id = reinterpret_cast<std::int32_t*>(ids.data());
  for (std::uint32_t i = 0; i < shape.ids; ++i)
    id[i] = static_cast<std::int32_t>(std::uint64_t{i} * 97 % shape.table.rows);
  ASSAY_TRY_ASSIGN(operand_memory out,
                   float_matrix(std::uint64_t{shape.ids} * shape.table.columns));
  // A head of no dimensions has no angles: what is left of the operator is the gather.
  ops::embed_arguments arguments;
  arguments.ids = id;
  arguments.table = table.as_weight;
  arguments.x = out.floats();
  arguments.rotary = out.floats();
  arguments.tokens = shape.ids;
  bound_kernel bound;
  bound.what = ops::embed(arguments);
  bound.memory.push_back(std::move(table.memory));
  bound.memory.push_back(std::move(ids));
  bound.memory.push_back(std::move(out));
  return bound;
}

struct norm_arguments {
  ops::weight gain;
  const float* x;
  float* out;
  std::uint32_t tokens;
};

void norm_body(const norm_arguments& a, device::block_context& context) {
  constexpr float eps = 1e-6F;
  ops::rms_norm(a.gain, eps, a.x, a.tokens, a.out, context);
}

result<bound_kernel> bind_reduce_mean(dtype type, const matrix_shape& shape) {
  const std::uint64_t count = std::uint64_t{shape.rows} * shape.columns;
  ASSAY_TRY_ASSIGN(stored_operand gain, stored_matrix(type, 1, shape.columns));
  ASSAY_TRY_ASSIGN(operand_memory x, float_matrix(count));
  ASSAY_TRY_ASSIGN(operand_memory out, float_matrix(count));
  bound_kernel bound;
  bound.what = device::kernel::bind<norm_arguments, norm_body>(
      "rms_norm", {gain.as_weight, x.floats(), out.floats(), shape.rows}, 1);
  bound.memory.push_back(std::move(gain.memory));
  bound.memory.push_back(std::move(x));
  bound.memory.push_back(std::move(out));
  return bound;
}

struct product_arguments {
  ops::weight w;
  const float* x;
  float* out;
  std::uint32_t tokens;
};

void product_body(const product_arguments& a, device::block_context& context) {
  ops::multiply(a.w, ops::rows_at(a.w, context.block, a.tokens), a.x, a.tokens, a.out,
                ops::into::store, context);
}

struct product_shape {
  std::uint32_t tokens;
  matrix_shape weight;
};

result<bound_kernel> bind_matmul(dtype type, const product_shape& shape) {
  ASSAY_TRY_ASSIGN(stored_operand w, stored_matrix(type, shape.weight.rows, shape.weight.columns));
  ASSAY_TRY_ASSIGN(operand_memory x,
                   float_matrix(std::uint64_t{shape.tokens} * shape.weight.columns));
  ASSAY_TRY_ASSIGN(operand_memory out,
                   float_matrix(std::uint64_t{shape.tokens} * shape.weight.rows));
  bound_kernel bound;
  bound.what = device::kernel::bind<product_arguments, product_body>(
      "matmul", {w.as_weight, x.floats(), out.floats(), shape.tokens},
      ops::blocks_of(w.as_weight, shape.tokens));
  bound.memory.push_back(std::move(w.memory));
  bound.memory.push_back(std::move(x));
  bound.memory.push_back(std::move(out));
  return bound;
}

}  // namespace

void add_rows_of_add(std::uint32_t cores, kernel_list& to) {
  for (const dtype type : stored_types)
    for (const matrix_shape shape : {matrix_shape{1, 1024}, {256, 1024}, {1024, 4096}}) {
      const std::uint64_t count = std::uint64_t{shape.rows} * shape.columns;
      add_widths({family_name("add", type),
                  fmt::format("{}x{}", shape.rows, shape.columns),
                  {shape.columns * checkpoint::bytes_of(type), 2 * count * float_bytes, count},
                  [type, shape] { return bind_add(type, shape); }},
                 cores, to);
    }
}

void add_rows_of_gather(std::uint32_t cores, kernel_list& to) {
  for (const dtype type : stored_types)
    for (const gather_shape shape :
         {gather_shape{{4096, 128}, 32}, {{16384, 256}, 128}, {{32768, 512}, 256}}) {
      const std::uint64_t count = std::uint64_t{shape.ids} * shape.table.columns;
      add_widths({family_name("gather", type),
                  fmt::format("{}x{}by{}", shape.table.rows, shape.table.columns, shape.ids),
                  {count * checkpoint::bytes_of(type),
                   count * float_bytes + shape.ids * sizeof(std::int32_t), 0},
                  [type, shape] { return bind_gather(type, shape); }},
                 cores, to);
    }
}

// The only mean over an axis that the runtime takes is that of the squares in its norm. It is made
// whole before a launch's blocks, by one thread, so it has no other width.
void add_rows_of_reduce_mean(std::uint32_t, kernel_list& to) {
  for (const dtype type : stored_types)
    for (const matrix_shape shape : {matrix_shape{32, 128}, {128, 512}, {256, 1024}}) {
      const std::uint64_t count = std::uint64_t{shape.rows} * shape.columns;
      add_single({family_name("reduce_mean_of_rms_norm", type),
                  fmt::format("{}x{}", shape.rows, shape.columns),
                  {shape.columns * checkpoint::bytes_of(type), 2 * count * float_bytes, 4 * count},
                  [type, shape] { return bind_reduce_mean(type, shape); }},
                 to);
    }
}

void add_rows_of_matmul(std::uint32_t cores, kernel_list& to) {
  for (const dtype type : stored_types)
    for (const product_shape shape :
         {product_shape{1, {256, 256}}, {32, {512, 512}}, {32, {1024, 1024}}}) {
      const std::uint64_t count = std::uint64_t{shape.weight.rows} * shape.weight.columns;
      const std::uint64_t beside =
          std::uint64_t{shape.tokens} * (shape.weight.rows + shape.weight.columns);
      add_widths(
          {family_name("matmul", type),
           fmt::format("{}x{}x{}", shape.tokens, shape.weight.columns, shape.weight.rows),
           {count * checkpoint::bytes_of(type), beside * float_bytes, 2 * shape.tokens * count},
           [type, shape] { return bind_matmul(type, shape); }},
          cores, to);
    }
}

}  // namespace assay::scenarios
