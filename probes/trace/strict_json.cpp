// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/trace/strict_json.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace assay::trace {
namespace {

// contract: root, array, row, claims; one more than that is already not ours.
constexpr int max_depth = 8;

// Watches a parse for what the library lets pass.
class watcher {
 public:
  bool operator()(int depth, json::parse_event_t event, json& parsed) {
    using kind = json::parse_event_t;
    const bool opens = event == kind::object_start || event == kind::array_start;
    if (opens && depth >= max_depth) flaw_ = "nested too deeply";
    if (opens && depth >= max_depth) return false;
    if (event == kind::object_start) members_.emplace_back();
    if (event == kind::object_end && !members_.empty()) members_.pop_back();
    if (event == kind::key && !members_.empty()) note(parsed.get_ref<const std::string&>());
    return true;
  }
  const std::string& flaw() const { return flaw_; }

 private:
  void note(const std::string& key) {
    if (members_.back().insert(key).second || !flaw_.empty()) return;
    flaw_ = fmt::format("gives the member '{}' twice", key);
  }

  std::vector<std::set<std::string>> members_;
  std::string flaw_;
};

}  // namespace

result<json> parse_strict(std::string_view text, std::string_view what) {
  watcher watch;
  json value;
  try {
    value = json::parse(text, [&watch](int depth, json::parse_event_t event, json& parsed) {
      return watch(depth, event, parsed);
    });
  } catch (const json::parse_error& error) {
    return ASSAY_FAIL(unusable_input,
                      fmt::format("{} is not JSON in UTF-8 from byte {} on; write it with a JSON "
                                  "library",
                                  what, error.byte));
  } catch (const json::exception&) {
    return ASSAY_FAIL(
        unusable_input,
        fmt::format("{} holds a number that is too large; write a smaller one", what));
  }
  if (!watch.flaw().empty())
    return ASSAY_FAIL(unusable_input,
                      fmt::format("{} {}; docs/trace-format.md has its shape", what, watch.flaw()));
  return value;
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
      return flaw(
          fmt::format("unknown member '{}'; the members are: {}", name, fmt::join(known, ", ")));
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

result<object_reader> object_reader::object(const char* name) const {
  ASSAY_TRY_ASSIGN(const json* const value, member(name));
  return of(*value, fmt::format("{}, {}", where_, name));
}

}  // namespace assay::trace
