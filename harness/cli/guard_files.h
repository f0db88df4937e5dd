// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The files of a documents or source tree.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/audited_run.h"
#include "harness/guard/name_book.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

/// Files are taken as they are given; folders with all that is below them, in an order that two
/// machines share. Hidden folders, and those of builds and packages (build, target, node_modules),
/// are left out. Links are not followed.
/// Errors: unusable_input, where a path does not exist or cannot be read.
result<std::vector<std::string>> files_below(const std::vector<std::string>& paths);

/// Reads documents: .md, .rst, .txt, .adoc, .html of a folder, and any file that is given by name.
result<void> read_documents(
    const std::vector<std::string>& paths, guard::name_book& into,
    const progress& tell = [](std::string_view) {});

/// Reads source. Files of no known language are left out.
/// Errors: also unusable_input, where there is no file of a known language.
result<void> read_source(
    const std::vector<std::string>& paths, guard::name_book& into,
    const progress& tell = [](std::string_view) {});

}  // namespace assay::cli
