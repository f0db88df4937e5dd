// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/weight_index.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/checkpoint/complaint.h"
#include "runtime/checkpoint/config_fields.h"
#include "runtime/checkpoint/json_text.h"

namespace assay::checkpoint {
namespace {

using nlohmann::json;
using std::filesystem::path;

constexpr const char* one_revision = "take index and files from one revision of the model";
constexpr json_limits index_limits{.depth = 8, .values = std::size_t{1} << 20};

// An index comes from anywhere: a name that leads out of its folder would have any file mapped.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string("/\0", 2)) == std::string::npos;
}

result<void> check_keys(const json& root, const path& file) {
  if (!root.is_object())
    return ASSAY_FAIL(unusable_input, complaint(file, "", "holds no JSON object", one_revision));
  for (const auto& [key, value] : root.items()) {
    if (key != "metadata" && key != "weight_map")
      return ASSAY_FAIL(
          unusable_input,
          complaint(file, key, "is a key whose effect is not known",
                    "delete it if it changes no weight, else use another checkpoint"));
  }
  return {};
}

// Of the metadata only total_size tells of the weights; the rest says how they came about.
result<void> read_total(const json& root, const path& file, weight_index& index) {
  const json& metadata = field_or_null(root, "metadata");
  if (metadata.is_null()) return {};
  if (!metadata.is_object())
    return ASSAY_FAIL(unusable_input,
                      complaint(file, "metadata", "is " + shown(metadata), one_revision));
  const json& total = field_or_null(metadata, "total_size");
  if (total.is_null()) return {};
  if (!total.is_number_unsigned())
    return ASSAY_FAIL(unusable_input, complaint(file, "metadata.total_size", "is " + shown(total),
                                                "write the bytes of all tensors, or delete it"));
  index.total_bytes = total.get<std::uint64_t>();
  return {};
}

result<void> read_map(const json& root, const path& file, weight_index& index) {
  const json& map = field_or_null(root, "weight_map");
  if (!map.is_object() || map.empty())
    return ASSAY_FAIL(unusable_input, complaint(file, "weight_map",
                                                map.is_null()     ? "is missing"
                                                : map.is_object() ? "names no tensor"
                                                                  : "is " + shown(map),
                                                one_revision));
  for (const auto& [tensor, shard] : map.items()) {
    if (!shard.is_string() || !is_plain_name(shard.get_ref<const std::string&>()))
      return ASSAY_FAIL(
          unusable_input,
          complaint(file, "weight_map." + tensor,
                    "is " + shown(shard) + ", not the name of a file beside it", one_revision));
    index.file_of_tensor.emplace(tensor, shard.get<std::string>());
  }
  return {};
}

bool has_tensor(const std::vector<tensor_view>& tensors, std::string_view name) {
  return std::binary_search(
      tensors.begin(), tensors.end(), tensor_view{std::string(name), {}, {}, {}},
      [](const tensor_view& a, const tensor_view& b) { return a.name < b.name; });
}

}  // namespace

std::vector<std::string> weight_index::files() const {
  std::set<std::string> names;
  for (const auto& [tensor, file] : file_of_tensor) names.insert(file);
  return {names.begin(), names.end()};
}

result<weight_index> parse_index(std::string_view text, const path& file) {
  ASSAY_TRY_ASSIGN(const json root, parse_json(text, file, index_limits));
  ASSAY_TRY(check_keys(root, file));
  weight_index index;
  ASSAY_TRY(read_map(root, file, index));
  ASSAY_TRY(read_total(root, file, index));
  return index;
}

result<void> check_shard(const weight_index& index, const path& index_file, const path& shard,
                         const std::vector<tensor_view>& tensors) {
  const std::string name = shard.filename().string();
  for (const tensor_view& tensor : tensors) {
    const auto found = index.file_of_tensor.find(tensor.name);
    if (found != index.file_of_tensor.end() && found->second == name) continue;
    const std::string instead = found == index.file_of_tensor.end()
                                    ? "which the index does not name"
                                    : "which the index places in " + printable(found->second);
    return ASSAY_FAIL(
        unusable_input,
        complaint(shard, tensor.name, "is a tensor of this file, " + instead, one_revision));
  }
  for (const auto& [tensor, file] : index.file_of_tensor) {
    if (file == name && !has_tensor(tensors, tensor))
      return ASSAY_FAIL(
          unusable_input,
          complaint(index_file, "weight_map." + tensor,
                    fmt::format("is {}, which has no such tensor", printable(file)), one_revision));
  }
  return {};
}

}  // namespace assay::checkpoint
