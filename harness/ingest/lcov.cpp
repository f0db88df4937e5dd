// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/lcov.h"

#include <charconv>
#include <cstddef>
#include <limits>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "harness/ingest/complaint.h"

namespace assay::ingest {
namespace {

// Line by line, each with its number.
class lines {
 public:
  explicit lines(std::string_view text) : left_(text) {}
  bool next() {
    if (left_.empty()) return false;
    const std::size_t end = left_.find('\n');
    line_ = left_.substr(0, end);
    left_.remove_prefix(end == std::string_view::npos ? left_.size() : end + 1);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    ++number_;
    return true;
  }
  std::string_view line() const { return line_; }
  std::string place() const { return fmt::format("line {}", number_); }

 private:
  std::string_view left_;
  std::string_view line_;
  std::size_t number_ = 0;
};

std::vector<std::string_view> fields_of(std::string_view text, std::size_t most) {
  std::vector<std::string_view> fields;
  while (fields.size() + 1 < most && text.find(',') != std::string_view::npos) {
    fields.push_back(text.substr(0, text.find(',')));
    text.remove_prefix(text.find(',') + 1);
  }
  fields.push_back(text);
  return fields;
}

template <class T>
bool read_whole(std::string_view text, T& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc{} && end == text.data() + text.size() && !text.empty();
}

// Sums stay sums: a count that is too large for its type is the largest.
void add_hits(std::uint64_t& to, std::uint64_t more) {
  if (__builtin_add_overflow(to, more, &to)) to = std::numeric_limits<std::uint64_t>::max();
}

bool take_line(std::string_view text, model::file_coverage& into) {
  const auto fields = fields_of(text, 3);
  std::uint32_t line = 0;
  std::int64_t hits = 0;  // a compiler's counter may have run over; what is below 0 is reached
  if (fields.size() < 2 || !read_whole(fields[0], line) || line == 0) return false;
  if (!read_whole(fields[1], hits)) return false;
  add_hits(into.line_hits[line], hits < 0 ? 1 : static_cast<std::uint64_t>(hits));
  return true;
}

bool take_branch(std::string_view text, model::file_coverage& into) {
  const auto fields = fields_of(text, 4);
  model::branch_place place;
  if (fields.size() != 4 || !read_whole(fields[0], place.line)) return false;
  place.block = fields[1];
  place.branch = fields[2];
  std::uint64_t hits = 0;
  // A dash: the condition itself was never reached.
  if (fields[3] != "-" && !read_whole(fields[3], hits)) return false;
  add_hits(into.branch_hits[place], hits);
  return true;
}

failure refuse(std::string_view file, const lines& at, std::string_view why) {
  return refused(std::string(file), at.place(), std::string(why), "give a file as lcov writes it");
}

// "@@ -1,2 +3,4 @@": lines of the old and the new file, and where the new ones begin.
struct hunk {
  std::uint32_t old_left = 1;
  std::uint32_t new_left = 1;
  std::uint32_t new_line = 0;
};

bool read_range(std::string_view text, std::uint32_t& first, std::uint32_t& count) {
  const std::size_t comma = text.find(',');
  count = 1;
  return read_whole(text.substr(0, comma), first) &&
         (comma == std::string_view::npos || read_whole(text.substr(comma + 1), count));
}

bool read_hunk(std::string_view line, hunk& into) {
  constexpr std::string_view start = "@@ -";
  line.remove_prefix(start.size());
  const std::size_t plus = line.find(" +");
  const std::size_t end = line.find(" @@");
  if (plus == std::string_view::npos || end == std::string_view::npos || end < plus) return false;
  std::uint32_t old_first = 0;
  return read_range(line.substr(0, plus), old_first, into.old_left) &&
         read_range(line.substr(plus + 2, end - plus - 2), into.new_line, into.new_left);
}

// The path behind "+++ "; empty where the file is gone.
std::string new_path(std::string_view text) {
  if (const std::size_t tab = text.find('\t'); tab != std::string_view::npos)
    text = text.substr(0, tab);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    text = text.substr(1, text.size() - 2);
  if (text == "/dev/null") return {};
  if (text.starts_with("b/")) text.remove_prefix(2);
  return std::string(text);
}

// One line of a hunk; false where it is none.
bool take_hunk_line(std::string_view line, const std::string& path, hunk& in,
                    model::touched_lines& touched) {
  const char kind = line.empty() ? ' ' : line.front();  // an editor may strip an empty line's blank
  if (kind == '\\') return true;
  if (kind != '+' && kind != '-' && kind != ' ') return false;
  if (kind != '+' && in.old_left-- == 0) return false;
  if (kind == '-') return true;
  if (in.new_left-- == 0) return false;
  if (kind == '+' && !path.empty()) touched[path].insert(in.new_line);
  ++in.new_line;
  return true;
}

}  // namespace

result<model::coverage_data> parse_lcov(std::string_view text, std::string_view file) {
  model::coverage_data data;
  model::file_coverage* record = nullptr;
  lines all(text);
  while (all.next()) {
    const std::string_view line = all.line();
    if (line.starts_with("SF:")) {
      if (record != nullptr) return refuse(file, all, "begins a file before the last one's end");
      if (line.size() == 3) return refuse(file, all, "names no file");
      record = &data[std::string(line.substr(3))];
    } else if (line == "end_of_record") {
      if (record == nullptr) return refuse(file, all, "ends a file that did not begin");
      record = nullptr;
    } else if (line.starts_with("DA:") || line.starts_with("BRDA:")) {
      if (record == nullptr) return refuse(file, all, "counts before any file is named");
      const bool is_line = line.front() == 'D';
      if (!(is_line ? take_line(line.substr(3), *record) : take_branch(line.substr(5), *record)))
        return refuse(file, all, is_line ? "is no LINE,HITS" : "is no LINE,BLOCK,BRANCH,HITS");
    }
  }
  if (record != nullptr) return refuse(file, all, "ends within a file: it is cut off");
  if (data.empty()) return refuse(file, all, "names no file: nothing was covered");
  return data;
}

result<model::touched_lines> parse_diff(std::string_view text, std::string_view file) {
  model::touched_lines touched;
  std::string path;
  hunk in{0, 0, 0};
  bool is_diff = false;
  const auto refuse_diff = [&](const lines& at, std::string_view why) {
    return refused(std::string(file), at.place(), std::string(why), "give what git diff writes");
  };
  lines all(text);
  while (all.next()) {
    const std::string_view line = all.line();
    if (in.old_left > 0 || in.new_left > 0) {
      if (!take_hunk_line(line, path, in, touched))
        return refuse_diff(all, "does not belong into the hunk that it stands in");
    } else if (line.starts_with("@@@")) {
      // Of a merge, with a column for each parent: its lines would all be passed over.
      return refuse_diff(all, "is of a combined diff");
    } else if (line.starts_with("diff ")) {
      is_diff = true;
    } else if (line.starts_with("+++ ")) {
      is_diff = true;
      path = new_path(line.substr(4));
    } else if (line.starts_with("@@ -")) {
      if (!read_hunk(line, in)) return refuse_diff(all, "is no @@ -OLD,N +NEW,N @@");
    }
  }
  if (in.old_left > 0 || in.new_left > 0) return refuse_diff(all, "ends within a hunk");
  // A change may be empty; a page that says why there is no diff would read as one that wrote
  // nothing.
  if (!is_diff && text.find_first_not_of(" \t\r\n") != std::string_view::npos)
    return refuse_diff(all, "names no file: this is no diff");
  return touched;
}

}  // namespace assay::ingest
