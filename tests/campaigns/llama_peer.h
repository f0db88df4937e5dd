// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// llama.cpp as a peer, in this process, so that its steps can stand between ours.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "runtime/telemetry/result.h"

namespace assay::campaigns {

/// The shared libraries of the npm package @node-llama-cpp/linux-x64, found at run time: nothing of
/// them is needed to build. Structs that they take by value are passed as larger blocks of bytes,
/// which the calling convention of x86-64 allows for the last argument.
class llama_peer {
 public:
  /// `libraries` is the folder that holds them.
  /// Errors: unavailable, naming what is missing; unusable_input, where the model does not load.
  static result<llama_peer> open(const std::filesystem::path& libraries,
                                 const std::filesystem::path& gguf, std::uint32_t context_tokens,
                                 std::uint32_t threads);

  /// Forgets all tokens.
  void clear();
  /// Feeds the ids and returns the logits of the last, valid until the next call.
  /// Errors: internal, where the library refuses.
  result<std::span<const float>> feed(std::span<const std::int32_t> ids);

 private:
  llama_peer() = default;

  struct calls;
  const calls* calls_ = nullptr;  // lives as long as the process
  void* context_ = nullptr;
  std::size_t vocab_rows_ = 0;
};

}  // namespace assay::campaigns
