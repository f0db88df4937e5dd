// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a projection could drop a row at a block's border, a column at a warp's, or add a
// ring's stage twice, and decode would still produce tokens.
#include <cmath>
#include <limits>

#include "tests/gpu/gpu_gate.h"
#include "tests/gpu/reference.h"
#include "tests/gpu/tensors.h"

namespace assay::test {
namespace {

using namespace ops::cuda;
using reference::row;

constexpr float eps = 1e-5F;
/// Sums of thousands of f32 products against double; an error of one row or column is 1e-3 or more.
constexpr double tolerance = 2e-5;

struct projection_case {
  element type;
  std::uint32_t rows;
  std::uint32_t columns;
  std::uint32_t blocks = 132;
  std::uint32_t ring_bytes = 96 * 1024;
  bool has_short_stages = false;
};

// Columns on both sides of each tile's border; rows that leave blocks uneven, empty, or with many
// rounds of a ring.
const projection_case cases[] = {
    {element::bf16, 64, 64},
    {element::bf16, 100, 256},
    {element::bf16, 1024, 1024},
    {element::bf16, 1021, 1032},
    {element::bf16, 514, 2048},
    {element::bf16, 300, 3072},
    {element::bf16, 4096, 4096},
    {element::bf16, 200, 4104},
    {element::bf16, 133, 8192},
    {element::bf16, 264, 14336},
    {element::bf16, 140, 16384},
    {element::bf16, 1000, 1024, 3},
    {element::bf16, 1000, 1024, 3, 16 * 1024},
    {element::bf16, 37, 4096, 1},
    {element::bf16, 100, 256, 132, 96 * 1024, true},
    {element::bf16, 1021, 1032, 132, 96 * 1024, true},
    {element::bf16, 1000, 1024, 3, 96 * 1024, true},
    {element::bf16, 514, 2048, 5, 192 * 1024, true},
    {element::bf16, 4096, 4096, 132, 96 * 1024, true},
    {element::bf16, 300, 4096, 3, 192 * 1024, true},
    {element::bf16, 133, 8192, 132, 96 * 1024, true},
    {element::bf16, 264, 14336, 132, 96 * 1024, true},
    {element::f16, 300, 3072, 132, 96 * 1024, true},
    {element::f16, 64, 64},
    {element::f16, 1021, 1032},
    {element::f16, 300, 3072},
    {element::f16, 133, 8192},
    {element::f16, 70, 14336},
    {element::f32, 64, 64},
    {element::f32, 1021, 1028},
    {element::f32, 300, 3072},
    {element::f32, 133, 4096},
    {element::f32, 133, 8192},
    {element::f32, 7, 12, 5},
    {element::f32, 1000, 1024, 3},
};

launch_site site_of(const projection_case& c) {
  launch_site site;
  site.is_first = true;
  site.blocks = c.blocks;
  site.ring_bytes = c.ring_bytes;
  site.has_short_stages = c.has_short_stages;
  return site;
}

row doubles(const std::vector<float>& from) {
  return {from.begin(), from.end()};
}

std::string describe(const projection_case& c) {
  return "type " + std::to_string(static_cast<int>(c.type)) + ", " + std::to_string(c.rows) +
         " x " + std::to_string(c.columns) + ", " + std::to_string(c.blocks) + " blocks" +
         (c.has_short_stages ? ", short stages" : "");
}

TEST(Projection, adds_every_row_to_the_residual) {
  ASSAY_NEEDS_GPU();
  std::mt19937_64 random(1);
  for (const projection_case& c : cases) {
    SCOPED_TRACE(describe(c));
    const tensor w = random_tensor(c.type, std::size_t{c.rows} * c.columns, -1, 1, random);
    const auto input = random_floats(c.columns, 1.0, random);
    const auto residual = random_floats(c.rows, 1.0, random);
    const device_array<float> x(input);
    const device_array<float> out(residual);
    ASSERT_CUDA(project_add(c.type, site_of(c),
                            {x.data(), w.device.data(), out.data(), c.rows, c.columns}));
    ASSERT_CUDA(cudaDeviceSynchronize());
    row wanted = reference::product(w.values, doubles(input));
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] += residual[i];
    EXPECT_LT(relative_error(out.host(), wanted), tolerance);
  }
}

TEST(Projection, norms_and_projects_to_q_k_and_v) {
  ASSAY_NEEDS_GPU();
  std::mt19937_64 random(2);
  for (const projection_case& c : cases) {
    SCOPED_TRACE(describe(c));
    const std::uint32_t kv_rows = c.rows / 4 + 1;
    const auto weights = [&](std::uint32_t rows) {
      return random_tensor(c.type, std::size_t{rows} * c.columns, -1, 1, random);
    };
    const tensor q = weights(c.rows);
    const tensor k = weights(kv_rows);
    const tensor v = weights(kv_rows);
    const tensor gain = random_tensor(c.type, c.columns, 0.5, 1.5, random);
    const tensor bias = random_tensor(c.type, kv_rows, -30, 30, random);
    const auto input = random_floats(c.columns, 0.3, random);
    device_array<float> x(input);
    const device_array<float> out(c.rows + 2 * kv_rows);
    norm_qkv_arguments a{};
    a.x = x.data();
    a.gain = gain.device.data();
    a.q = q.device.data();
    a.k = k.device.data();
    a.v = v.device.data();
    a.k_bias = bias.device.data();
    a.out = out.data();
    a.columns = c.columns;
    a.q_rows = c.rows;
    a.kv_rows = kv_rows;
    a.eps = eps;
    ASSERT_CUDA(norm_qkv(c.type, site_of(c), a));
    ASSERT_CUDA(cudaDeviceSynchronize());
    const row normed = reference::norm(doubles(input), gain.values, eps);
    row wanted = reference::product(q.values, normed);
    row keys = reference::product(k.values, normed);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] += bias.values[i];
    const row values = reference::product(v.values, normed);
    wanted.insert(wanted.end(), keys.begin(), keys.end());
    wanted.insert(wanted.end(), values.begin(), values.end());
    EXPECT_LT(relative_error(out.host(), wanted), tolerance);
  }
}

