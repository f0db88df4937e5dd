// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How many bytes of text each id of a vocabulary stands for, read from tokenizer.json with code of
// its own, to judge the tokenizer's byte counters.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <unordered_map>

#include "runtime/telemetry/result.h"

namespace assay::scenarios {

class vocabulary_ledger {
 public:
  static result<vocabulary_ledger> read(const std::filesystem::path& tokenizer_json);

  /// Bytes that decoding `ids` gives; special tokens give no text and count 0.
  std::int64_t text_bytes(std::span<const std::int32_t> ids) const;
  /// Bytes of the text that encodes to `ids`; special tokens count as they are written, those that
  /// the post-processor's template puts around every text not at all. Ids without what the template
  /// adds give fewer bytes than their text has.
  std::int64_t written_bytes(std::span<const std::int32_t> ids) const;

 private:
  struct token_bytes {
    std::int64_t decoded = 0;
    std::int64_t written = 0;
  };
  std::unordered_map<std::int32_t, token_bytes> bytes_of_id_;
  std::int64_t template_bytes_ = 0;
};

/// Does normalisation to form C leave the text as it is? Sure only below U+0300, where nothing
/// combines; false means that it is not known.
bool is_surely_normal(std::string_view text);

}  // namespace assay::scenarios
