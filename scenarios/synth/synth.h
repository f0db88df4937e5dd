// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A checkpoint of random weights in the shape of a real model: its speed is the real one's, its
// text is noise.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "runtime/telemetry/result.h"
#include "scenarios/synth/shape.h"

namespace assay::synth {

/// Told what is written so far, and asked whether to go on: an error of its ends the write.
using watcher = std::function<result<void>(std::uint64_t written, std::uint64_t total)>;

/// Writes config.json, generation_config.json, tokenizer.json and the weights, the latter in a file
/// or in shards with their index. The same seed writes the same bytes.
/// `out` appears when everything is in it: until then the files are in a folder beside it, `out` +
/// ".partial", which an error takes away again.
/// Memory: a few MiB beside the tokenizer's text.
/// Errors: usage, where `out` or that folder exists; unavailable, where the disk has not as much
/// space as it takes; io; what `watch` returns.
result<void> write_checkpoint(const shape& of, std::uint64_t seed, const std::filesystem::path& out,
                              const watcher& watch);

}  // namespace assay::synth
