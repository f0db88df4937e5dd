// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a flag's text has to look like, checked before anything is opened or run.
#pragma once

#include <cstdint>

#include <CLI/CLI.hpp>

namespace assay::cli {

/// Refuses "": a script's empty variable would otherwise read as a flag that was not given.
CLI::Validator not_empty();

/// Digits only, from `lowest` to `highest`: CLI11 alone takes -1 for the largest number there is.
CLI::Validator whole_number(std::uint64_t lowest, std::uint64_t highest);

/// A number that is finite and not negative.
CLI::Validator finite_number();

}  // namespace assay::cli