TEST(Projection, takes_the_first_activation_from_the_embedding) {
  ASSAY_NEEDS_GPU();
  std::mt19937_64 random(3);
  for (const element type : {element::bf16, element::f16, element::f32}) {
    constexpr std::uint32_t columns = 1024;
    constexpr std::uint32_t rows = 300;
    const tensor table = random_tensor(type, 50 * columns, -1, 1, random);
    const tensor w = random_tensor(type, rows * columns, -1, 1, random);
    const tensor gain = random_tensor(type, columns, 0.5, 1.5, random);
    const device_array<float> x(columns);
    const device_array<float> out(3 * rows);
    const device_array<decode_state> state(std::vector<decode_state>{{37, 5, 0, 0, 0, 0}});
    norm_qkv_arguments a{};
    a.x = x.data();
    a.embedding = table.device.data();
    a.state = state.data();
    a.gain = gain.device.data();
    a.q = a.k = a.v = w.device.data();
    a.out = out.data();
    a.columns = columns;
    a.q_rows = a.kv_rows = rows;
    a.eps = eps;
    launch_site site;
    site.is_first = true;
    ASSERT_CUDA(norm_qkv(type, site, a));
    ASSERT_CUDA(cudaDeviceSynchronize());
    const row token(table.values.begin() + 37 * columns, table.values.begin() + 38 * columns);
    EXPECT_EQ(doubles(x.host()), token);
    const row once = reference::product(w.values, reference::norm(token, gain.values, eps));
    row wanted = once;
    wanted.insert(wanted.end(), once.begin(), once.end());
    wanted.insert(wanted.end(), once.begin(), once.end());
    EXPECT_LT(relative_error(out.host(), wanted), tolerance);
  }
}

TEST(Projection, gates_with_silu) {
  ASSAY_NEEDS_GPU();
  std::mt19937_64 random(4);
  for (const projection_case& c : cases) {
    SCOPED_TRACE(describe(c));
    const double scale = 3.0 / std::sqrt(c.columns);
    const std::size_t count = std::size_t{c.rows} * c.columns;
    const tensor gate = random_tensor(c.type, count, -scale, scale, random);
    const tensor up = random_tensor(c.type, count, -scale, scale, random);
    const tensor gain = random_tensor(c.type, c.columns, 0.5, 1.5, random);
    const auto input = random_floats(c.columns, 2.0, random);
    const device_array<float> x(input);
    const device_array<float> out(c.rows);
    ASSERT_CUDA(gated_mlp(c.type, site_of(c),
                          {x.data(), gain.device.data(), gate.device.data(), up.device.data(),
                           out.data(), c.rows, c.columns, eps}));
    ASSERT_CUDA(cudaDeviceSynchronize());
    const row normed = reference::norm(doubles(input), gain.values, eps);
    EXPECT_LT(
        relative_error(out.host(), reference::silu_times(reference::product(gate.values, normed),
                                                         reference::product(up.values, normed))),
        tolerance);
  }
}

