// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/csv_text.h"

namespace assay::ingest {

std::string csv_reader::field() {
  std::string out;
  bool is_quoted = false;
  std::size_t at = 0;
  for (; at < left_.size(); ++at) {
    const char c = left_[at];
    if (c == '\n') ++line_;
    if (is_quoted && c == '"') {
      if (at + 1 < left_.size() && left_[at + 1] == '"') {
        out += '"';
        ++at;
      } else {
        is_quoted = false;
      }
    } else if (c == '"' && out.empty() && !is_quoted) {
      is_quoted = true;
    } else if (!is_quoted && (c == ',' || c == '\n')) {
      if (c == '\n') --line_;  // counted where the record ends
      break;
    } else {
      out += c;
    }
  }
  left_.remove_prefix(at);
  return out;
}

std::optional<std::vector<std::string>> csv_reader::next() {
  if (left_.empty()) return std::nullopt;
  record_line_ = line_;
  std::vector<std::string> fields{field()};
  while (!left_.empty() && left_.front() == ',') {
    left_.remove_prefix(1);
    fields.push_back(field());
  }
  if (!left_.empty()) {
    left_.remove_prefix(1);
    ++line_;
  }
  if (!fields.back().empty() && fields.back().back() == '\r') fields.back().pop_back();
  return fields;
}

}  // namespace assay::ingest
