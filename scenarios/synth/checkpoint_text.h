// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The files of a checkpoint that are text.
#pragma once

#include <string>
#include <vector>

#include "scenarios/synth/shape.h"

namespace assay::synth {

std::string config_json(const shape& of);
std::string generation_config_json(const shape& of);

/// Byte-level BPE of 256 byte tokens, ids 0 to 255 in the order of the bytes, without merges; then
/// tokens that no text is split into, and last the end-of-text token.
std::string tokenizer_json(const shape& of);

/// A file of weights and the tensors in it.
struct shard {
  std::string file;
  std::vector<tensor> tensors;
};

/// As Hugging Face names them: model.safetensors, or model-00001-of-0000N.safetensors.
std::vector<shard> shards_of(const shape& of);

/// model.safetensors.index.json of more than one shard.
std::string index_json(const std::vector<shard>& shards);

}  // namespace assay::synth
