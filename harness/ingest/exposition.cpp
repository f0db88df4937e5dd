// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/exposition.h"

#include <array>
#include <cstdio>
#include <string>

#include "harness/ingest/complaint.h"
#include "harness/ingest/exposition_json.h"
#include "harness/ingest/exposition_text.h"
#include "harness/ingest/file_text.h"

namespace assay::ingest {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;  // as of a file

result<std::string> all_of_stdin(std::string_view input) {
  std::string text;
  std::array<char, 65536> part{};
  while (const std::size_t taken = std::fread(part.data(), 1, part.size(), stdin)) {
    text.append(part.data(), taken);
    if (text.size() > most_bytes)
      return refused(input, "", "is larger than 1,073,741,824 bytes", "give fewer snapshots");
  }
  if (std::ferror(stdin) != 0)
    return refused(input, "", "cannot be read to its end", "give a file of metrics");
  return text;
}

}  // namespace

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
  if (path == "-") {
    constexpr std::string_view input = "standard input";
    ASSAY_TRY_ASSIGN(const std::string text, all_of_stdin(input));
    return parse_exposition(text, input, options);
  }
  ASSAY_TRY_ASSIGN(const file_text text,
                   file_text::open(path, "give a file of metrics, or - for standard input"));
  return parse_exposition(text.view(), path, options);
}

}  // namespace assay::ingest
