// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/exposition_json.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/ingest/complaint.h"
#include "harness/ingest/json_text.h"

namespace assay::ingest {
namespace {

using nlohmann::json;

std::string labels_of(const json& line) {
  std::map<std::string, std::string> sorted;
  if (line.contains("labels") && line["labels"].is_object())
    for (const auto& [key, value] : line["labels"].items())
      sorted[key] = value.is_string() ? value.get<std::string>()
                                      : value.dump(-1, ' ', false, json::error_handler_t::replace);
  std::string text;
  for (const auto& [key, value] : sorted)
    text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", key, value);
  return text;
}

class reader {
 public:
  explicit reader(std::string_view file) : file_(file) { begin(); }

  void take(std::string_view line, std::size_t number) {
    number_ = number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    const auto tree = parse_json(line, file_);
    if (!tree) return skip("is no JSON object, is cut off, or has a number beyond every double");
    if (!tree->is_object()) return skip("is JSON and no object");
    const bool is_one =
        tree->contains("name") && (*tree)["name"].is_string() && tree->contains("value");
    if (is_one) return take_one(*tree);
    end();
    const std::size_t told = now_.problems.size();
    walk(*tree, "");
    if (now_.samples.empty() && now_.problems.size() == told)
      now_.problems.push_back({number_, "holds no number"});
    end();
  }

  std::vector<model::exposition> finish() && {
    end();
    if (all_.empty()) {
      // What was skipped must not be lost with the snapshot that never came.
      all_.push_back(std::move(now_));
    } else {
      auto& last = all_.back().problems;
      last.insert(last.end(), now_.problems.begin(), now_.problems.end());
    }
    if (all_.size() > 1)
      for (std::size_t at = 0; at < all_.size(); ++at)
        all_[at].source += fmt::format(" (snapshot {})", at + 1);
    return std::move(all_);
  }

 private:
  void begin() {
    now_ = {};
    now_.source = file_;
    now_.format = "JSON lines";
    known_.clear();
  }
  void end() {
    if (now_.samples.empty()) return;
    all_.push_back(std::move(now_));
    begin();
  }
  void skip(std::string what) { now_.problems.push_back({number_, std::move(what), true}); }

  void take_one(const json& line) {
    const auto value = number_in(line["value"]);
    std::string name = line["name"].get<std::string>();
    if (!value) {
      skip("has a value that is no number");
      now_.problems.back().metric = std::move(name);
      return;
    }
    std::string labels = labels_of(line);
    if (known_.count(name + '\0' + labels) != 0) end();
    add(std::move(name), std::move(labels), *value);
  }

  void walk(const json& value, const std::string& path) {
    if (value.is_object()) {
      for (const auto& [key, inner] : value.items())
        walk(inner, path.empty() ? key : path + "." + key);
    } else if (value.is_number()) {
      add(path, "", value.get<double>());
    } else if (value.is_string()) {
      walk_text(value, path);
    } else {
      const std::string_view what = value.is_null()    ? "null"
                                    : value.is_array() ? "a list"
                                                       : "true or false";
      pass_over(path, fmt::format("has {} at {}, which is no number", what, printable(path)));
    }
  }

  // A text beside the numbers says what they are of, and is nothing that was lost. One that spells
  // NaN or an infinity is what a program writes whose JSON has no word for them, and a bare one is
  // a text by now, too.
  void walk_text(const json& value, const std::string& path) {
    const auto number = number_in(value);
    if (!number) return;
    if (!std::isfinite(*number)) return add(path, "", *number);
    pass_over(path, fmt::format("has a number in quotes at {}, which is a text", printable(path)));
  }

  void pass_over(const std::string& path, std::string what) {
    model::exposition_problem problem;
    problem.line = number_;
    problem.what = std::move(what);
    problem.is_part = true;
    problem.metric = path;
    now_.problems.push_back(std::move(problem));
  }

  void add(std::string name, std::string labels, double value) {
    known_.insert(name + '\0' + labels);
    model::exposition_sample sample;
    sample.name = std::move(name);
    sample.labels = std::move(labels);
    sample.value = value;
    sample.line = number_;
    now_.samples.push_back(std::move(sample));
    now_.line_count = number_;
  }

  std::string file_;
  std::size_t number_ = 0;
  model::exposition now_;
  std::vector<model::exposition> all_;
  std::unordered_set<std::string> known_;
};

}  // namespace

std::vector<model::exposition> parse_exposition_json(std::string_view text, std::string_view file) {
  reader read(file);
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  const std::string_view first = text.substr(0, text.find('\n'));
  // One object over several lines opens with a line that is none.
  const bool is_document =
      last != std::string_view::npos && !parse_json(first, file) && parse_json(text, file);
  if (is_document) {
    read.take(text, 1);
    return std::move(read).finish();
  }
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    read.take(text.substr(0, end), ++number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::move(read).finish();
}

}  // namespace assay::ingest
