// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How many bytes of text each id of a vocabulary stands for, read from tokenizer.json with code of
// its own, to judge the tokenizer's byte counters.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <unordered_map>

#include "runtime/telemetry/result.h"

namespace assay::scenarios {

class vocabulary_ledger {
 public:
  static result<vocabulary_ledger> read(const std::filesystem::path& tokenizer_json);

  /// Sum over `ids`; special tokens give no text and count 0.
  std::int64_t text_bytes(std::span<const std::int32_t> ids) const;

 private:
  std::unordered_map<std::int32_t, std::int64_t> bytes_of_id_;
};

}  // namespace assay::scenarios
