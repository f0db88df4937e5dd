// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tokenizer/pattern_split.h"

#include "runtime/tokenizer/cased_pattern.h"
#include "runtime/tokenizer/gpt2_pattern.h"
#include "runtime/tokenizer/word_pattern.h"

namespace assay::tokenizer {

namespace {

constexpr split_pattern patterns[] = {
    {"qwen",
     "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}|"
     " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
     word_piece_end<1>},
    {"llama-3",
     "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}|"
     " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
     word_piece_end<3>},
    {"o200k",
     "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+"
     "(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
     "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*"
     "(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
     "\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
     cased_piece_end},
    {"gpt-2", gpt2_regex, gpt2_piece_end},
};

}  // namespace

std::span<const split_pattern> split_patterns() {
  return patterns;
}

const split_pattern* find_split_pattern(std::string_view regex) {
  for (const split_pattern& pattern : patterns)
    if (pattern.regex == regex) return &pattern;
  return nullptr;
}

}  // namespace assay::tokenizer
