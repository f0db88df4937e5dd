// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Writes a safetensors file without holding it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "runtime/telemetry/result.h"
#include "scenarios/synth/checkpoint_text.h"

namespace assay::synth {

/// Told how many payload bytes were written since it was told last; an error of its ends the write.
using written_bytes = std::function<result<void>(std::uint64_t)>;

/// The JSON header with its length before it, padded so that the payload begins at a multiple of 8.
std::string safetensors_head(const shard& of);

/// Errors: io, naming the file; what `tell` returns.
result<void> write_shard(const std::filesystem::path& folder, const shard& of, std::uint64_t seed,
                         const written_bytes& tell);

/// Errors: io, naming the file.
result<void> write_text(const std::filesystem::path& file, const std::string& text);

}  // namespace assay::synth