struct head_run {
  std::vector<float> logits;
  decode_state state;
  std::vector<std::int32_t> chosen;
};

head_run run_head(const projection_case& c, const tensor& w, const std::vector<float>& input,
                  const tensor& gain, const std::vector<std::int32_t>& forced) {
  const device_array<float> x(input);
  const device_array<float> logits(c.rows);
  const device_array<decode_state> state(
      std::vector<decode_state>{{1, 2, 0, 0, 0, static_cast<std::uint32_t>(forced.size())}});
  const device_array<std::int32_t> chosen(8);
  const device_array<std::int32_t> prompt(forced);
  const cudaError_t code =
      head(c.type, site_of(c),
           {x.data(), gain.device.data(), w.device.data(), logits.data(), state.data(),
            chosen.data(), prompt.data(), c.rows, c.columns, eps});
  EXPECT_EQ(code, cudaSuccess) << cudaGetErrorString(code);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  return {logits.host(), state.host()[0], chosen.host()};
}

TEST(Head, chooses_the_largest_logit_and_advances) {
  ASSAY_NEEDS_GPU();
  std::mt19937_64 random(5);
  for (const projection_case& c : cases) {
    SCOPED_TRACE(describe(c));
    const tensor w = random_tensor(c.type, std::size_t{c.rows} * c.columns, -1, 1, random);
    const tensor gain = random_tensor(c.type, c.columns, 0.5, 1.5, random);
    const auto input = random_floats(c.columns, 0.3, random);
    const head_run ran = run_head(c, w, input, gain, {9});
    EXPECT_LT(relative_error(
                  ran.logits,
                  reference::product(w.values, reference::norm(doubles(input), gain.values, eps))),
              tolerance);
    const auto most = std::max_element(ran.logits.begin(), ran.logits.end());
    const auto id = static_cast<std::int32_t>(most - ran.logits.begin());
    EXPECT_EQ(ran.chosen[2], id);
    EXPECT_EQ(ran.state.token, id);
    EXPECT_EQ(ran.state.position, 3);
    EXPECT_EQ(ran.state.steps, 1U);
    EXPECT_EQ(ran.state.arrived, 0U);
    EXPECT_EQ(ran.state.best, 0U);
  }
}

TEST(Head, takes_the_lower_id_of_a_tie_and_the_prompt_before_its_choice) {
  ASSAY_NEEDS_GPU();
  std::mt19937_64 random(6);
  const projection_case c{element::bf16, 5000, 256};
  const tensor gain = random_tensor(c.type, c.columns, 1, 1.001, random);
  std::vector<double> rows(std::size_t{c.rows} * c.columns, -1.0);
  for (const std::size_t best : {4321U, 777U, 2000U})
    std::fill_n(rows.begin() + static_cast<std::ptrdiff_t>(best * c.columns), c.columns, -0.5);
  const std::vector<float> input(c.columns, 1.0F);
  const tensor w(c.type, rows);
  EXPECT_EQ(run_head(c, w, input, gain, {}).state.token, 777);
  const head_run forced = run_head(c, w, input, gain, {5, 6, 7, 8});
  EXPECT_EQ(forced.chosen[2], 777);
  EXPECT_EQ(forced.state.token, 8);
}

TEST(Head, says_so_where_no_logit_is_a_number) {
  ASSAY_NEEDS_GPU();
  std::mt19937_64 random(7);
  const projection_case c{element::bf16, 500, 256};
  const tensor gain = random_tensor(c.type, c.columns, 1, 1.001, random);
  const tensor w = random_tensor(c.type, std::size_t{c.rows} * c.columns, -1, 1, random);
  const std::vector<float> input(c.columns, std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(run_head(c, w, input, gain, {}).state.token, -1);
}

TEST(Projection, refuses_rows_that_no_wide_load_covers) {
  ASSAY_NEEDS_GPU();
  const device_array<float> x(32768);
  const auto refused = [&](std::uint32_t columns) {
    launch_site site;
    site.is_first = true;
    return project_add(element::bf16, site, {x.data(), x.data(), x.data(), 4, columns});
  };
  EXPECT_EQ(refused(0), cudaErrorInvalidValue);
  EXPECT_EQ(refused(1020), cudaErrorInvalidValue);
  EXPECT_EQ(refused(16392), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace assay::test
