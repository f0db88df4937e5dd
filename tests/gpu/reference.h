// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The operators of a decode step in double, the plain way, for one token.
#pragma once

#include <cstdint>
#include <vector>

namespace assay::test::reference {

using row = std::vector<double>;

/// x / sqrt(mean(x²) + eps) · gain
row norm(const row& x, const row& gain, double eps);
/// w (rows, x.size()) · x
row product(const row& w, const row& x);
row silu_times(const row& gate, const row& up);
/// Element i of a head against i + head_dim / 2; frequencies (head_dim / 2).
void rotate(row& heads, std::uint32_t head_dim, const std::vector<float>& frequencies,
            std::uint32_t position);
/// Norm of each head by itself.
void norm_heads(row& heads, std::uint32_t head_dim, const row& gain, double eps);
/// Shapes: q (heads, head_dim); keys, values: a token each, (kv_heads, head_dim).
row attend(const row& q, const std::vector<row>& keys, const std::vector<row>& values,
           std::uint32_t heads, std::uint32_t kv_heads, std::uint32_t head_dim);

}  // namespace assay::test::reference
