// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/exposition.h"

#include "harness/ingest/complaint.h"
#include "harness/ingest/exposition_json.h"
#include "harness/ingest/exposition_text.h"
#include "harness/ingest/file_text.h"

namespace assay::ingest {

result<std::vector<model::exposition>> parse_exposition(std::string_view text,
                                                        std::string_view file,
                                                        const exposition_options& options) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos)
    return refused(file, "", "is empty: nothing was published", "scrape the program again");
  if (text.starts_with("\x1f\x8b") || text.starts_with("\x28\xb5\x2f\xfd"))
    return refused(file, "", "is compressed", "unpack it first");
  if (!options.patterns.empty()) return parse_exposition_log(text, file, options.patterns);
  if (text[first] == '{' && !is_exposition_text(text.substr(first, std::size_t{64} << 10)))
    return parse_exposition_json(text, file);
  if (text[first] == '[')
    return refused(file, "", "is a JSON list", "write one JSON object a line");
  return parse_exposition_text(text, file, options.now_unix_ms);
}

result<std::vector<model::exposition>> read_exposition(const std::string& path,
                                                       const exposition_options& options) {
  ASSAY_TRY_ASSIGN(const file_text text, file_text::open(path, "give a file of metrics"));
  return parse_exposition(text.view(), path, options);
}

}  // namespace assay::ingest
