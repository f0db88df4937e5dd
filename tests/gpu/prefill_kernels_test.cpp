// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, prefill could attend to a token too many or too few at the edge of a tile or of a
// page: in a long prompt one key of hundreds, which no end-to-end comparison would see.
#include <cmath>
#include <numeric>

#include "runtime/ops/cuda/matrix_products.h"
#include "runtime/ops/cuda/prefill_kernels.h"
#include "tests/gpu/gpu_gate.h"
#include "tests/gpu/reference.h"
#include "tests/gpu/tensors.h"

namespace assay::test {
namespace {

using namespace ops::cuda;
using reference::row;

constexpr float eps = 1e-6F;

struct prefill_case {
  element type;
  std::uint32_t heads;
  std::uint32_t kv_heads;
  std::uint32_t head_dim;
  std::uint32_t first;
  std::uint32_t tokens;
  std::uint32_t page_tokens = 16;
  bool has_norm = true;
  bool has_bias = false;

  std::uint32_t all_heads() const { return heads + 2 * kv_heads; }
};

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
};

/// What one rounding to the type may cost, of the value.
double step_of(element type) {
  return type == element::bf16 ? 8e-3 : type == element::f16 ? 1e-3 : 1e-5;
}

/// Random inputs of a pass, on both sides, and the rows that the reference attends to.
class pass_data {
 public:
  pass_data(const prefill_case& c, std::mt19937_64& random)
      : c_(c),
        qkv_(random_tensor(c.type, std::size_t{c.tokens} * c.all_heads() * c.head_dim, -1.5, 1.5,
                           random)),
        q_bias_(random_tensor(c.type, std::size_t{c.heads} * c.head_dim, -1.0, 1.0, random)),
        k_bias_(random_tensor(c.type, std::size_t{c.kv_heads} * c.head_dim, -1.0, 1.0, random)),
        v_bias_(random_tensor(c.type, std::size_t{c.kv_heads} * c.head_dim, -1.0, 1.0, random)),
        q_gain_(random_tensor(c.type, c.head_dim, 0.5, 1.5, random)),
        k_gain_(random_tensor(c.type, c.head_dim, 0.5, 1.5, random)),
        table_(std::size_t{(c.first + c.tokens) / c.page_tokens + 2}),
        frequencies_(c.head_dim / 2) {
    std::iota(table_.begin(), table_.end(), 0U);
    std::shuffle(table_.begin(), table_.end(), random);
    for (std::uint32_t i = 0; i < frequencies_.size(); ++i)
      frequencies_[i] = static_cast<float>(std::pow(1e4, -2.0 * i / c.head_dim));
    // Rows that no token owns hold what would show: not a number.
    pages_.assign(table_.size() * c.kv_heads * 2 * c.page_tokens * c.head_dim, std::nan(""));
    std::uniform_real_distribution<double> uniform(-1.5, 1.5);
    for (std::uint32_t token = 0; token < c.first; ++token)
      for (std::uint32_t i = 0; i < c.kv_heads * c.head_dim; ++i)
        for (std::uint32_t which = 0; which < 2; ++which)
          pages_[offset(token, i, which)] = rounded(c.type, uniform(random));
  }

  std::size_t offset(std::uint32_t token, std::uint32_t i, std::uint32_t which) const {
    const std::size_t page = table_[token / c_.page_tokens];
    const std::size_t head = page * c_.kv_heads + i / c_.head_dim;
    return ((head * 2 + which) * c_.page_tokens + token % c_.page_tokens) * c_.head_dim +
           i % c_.head_dim;
  }
  /// What append_rows is to make of one part (q, k, v) of a token.
  row appended(std::uint32_t token, int part) const {
    const std::uint32_t heads = part == 0 ? c_.heads : c_.kv_heads;
    const std::uint32_t before = part == 0 ? 0 : c_.heads + (part == 1 ? 0 : c_.kv_heads);
    const tensor& bias = part == 0 ? q_bias_ : part == 1 ? k_bias_ : v_bias_;
    row out(std::size_t{heads} * c_.head_dim);
    const std::size_t from = (std::size_t{token} * c_.all_heads() + before) * c_.head_dim;
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = qkv_.values[from + i] + (c_.has_bias ? bias.values[i] : 0.0);
    if (part == 2) return out;
    if (c_.has_norm)
      reference::norm_heads(out, c_.head_dim, (part == 0 ? q_gain_ : k_gain_).values, eps);
    reference::rotate(out, c_.head_dim, frequencies_, c_.first + token);
    return out;
  }

