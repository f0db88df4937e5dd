// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Limits of the process under which nothing here can work.
#pragma once

#include <string>

namespace assay::cli {

/// What is too low, and what would do; empty where nothing is. A stack that is too small ends in a
/// signal without a word, and a file that cannot be opened looks like one that is not there.
std::string crippling_limit();

}  // namespace assay::cli
