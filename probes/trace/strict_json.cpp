// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/trace/strict_json.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "runtime/telemetry/check.h"

namespace assay::trace {
namespace {

// The deepest that the format has is 4: the contract, its counters, a row, its claims.
constexpr std::size_t max_depth = 8;
// A row has at most 11. The library finds a member by looking through all of them.
constexpr std::size_t max_members = 64;

// Walks over a text before it is built, for what the library would let pass. A walk of its own and
// not the library's parser callback: that one looks through the whole array at each element's end.
class walk final : public nlohmann::json_sax<json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool start_object(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool key(string_t& name) override {
    if (open_.back().size() >= max_members) {
      flaw_ = fmt::format(
          "has an object of more than {} members; docs/trace-format.md has its shape", max_members);
      return false;
    }
    if (open_.back().insert(name).second) return true;
    flaw_ = fmt::format("gives the member '{}' twice; give it once", printable(name));
    return false;
  }
  bool parse_error(std::size_t byte, const std::string&, const json::exception& error) override {
    constexpr int number_overflow = 406;
    flaw_ =
        error.id == number_overflow
            ? fmt::format("holds a number that is too large before byte {}; write a smaller one",
                          byte)
            : fmt::format("is not JSON in UTF-8 at byte {}; write it with a JSON library", byte);
    return false;
  }
  const std::string& flaw() const { return flaw_; }

 private:
  bool enter() {
    open_.emplace_back();
    if (open_.size() <= max_depth) return true;
    flaw_ =
        fmt::format("is nested more than {} deep; docs/trace-format.md has its shape", max_depth);
    return false;
  }
  bool leave() {
    open_.pop_back();
    return true;
  }

  std::vector<std::set<std::string>> open_;  // names seen in each object that is open
  std::string flaw_;
};

}  // namespace

result<json> parse_strict(std::string_view text, std::string_view what) {
  walk first;
  if (!json::sax_parse(text, &first))
    return ASSAY_FAIL(unusable_input, fmt::format("{} {}", what, first.flaw()));
  json value = json::parse(text, nullptr, false);
  ASSAY_CHECK(!value.is_discarded(), "a text passed the walk and not the parser");
  return value;
}

std::string printable(std::string_view words) {
  constexpr std::size_t max_bytes = 80;
  std::string line(words.substr(0, max_bytes));
  if (words.size() > max_bytes) {
    // Not in the middle of a character.
    const auto is_continuation = [](char c) {
      return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
    };
    std::size_t end = max_bytes;
    while (end > 0 && is_continuation(words[end])) --end;
    line.resize(end);
    line += "...";
  }
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return line;
}

std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

result<object_reader> object_reader::of(const json& value, std::string where) {
  if (!value.is_object())
    return ASSAY_FAIL(unusable_input,
                      fmt::format("{} is {}; it must be an object", where, value.type_name()));
  return object_reader(value, std::move(where));
}

failure object_reader::flaw(std::string_view what) const {
  return ASSAY_FAIL(unusable_input, fmt::format("{}: {}", where_, what));
}

result<void> object_reader::only(std::initializer_list<std::string_view> known) const {
  for (const auto& [name, value] : object_->items())
    if (std::find(known.begin(), known.end(), std::string_view(name)) == known.end())
      return flaw(fmt::format("unknown member '{}'; the members are: {}", printable(name),
                              fmt::join(known, ", ")));
  return {};
}

result<const json*> object_reader::member(const char* name) const {
  const auto found = object_->find(name);
  if (found == object_->end()) return flaw(fmt::format("{} is missing; add it", name));
  return &*found;
}

result<const json*> object_reader::array(const char* name) const {
  ASSAY_TRY_ASSIGN(const json* const value, member(name));
  if (!value->is_array())
    return flaw(fmt::format("{} is {}; it must be an array", name, value->type_name()));
  return value;
}

result<std::string> object_reader::text(const char* name) const {
  ASSAY_TRY_ASSIGN(const json* const value, member(name));
  if (!value->is_string())
    return flaw(fmt::format("{} is {}; it must be a string", name, value->type_name()));
  return value->get<std::string>();
}

result<std::string> object_reader::sentence(const char* name) const {
  ASSAY_TRY_ASSIGN(std::string value, text(name));
  if (value.empty()) return flaw(fmt::format("{} is empty; say it in words", name));
  return value;
}

result<double> object_reader::number(const char* name) const {
  ASSAY_TRY_ASSIGN(const json* const value, member(name));
  if (!value->is_number())
    return flaw(fmt::format("{} is {}; it must be a number", name, value->type_name()));
  return value->get<double>();
}

result<object_reader> object_reader::object(const char* name) const {
  ASSAY_TRY_ASSIGN(const json* const value, member(name));
  return of(*value, fmt::format("{}, {}", where_, name));
}

}  // namespace assay::trace