  const prefill_case c_;
  tensor qkv_, q_bias_, k_bias_, v_bias_, q_gain_, k_gain_;
  std::vector<std::uint32_t> table_;
  std::vector<float> frequencies_;
  std::vector<double> pages_;
};

struct pass_result {
  std::vector<double> qkv, pages, out;
};

pass_result run_pass(const pass_data& data, row_attention kind) {
  const prefill_case& c = data.c_;
  const auto expect = [](cudaError_t code) {
    if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
  };
  const device_array<float> frequencies(data.frequencies_);
  const device_array<std::byte> pages(packed(c.type, data.pages_));
  const device_array<std::uint32_t> table(data.table_);
  const device_array<std::byte> out(std::size_t{c.tokens} * c.heads * c.head_dim *
                                    bytes_of(c.type));
  append_rows_arguments append{};
  append.qkv = data.qkv_.device.data();
  if (c.has_bias) {
    append.q_bias = data.q_bias_.device.data();
    append.k_bias = data.k_bias_.device.data();
    append.v_bias = data.v_bias_.device.data();
  }
  if (c.has_norm) {
    append.q_gain = data.q_gain_.device.data();
    append.k_gain = data.k_gain_.device.data();
  }
  append.frequencies = frequencies.data();
  append.pages = pages.data();
  append.table = table.data();
  append.page_tokens = c.page_tokens;
  append.heads = c.heads;
  append.kv_heads = c.kv_heads;
  append.head_dim = c.head_dim;
  append.eps = eps;
  const pass_site site{nullptr, c.first, c.tokens};
  expect(append_rows(c.type, site, append));
  expect(attend_rows(c.type, site,
                     {append.qkv, pages.data(), table.data(), out.data(), c.page_tokens, c.heads,
                      c.kv_heads, c.head_dim, kind}));
  expect(cudaDeviceSynchronize());
  return {unpacked(c.type, data.qkv_.device.host()), unpacked(c.type, pages.host()),
          unpacked(c.type, out.host())};
}

/// The cached rows of all tokens after the pass, checked against what they must be, and that
/// nothing else changed.
void check_rows(const pass_data& data, const pass_result& got, std::vector<row>& keys,
                std::vector<row>& values) {
  const prefill_case& c = data.c_;
  const double step = step_of(c.type);
  std::vector<double> after = data.pages_;
  for (std::uint32_t token = 0; token < c.first + c.tokens; ++token) {
    row rows[2] = {row(std::size_t{c.kv_heads} * c.head_dim),
                   row(std::size_t{c.kv_heads} * c.head_dim)};
    for (std::uint32_t which = 0; which < 2; ++which) {
      row wanted;
      if (token >= c.first) wanted = data.appended(token - c.first, static_cast<int>(which) + 1);
      for (std::uint32_t i = 0; i < rows[which].size(); ++i) {
        const std::size_t at = data.offset(token, i, which);
        const double kept = got.pages[at];
        if (token >= c.first) {
          ASSERT_NEAR(kept, wanted[i], step * (1 + std::abs(wanted[i]))) << "token " << token;
          after[at] = kept;
        }
        rows[which][i] = kept;
      }
    }
    keys.push_back(rows[0]);
    values.push_back(rows[1]);
  }
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  EXPECT_TRUE(std::equal(after.begin(), after.end(), got.pages.begin(), same));
}

void check_case(const prefill_case& c, row_attention kind, std::mt19937_64& random) {
  const pass_data data(c, random);
  const pass_result got = run_pass(data, kind);
  std::vector<row> keys;
  std::vector<row> values;
  check_rows(data, got, keys, values);
  if (testing::Test::HasFatalFailure()) return;
  std::vector<float> found;
  row wanted;
  const std::size_t width = std::size_t{c.heads} * c.head_dim;
  for (std::uint32_t token = 0; token < c.tokens; ++token) {
    const std::size_t from = std::size_t{token} * c.all_heads() * c.head_dim;
    row q(width);
    const row q_wanted = data.appended(token, 0);
    for (std::size_t i = 0; i < width; ++i) {
      q[i] = got.qkv[from + i];
      ASSERT_NEAR(q[i], q_wanted[i], step_of(c.type) * (1 + std::abs(q_wanted[i])));
      found.push_back(static_cast<float>(got.out[token * width + i]));
    }
    const auto seen = static_cast<std::ptrdiff_t>(c.first + token + 1);
    const row attended =
        reference::attend(q, {keys.begin(), keys.begin() + seen},
                          {values.begin(), values.begin() + seen}, c.heads, c.kv_heads, c.head_dim);
    wanted.insert(wanted.end(), attended.begin(), attended.end());
  }
  // Weights and result are rounded once each: 2e-3 in bf16, 3e-4 in f16.
  const double most = c.type == element::bf16 ? 4e-3 : c.type == element::f16 ? 6e-4 : 2e-6;
  EXPECT_LT(relative_error(found, wanted), most);
}

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
    check_case(c, kind, random);
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
      const auto x = random_floats(std::size_t{tokens} * columns, 2.0, random);
      const tensor gain = random_tensor(type, columns, 0.5, 1.5, random);
      const tensor pairs = random_tensor(type, std::size_t{tokens} * 2 * columns, -4, 4, random);
      const device_array<float> device_x(x);
      const device_array<std::byte> normed(x.size() * bytes_of(type));
      const device_array<std::byte> gated(x.size() * bytes_of(type));
      const pass_site site{nullptr, 0, tokens};
      ASSERT_CUDA(norm_rows(type, site,
                            {device_x.data(), gain.device.data(), normed.data(), columns, eps}));
      ASSERT_CUDA(gate_rows(type, site, {pairs.device.data(), gated.data(), columns}));
      ASSERT_CUDA(cudaDeviceSynchronize());
      const auto got_norm = unpacked(type, normed.host());
      const auto got_gate = unpacked(type, gated.host());
      for (std::uint32_t t = 0; t < tokens; ++t) {
        const auto row_of = [&](const std::vector<double>& all, std::size_t first) {
          const auto at = all.begin() + static_cast<std::ptrdiff_t>(first);
          return row(at, at + columns);
        };
        const row one(x.begin() + std::ptrdiff_t{t} * columns,
                      x.begin() + std::ptrdiff_t{t + 1} * columns);
        const row norm = reference::norm(one, gain.values, eps);
        const row gate =
            reference::silu_times(row_of(pairs.values, std::size_t{t} * 2 * columns),
                                  row_of(pairs.values, (std::size_t{t} * 2 + 1) * columns));
        for (std::uint32_t i = 0; i < columns; ++i) {
          const std::size_t at = std::size_t{t} * columns + i;
          ASSERT_NEAR(got_norm[at], norm[i], step_of(type) * std::abs(norm[i]) + 1e-6);
          ASSERT_NEAR(got_gate[at], gate[i], step_of(type) * std::abs(gate[i]) + 1e-5);
        }
      }
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
