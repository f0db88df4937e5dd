// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Which binary ran: the linker's hash of this program, read from its own memory.
#pragma once

#include <string>

namespace assay::cli {

/// Hexadecimal GNU build id, or a sentence saying that the linker wrote none.
std::string build_id();

}  // namespace assay::cli
