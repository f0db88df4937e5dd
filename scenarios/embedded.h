// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The checkpoint that a clone brings along, so that nothing else is needed to see an audit.
#pragma once

#include <filesystem>

namespace assay::scenarios {

/// Folder of micro-qwen3: a trained Qwen3 of 3.48 M parameters in bf16, with its tokenizer and the
/// reference outputs that Hugging Face transformers computed from it.
std::filesystem::path embedded_checkpoint();

}  // namespace assay::scenarios
