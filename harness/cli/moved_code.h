// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Whether two programs are one, linked twice.
#pragma once

#include <string_view>

namespace assay::cli {

/// Whether two programs (ELF, x86-64) are shown to have the same functions and the same data, of
/// which some lie at other addresses: what the order of linking does by itself. Each function is
/// held against the one of its name and size; where their bytes differ, four of them must be a
/// displacement to the same place of the same symbol, to equal constants, or to the same entries of
/// a jump table. False where it cannot be shown, which is no proof that the code differs: of a
/// stripped program, of one that takes libraries from beside itself, where a function is there
/// twice under one name and size with different bytes, or where the constants behind a reference
/// have no clear end. The tables by which exceptions unwind and the order in which globals are made
/// are not looked at. Pure.
bool is_moved_code(std::string_view one, std::string_view other);

}  // namespace assay::cli
