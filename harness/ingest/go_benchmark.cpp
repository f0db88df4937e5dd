// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/go_benchmark.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/ingest/complaint.h"
#include "harness/ingest/json_text.h"
#include "harness/ingest/metric_unit.h"
#include "harness/ingest/row_book.h"

namespace assay::ingest {
namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t start = line.find_first_not_of(" \t\r");
    if (start == std::string_view::npos) return words;
    line.remove_prefix(start);
    const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

// "goos: linux": a key begins with a lower-case letter and has neither spaces nor capitals.
bool is_key(std::string_view key) {
  if (key.empty() || std::islower(static_cast<unsigned char>(key.front())) == 0) return false;
  for (const char c : key)
    if (std::isspace(static_cast<unsigned char>(c)) != 0 ||
        std::isupper(static_cast<unsigned char>(c)) != 0)
      return false;
  return true;
}

class reader {
 public:
  explicit reader(std::string_view file) : file_(file) {}

  result<void> line(std::string_view text, std::size_t number) {
    if (const std::size_t colon = text.find(':');
        colon != std::string_view::npos && is_key(text.substr(0, colon))) {
      key(text.substr(0, colon), text.substr(colon + 1));
      return {};
    }
    const auto words = words_of(text);
    if (words.empty()) return {};
    if (words.front() == "FAIL" || words.front() == "---") {
      if (words.front() == "FAIL" || (words.size() > 1 && words[1] == "FAIL:")) fail(words);
      return {};
    }
    if (!words.front().starts_with("Benchmark")) return {};
    name_ = qualified(words.front());
    return words.size() == 1 ? result<void>() : measurement(words, number);
  }

  result<model::sample_set> finish() && {
    if (book_.size() == 0)
      return refused(file_, "", "has no benchmark line: nothing was measured",
                     "look at what go test printed");
    model::sample_set set;
    set.source = file_;
    set.format = "Go benchmark text";
    for (const auto& [name, value] : keys_)
      if (name != "pkg" && name != "cpu") set.facts.push_back({name, value});
    // Each that the text names: several runs may stand in one file.
    for (const std::string& cpu : cpus_) set.environment.push_back({"cpu", cpu});
    set.rows = std::move(book_).finish();
    return set;
  }

 private:
  void key(std::string_view name, std::string_view value) {
    const std::size_t start = value.find_first_not_of(" \t");
    const std::string said =
        start == std::string_view::npos ? std::string() : printable(value.substr(start), 200);
    if (name == "cpu" && std::find(cpus_.begin(), cpus_.end(), said) == cpus_.end())
      cpus_.push_back(said);
    keys_[std::string(name)] = said;
  }

  std::string qualified(std::string_view name) const {
    const auto package = keys_.find("pkg");
    return package == keys_.end() || package->second.empty()
               ? std::string(name)
               : fmt::format("{}.{}", package->second, name);
  }

  // A test that fails while a benchmark runs leaves the benchmark without its line; a package that
  // does not build, or whose program crashes, leaves none at all and is named alone.
  void fail(const std::vector<std::string_view>& words) {
    if (words.front() == "FAIL" && words.size() > 1)
      row_book::fail(book_.row(words[1], "ns"), "failed: FAIL, its package");
    if (words.front() == "---" && words.size() > 2)
      row_book::fail(book_.row(qualified(words[2]), "ns"), "failed: --- FAIL");
  }

  result<void> measurement(const std::vector<std::string_view>& words, std::size_t number) {
    const std::string where = fmt::format("line {}", number);
    constexpr std::string_view fix = "have go test write it again";
    if (words.size() % 2 != 0)
      return refused(file_, where, "ends in the middle of a value and its unit", fix);
    if (!number_in(words[1])) return refused(file_, where, "has no count of iterations", fix);
    for (std::size_t at = 2; at + 1 < words.size(); at += 2) {
      const auto value = number_in(words[at]);
      if (!value) return refused(file_, where, fmt::format("'{}' is no number", words[at]), fix);
      // By what the unit measures: 1200 MB/s and 1.2 GB/s are of one row.
      const auto known = known_unit(words[at + 1]);
      model::sample_row& row = book_.row(name_, known ? known->base : words[at + 1]);
      const double factor = book_.scale(row, words[at + 1]);
      book_.measure(row, 0, *value * factor);
    }
    return {};
  }

  std::string file_;
  std::map<std::string, std::string> keys_;
  std::vector<std::string> cpus_;
  std::string name_;
  row_book book_;
};

}  // namespace

result<model::sample_set> parse_go_benchmark(std::string_view text, std::string_view file,
                                             std::string_view) {
  reader lines(file);
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    ASSAY_TRY(lines.line(text.substr(0, end), ++number));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::move(lines).finish();
}

}  // namespace assay::ingest
