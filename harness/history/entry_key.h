// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The name of an entry by its content: the same result is the same entry, however often it is
// added.
#pragma once

#include <string>

#include "harness/history/entry.h"

namespace assay::history {

/// SHA-256 of everything in the entry, 64 lower-case hexadecimal digits. Pure. When it was recorded
/// is no part of it.
std::string key_of(const entry& what);

}  // namespace assay::history
