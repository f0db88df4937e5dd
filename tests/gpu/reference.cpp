// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/reference.h"

#include <algorithm>
#include <cmath>

namespace assay::test::reference {

row norm(const row& x, const row& gain, double eps) {
  double squares = 0.0;
  for (const double value : x) squares += value * value;
  const double scale = 1.0 / std::sqrt(squares / static_cast<double>(x.size()) + eps);
  row out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] * scale * gain[i];
  return out;
}

row product(const row& w, const row& x) {
  row out(w.size() / x.size(), 0.0);
  for (std::size_t r = 0; r < out.size(); ++r)
    for (std::size_t c = 0; c < x.size(); ++c) out[r] += w[r * x.size() + c] * x[c];
  return out;
}

row silu_times(const row& gate, const row& up) {
  row out(gate.size());
  for (std::size_t i = 0; i < gate.size(); ++i)
    out[i] = gate[i] / (1.0 + std::exp(-gate[i])) * up[i];
  return out;
}

void rotate(row& heads, std::uint32_t head_dim, const std::vector<float>& frequencies,
            std::uint32_t position) {
  const std::uint32_t half = head_dim / 2;
  for (std::size_t head = 0; head < heads.size(); head += head_dim)
    for (std::uint32_t i = 0; i < half; ++i) {
      // The angle is an f32 by definition of the model.
      const double angle = static_cast<float>(position) * frequencies[i];
      const double low = heads[head + i];
      const double high = heads[head + half + i];
      heads[head + i] = low * std::cos(angle) - high * std::sin(angle);
      heads[head + half + i] = high * std::cos(angle) + low * std::sin(angle);
    }
}

void norm_heads(row& heads, std::uint32_t head_dim, const row& gain, double eps) {
  for (std::size_t head = 0; head < heads.size(); head += head_dim) {
    const auto begin = heads.begin() + static_cast<std::ptrdiff_t>(head);
    const row normed = norm(row(begin, begin + head_dim), gain, eps);
    std::copy(normed.begin(), normed.end(), begin);
  }
}

row attend(const row& q, const std::vector<row>& keys, const std::vector<row>& values,
           std::uint32_t heads, std::uint32_t kv_heads, std::uint32_t head_dim) {
  row out(q.size(), 0.0);
  for (std::uint32_t h = 0; h < heads; ++h) {
    const std::size_t from = std::size_t{h / (heads / kv_heads)} * head_dim;
    row scores(keys.size(), 0.0);
    for (std::size_t t = 0; t < keys.size(); ++t) {
      for (std::uint32_t d = 0; d < head_dim; ++d)
        scores[t] += q[std::size_t{h} * head_dim + d] * keys[t][from + d];
      scores[t] /= std::sqrt(static_cast<double>(head_dim));
    }
    const double most = *std::max_element(scores.begin(), scores.end());
    double sum = 0.0;
    for (double& score : scores) sum += score = std::exp(score - most);
    for (std::size_t t = 0; t < keys.size(); ++t)
      for (std::uint32_t d = 0; d < head_dim; ++d)
        out[std::size_t{h} * head_dim + d] += scores[t] / sum * values[t][from + d];
  }
  return out;
}

}  // namespace assay::test::reference
