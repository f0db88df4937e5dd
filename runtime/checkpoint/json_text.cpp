// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/json_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runtime/checkpoint/complaint.h"

namespace assay::checkpoint {
namespace {

using nlohmann::json;

constexpr const char* intact_copy = "replace the file by an intact copy";

// Builds the tree from the parser's events: the parser keeps no recursion of its own, and stops at
// the first event that is answered with false.
class tree_builder final : public nlohmann::json_sax<json> {
 public:
  explicit tree_builder(json_limits limits) : limits_(limits) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return refuse("", "holds binary data"); }
  bool start_object(std::size_t) override { return enter(json::object()); }
  bool start_array(std::size_t) override { return enter(json::array()); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }

  bool key(string_t& name) override {
    if (open_.back()->contains(name)) return refuse(name, "stands twice");
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    return refuse_at(position);
  }

  bool refuse_at(std::size_t position) {
    error_position_ = position;
    return refuse("", fmt::format("is not valid JSON at byte {}", position));
  }

  json take_root() { return std::move(root_); }
  const std::string& field() const { return field_; }
  const std::string& fault() const { return fault_; }
  std::size_t error_position() const { return error_position_; }

 private:
  bool put(json value) { return place(std::move(value)) != nullptr; }

  bool enter(json value) {
    if (open_.size() >= limits_.depth)
      return refuse(key_, fmt::format("is nested deeper than {} levels", limits_.depth));
    json* const placed = place(std::move(value));
    if (placed == nullptr) return false;
    open_.push_back(placed);
    return true;
  }

  bool leave() {
    open_.pop_back();
    return true;
  }

  // The returned pointer holds while the value is open: its parent gets no sibling until then.
  json* place(json value) {
    if (++value_count_ > limits_.values) {
      refuse(key_, fmt::format("is one value more than the {} that are read", limits_.values));
      return nullptr;
    }
    if (open_.empty()) return &(root_ = std::move(value));
    json& parent = *open_.back();
    if (parent.is_object()) return &(parent[key_] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }

  bool refuse(std::string_view field, std::string fault) {
    field_ = field;
    fault_ = std::move(fault);
    return false;
  }

  json_limits limits_;
  json root_;
  std::vector<json*> open_;  // innermost last
  std::string key_;
  std::size_t value_count_ = 0;
  std::size_t error_position_ = 0;
  std::string field_;
  std::string fault_;
};

std::string line_of(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, std::min(position, text.size()));
  const auto line_count = std::count(before.begin(), before.end(), '\n') + 1;
  return fmt::format("line {}", line_count);
}

}  // namespace

result<json> parse_json(std::string_view text, const std::filesystem::path& file,
                        json_limits limits, std::string_view part) {
  tree_builder builder(limits);
  // To the parser a NUL is the text's end, and what lies behind it would go unread.
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos)
    builder.refuse_at(nul + 1);
  else if (json::sax_parse(text.begin(), text.end(), &builder))
    return builder.take_root();
  std::string field =
      builder.error_position() > 0 ? line_of(text, builder.error_position()) : builder.field();
  if (!part.empty()) field = fmt::format("{}{}{}", part, field.empty() ? "" : ", ", field);
  return ASSAY_FAIL(unusable_input, complaint(file, field, builder.fault(), intact_copy));
}

std::string shown(const json& value) {
  return printable(value.dump(-1, ' ', false, json::error_handler_t::replace), 60);
}

}  // namespace assay::checkpoint
