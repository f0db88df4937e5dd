// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A model's weights as the kernels' plans want them. Pure.
#pragma once

#include <cstdint>

#include "runtime/engine/resident_model.h"
#include "runtime/graph/decode_step.h"
#include "runtime/kv/kv_cache.h"

namespace assay::engine {

/// Addresses alone; `pages` are the layer's.
graph::decode_layer layer_of(const layer_weights& from, void* pages);
graph::decode_weights weights_of(const resident_model& model, const kv::kv_cache& cache);

/// Bytes that one step reads of all layers.
std::int64_t layer_bytes_of(const resident_model& model);
/// Of what is no layer's: of the embedding one row, beside what the head reads of it where it is
/// tied.
std::int64_t end_bytes_of(const resident_model& model);

}  // namespace assay::engine
