// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Every format that results can come in, told apart by what is in the file.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "harness/ingest/file_text.h"
#include "reports/model/sample_set.h"
#include "runtime/telemetry/result.h"

namespace assay::ingest {

/// A reader of one format. `is_like` sees the beginning of a file and says whether it is worth
/// trying; of several the first in the table is taken.
struct format {
  std::string_view name;
  bool (*is_like)(std::string_view start);
  result<model::sample_set> (*parse)(std::string_view text, std::string_view file,
                                     std::string_view metric);
  /// Whether its files may have that metric. One that is asked for and passed over would be taken
  /// for the one that is shown.
  bool (*may_have)(std::string_view metric);
};

std::span<const format> formats();

/// A file is what one process, or several, left; of a folder each file is, in the order of their
/// names, and rows of the same name become one. Errors: unusable_input, naming the file, the place
/// in it and the reason.
result<model::sample_set> read_results(const std::string& path, std::string_view metric);

/// The same for a text that is there already.
result<model::sample_set> parse_results(std::string_view text, std::string_view file,
                                        std::string_view metric);

/// Adds what further processes measured. A row that has failed in one has failed. A fact
/// of the environment that has several values is there several times.
void merge(model::sample_set& into, model::sample_set&& more);

}  // namespace assay::ingest
