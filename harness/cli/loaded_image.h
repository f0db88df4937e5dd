// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Whether two programs run the same machine code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

/// A part of a program's file that is in memory when it runs.
struct loaded_section {
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t flags = 0;
  std::uint64_t size_bytes = 0;
  std::string_view bytes;  ///< empty of zeroed memory, which no file holds. Lifetime: the file's
};

/// A function or an object of a program, as its symbol table names it.
struct image_symbol {
  std::string_view name;  ///< mangled. Lifetime: the file's
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  bool is_function = false;
};

/// Those that have a size. Empty where the file is no such file, or was stripped. Pure.
std::vector<image_symbol> symbols_of(std::string_view file);

/// Every section of an ELF file that a process sees: code, constants, data; not its notes (the
/// build id), names and debug information. Empty where it is no 64-bit little-endian ELF file, or
/// one whose parts lie outside of it. Pure.
std::vector<loaded_section> loaded_sections(std::string_view file);

/// Whether two ELF files would run the same code on the same constants, at the same addresses: they
/// differ in nothing that is loaded. Code that was moved is not the same: its jumps differ, and
/// where it lies changes its times. Nor is a script, or a program that takes libraries from beside
/// itself, whatever their bytes: what they run may differ.
bool is_same_image(std::string_view one, std::string_view other);

/// Whether a program's sections say all of what its process loads beside the system's own: false of
/// one that takes libraries from beside itself, and of what is no such file. Pure.
bool vouches_for_what_it_loads(const std::vector<loaded_section>& sections);

/// What is loaded of an ELF file, as one number: equal of two builds of one source whose build ids
/// and debug information differ. Where a loaded byte belongs to the name of one of `folders` (the
/// longest is tried first) it is left out, so that two folders of equal length may be told apart by
/// name alone. None where it is no such file, or one that takes libraries from beside itself, which
/// it would have to vouch for. Pure.
std::optional<std::uint64_t> loaded_digest(std::string_view file,
                                           const std::vector<std::string>& folders);

}  // namespace assay::cli
