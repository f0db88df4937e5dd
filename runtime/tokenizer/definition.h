// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a tokenizer.json defines, after everything in it was understood.
#pragma once

#include "runtime/telemetry/result.h"
#include "runtime/tokenizer/added_tokens.h"
#include "runtime/tokenizer/bpe.h"
#include "runtime/tokenizer/pattern_split.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace assay::tokenizer {

struct vocabulary_entry {
  std::int32_t id = 0;
  std::string text;         ///< as the file spells it
  std::string bytes;        ///< what it stands for
  bool is_spelled = false;  ///< every character is in the byte alphabet, so that text can reach it
};

struct tokenizer_definition {
  bool normalises_to_nfc = false;
  const split_pattern* pattern = nullptr;
  bool takes_whole_pieces = false;           ///< ignore_merges
  std::vector<vocabulary_entry> vocabulary;  ///< distinct ids and texts
  std::vector<merge_rule> merges;            ///< in rank order
  std::vector<added_token> added_tokens;     ///< distinct ids and contents
  std::vector<std::int32_t> ids_before;      ///< what the post-processor puts around a text's ids
  std::vector<std::int32_t> ids_after;
};

/// Errors: unusable_input naming file, field and fix: not JSON; a component, pattern or field that
/// is not known; a merge whose parts are not in the vocabulary; an id given twice.
result<tokenizer_definition> parse_definition(std::string_view json,
                                              const std::filesystem::path& file);

/// The parts of it, a file each. `root` is the top-level object.
result<void> read_pipeline(const nlohmann::json& root, const std::filesystem::path& file,
                           tokenizer_definition& into);
result<void> read_model(const nlohmann::json& root, const std::filesystem::path& file,
                        tokenizer_definition& into);
/// After the other two: an added token may repeat an entry of the vocabulary, and is normalised.
result<void> read_added_tokens(const nlohmann::json& root, const std::filesystem::path& file,
                               tokenizer_definition& into);
/// After all the others: a template names ids that must exist.
result<void> read_post_processor(const nlohmann::json& root, const std::filesystem::path& file,
                                 tokenizer_definition& into);

}  // namespace assay::tokenizer
