// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The splitter of o200k (GPT-4o, gpt-oss): words end where the case falls back to upper, and take
// their contraction along.
#pragma once

#include <cstddef>
#include <string_view>

namespace assay::tokenizer {

/// As split_pattern::piece_end.
std::size_t cased_piece_end(std::string_view text, std::size_t begin);

}  // namespace assay::tokenizer
