// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The projections of a step for one type of weight: each .cu instantiates one type, so that they
// compile side by side.
#pragma once

#include "runtime/ops/cuda/decode_kernels.h"
#include "runtime/ops/cuda/row_launch.cuh"
#include "runtime/ops/cuda/row_operators.cuh"
#include "runtime/ops/cuda/typed_kernels.h"

namespace assay::ops::cuda {

template <class T>
const T* typed(const void* at) {
  return static_cast<const T*>(at);
}

template <class T>
row_map rows_of(const void* w, std::uint32_t rows, std::uint32_t columns) {
  upcoming_rows from;
  from.at[0] = w;
  from.rows[0] = rows;
  from.row_bytes = columns * static_cast<std::uint32_t>(sizeof(T));
  return map_of(from);
}

template <class T>
cudaError_t typed_norm_qkv(const launch_site& site, const norm_qkv_arguments& a) {
  norm_qkv_operator<T> op{};
  op.columns = a.columns;
  op.q_rows = a.q_rows;
  op.kv_rows = a.kv_rows;
  op.eps = a.eps;
  op.x = a.x;
  op.embedding = typed<T>(a.embedding);
  op.state = a.state;
  op.gain = typed<T>(a.gain);
  op.biases[0] = typed<T>(a.q_bias);
  op.biases[1] = typed<T>(a.k_bias);
  op.biases[2] = typed<T>(a.v_bias);
  op.out = a.out;
  const upcoming_rows rows{{a.q, a.k, a.v},
                           {a.q_rows, a.kv_rows, a.kv_rows},
                           a.columns * static_cast<std::uint32_t>(sizeof(T)),
                           false};
  return launch_rows<T>(site, op, map_of(rows));
}

template <class T>
cudaError_t typed_project_add(const launch_site& site, const project_add_arguments& a) {
  return launch_rows<T>(site, project_add_operator<T>{a.columns, a.input, a.residual},
                        rows_of<T>(a.w, a.rows, a.columns));
}

template <class T>
cudaError_t typed_gated_mlp(const launch_site& site, const gated_mlp_arguments& a) {
  const upcoming_rows rows{{a.gate, a.up, nullptr},
                           {a.rows, a.rows, 0},
                           a.columns * static_cast<std::uint32_t>(sizeof(T)),
                           true};
  return launch_rows<T>(site, gated_mlp_operator<T>{a.columns, a.eps, a.x, typed<T>(a.gain), a.out},
                        map_of(rows));
}

template <class T>
cudaError_t typed_head(const launch_site& site, const head_arguments& a) {
  return launch_rows<T>(site,
                        head_operator<T>{a.columns, a.eps, a.x, typed<T>(a.gain), a.logits, a.state,
                                         a.chosen, a.forced},
                        rows_of<T>(a.w, a.rows, a.columns));
}

}  // namespace assay::ops::cuda
