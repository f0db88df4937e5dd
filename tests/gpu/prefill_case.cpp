// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/prefill_case.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "tests/gpu/gpu_gate.h"
#include "tests/gpu/reference.h"
#include "tests/gpu/tensors.h"

namespace assay::test {
namespace {

using namespace ops::cuda;
using reference::row;

constexpr float eps = 1e-6F;

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

void expect(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

/// For a result, which is written whole.
device_array<std::byte> result_of(std::size_t bytes, beside_rows beside) {
  return beside == beside_rows::unwritten ? device_array<std::byte>::unwritten(bytes)
                                          : device_array<std::byte>(bytes);
}

/// The pages on the GPU. Where what is beside the rows stays unwritten, rows alone are copied.
class device_pages {
 public:
  device_pages(const pass_data& data, beside_rows beside)
      : data_(data),
        has_all_(beside == beside_rows::no_numbers),
        bytes_(has_all_ ? device_array<std::byte>(packed(data.c_.type, data.pages_))
                        : device_array<std::byte>::unwritten(data.pages_.size() * width())) {
    if (has_all_) return;
    for_each_row(data.c_.first, [&](std::size_t at) {
      const auto from = data.pages_.begin() + static_cast<std::ptrdiff_t>(at);
      const auto bytes = packed(data.c_.type, {from, from + data.c_.head_dim});
      expect(cudaMemcpy(bytes_.data() + at * width(), bytes.data(), bytes.size(),
                        cudaMemcpyHostToDevice));
    });
  }
  std::byte* data() const { return bytes_.data(); }
  /// After the pass.
  std::vector<double> host() const {
    if (has_all_) return unpacked(data_.c_.type, bytes_.host());
    std::vector<double> all = data_.pages_;
    for_each_row(data_.c_.first + data_.c_.tokens, [&](std::size_t at) {
      std::vector<std::byte> bytes(data_.c_.head_dim * width());
      expect(cudaMemcpy(bytes.data(), bytes_.data() + at * width(), bytes.size(),
                        cudaMemcpyDeviceToHost));
      const auto values = unpacked(data_.c_.type, bytes);
      std::copy(values.begin(), values.end(), all.begin() + static_cast<std::ptrdiff_t>(at));
    });
    return all;
  }

 private:
  std::size_t width() const { return bytes_of(data_.c_.type); }
  template <class Function>
  void for_each_row(std::uint32_t tokens, const Function& with) const {
    for (std::uint32_t token = 0; token < tokens; ++token)
      for (std::uint32_t head = 0; head < data_.c_.kv_heads; ++head)
        for (std::uint32_t which = 0; which < 2; ++which)
          with(data_.offset(token, head * data_.c_.head_dim, which));
  }

  const pass_data& data_;
  bool has_all_;
  device_array<std::byte> bytes_;
};

/// A pass whose keys and values are in the pages.
class appended_pass {
 public:
  appended_pass(const pass_data& data, beside_rows beside)
      : data_(data),
        beside_(beside),
        frequencies_(data.frequencies_),
        pages_(data, beside),
        table_(data.table_) {
    expect(append_rows(data.c_.type, site(), arguments()));
  }

  const device_array<std::byte>& qkv() const { return data_.qkv_.device; }
  std::vector<double> pages() const { return pages_.host(); }
  cudaError_t attend(const void* qkv, void* out, row_attention kind, cudaError_t* refused) const {
    const prefill_case& c = data_.c_;
    return attend_rows(c.type, site(),
                       {qkv, pages_.data(), table_.data(), out, c.page_tokens, c.heads, c.kv_heads,
                        c.head_dim, kind},
                       refused);
  }
  std::vector<std::byte> attended(const void* qkv, row_attention kind,
                                  cudaError_t* refused = nullptr) const {
    const prefill_case& c = data_.c_;
    const auto out =
        result_of(std::size_t{c.tokens} * c.heads * c.head_dim * bytes_of(c.type), beside_);
    expect(attend(qkv, out.data(), kind, refused));
    expect(cudaDeviceSynchronize());
    return out.host();
  }

 private:
  pass_site site() const { return {nullptr, data_.c_.first, data_.c_.tokens}; }
  append_rows_arguments arguments() const;

  const pass_data& data_;
  beside_rows beside_;
  device_array<float> frequencies_;
  device_pages pages_;
  device_array<std::uint32_t> table_;
};

append_rows_arguments appended_pass::arguments() const {
  const pass_data& data = data_;
  const prefill_case& c = data.c_;
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
  append.frequencies = frequencies_.data();
  append.pages = pages_.data();
  append.table = table_.data();
  append.page_tokens = c.page_tokens;
  append.heads = c.heads;
  append.kv_heads = c.kv_heads;
  append.head_dim = c.head_dim;
  append.eps = eps;
  return append;
}

struct pass_result {
  std::vector<double> qkv, pages, out;
};

pass_result run_pass(const pass_data& data, row_attention kind, beside_rows beside) {
  const appended_pass pass(data, beside);
  const auto out = pass.attended(pass.qkv().data(), kind);
  return {unpacked(data.c_.type, pass.qkv().host()), pass.pages(), unpacked(data.c_.type, out)};
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

}  // namespace

void check_prefill_case(const prefill_case& c, row_attention kind, std::mt19937_64& random,
                        beside_rows beside) {
  const pass_data data(c, random);
  const pass_result got = run_pass(data, kind, beside);
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

void check_refused_maps(const prefill_case& c, std::mt19937_64& random) {
  const pass_data data(c, random);
  const appended_pass pass(data, beside_rows::no_numbers);
  constexpr std::size_t off_bytes = 8;
  const device_array<std::byte> shifted(pass.qkv().size() + off_bytes);
  std::byte* const qkv = shifted.data() + off_bytes;
  ASSERT_CUDA(cudaMemcpy(qkv, pass.qkv().data(), pass.qkv().size(), cudaMemcpyDeviceToDevice));
  cudaError_t refused = cudaSuccess;
  const auto by_shape = pass.attended(qkv, row_attention::by_shape, &refused);
  EXPECT_EQ(refused, cudaErrorInvalidValue);
  EXPECT_EQ(by_shape, pass.attended(pass.qkv().data(), row_attention::warps));
  EXPECT_EQ(pass.attend(qkv, shifted.data(), row_attention::pipelined, nullptr),
            cudaErrorInvalidValue);
  refused = cudaSuccess;
  pass.attended(pass.qkv().data(), row_attention::by_shape, &refused);
  EXPECT_EQ(refused, cudaSuccess) << "these begin at a multiple of 16";
}

void check_norm_and_gate(element type, std::uint32_t columns, std::uint32_t tokens,
                         std::mt19937_64& random, beside_rows beside) {
  const auto x = random_floats(std::size_t{tokens} * columns, 2.0, random);
  const tensor gain = random_tensor(type, columns, 0.5, 1.5, random);
  const tensor pairs = random_tensor(type, std::size_t{tokens} * 2 * columns, -4, 4, random);
  const device_array<float> device_x(x);
  const auto normed = result_of(x.size() * bytes_of(type), beside);
  const auto gated = result_of(x.size() * bytes_of(type), beside);
  const pass_site site{nullptr, 0, tokens};
  ASSERT_CUDA(
      norm_rows(type, site, {device_x.data(), gain.device.data(), normed.data(), columns, eps}));
  ASSERT_CUDA(gate_rows(type, site, {pairs.device.data(), gated.data(), columns}));
  ASSERT_CUDA(cudaDeviceSynchronize());
  const auto got_norm = unpacked(type, normed.host());
  const auto got_gate = unpacked(type, gated.host());
  for (std::uint32_t t = 0; t < tokens; ++t) {
    const auto row_of = [&](const auto& all, std::size_t first) {
      const auto at = all.begin() + static_cast<std::ptrdiff_t>(first * columns);
      return row(at, at + columns);
    };
    const row norm = reference::norm(row_of(x, t), gain.values, eps);
    const row gate = reference::silu_times(row_of(pairs.values, std::size_t{t} * 2),
                                           row_of(pairs.values, std::size_t{t} * 2 + 1));
    for (std::uint32_t i = 0; i < columns; ++i) {
      const std::size_t at = std::size_t{t} * columns + i;
      ASSERT_NEAR(got_norm[at], norm[i], step_of(type) * std::abs(norm[i]) + 1e-6);
      ASSERT_NEAR(got_gate[at], gate[i], step_of(type) * std::abs(gate[i]) + 1e-5);
    }
  }
}

void check_embed(element type, std::uint32_t columns, std::uint32_t tokens, std::mt19937_64& random,
                 beside_rows beside) {
  constexpr std::uint32_t rows = 5;
  constexpr std::uint32_t first = 7;
  const tensor table = random_tensor(type, std::size_t{rows} * columns, -1, 1, random);
  std::vector<std::int32_t> ids(tokens);
  for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random() % rows);
  const device_array<std::int32_t> device_ids(ids);
  const device_array<decode_state> state(std::vector<decode_state>(1));
  const std::size_t count = std::size_t{tokens} * columns;
  const auto x = beside == beside_rows::unwritten ? device_array<float>::unwritten(count)
                                                  : device_array<float>(count);
  ASSERT_CUDA(
      embed_rows(type, {nullptr, first, tokens},
                 {table.device.data(), device_ids.data(), x.data(), state.data(), columns}));
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(state.host()[0].position, static_cast<std::int32_t>(first + tokens - 1));
  const auto got = x.host();
  for (std::uint32_t t = 0; t < tokens; ++t)
    for (std::uint32_t i = 0; i < columns; ++i)
      ASSERT_EQ(got[std::size_t{t} * columns + i],
                table.values[static_cast<std::size_t>(ids[t]) * columns + i])
          << "token " << t << ", column " << i;
}

}  // namespace assay::test
