// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/config_rope.h"

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runtime/checkpoint/complaint.h"
#include "runtime/checkpoint/config_fields.h"
#include "runtime/checkpoint/json_text.h"

namespace assay::checkpoint {
namespace {

using nlohmann::json;

// A theta and the key that gave it.
using named_theta = std::pair<std::string, double>;

result<double> read_theta(const json& value, const field_place& place) {
  return read_positive(value, place, std::numeric_limits<double>::infinity());
}

// The parameters' types are written twice by some versions: `type` is the oldest spelling.
result<void> check_types(const json& parameters, const std::string& prefix,
                         const std::filesystem::path& file) {
  const json& old_type = field_or_null(parameters, "type");
  const json& new_type = field_or_null(parameters, "rope_type");
  if (!old_type.is_null() || new_type.is_null()) {
    const std::string name = old_type.is_null() ? "rope_type" : "type";
    ASSAY_TRY(require_value(old_type, {file, prefix + name}, "default"));
  }
  if (!new_type.is_null())
    ASSAY_TRY(require_value(new_type, {file, prefix + "rope_type"}, "default"));
  return {};
}

result<void> check_parameter_names(const json& parameters, const std::string& prefix,
                                   const std::filesystem::path& file) {
  for (const auto& [name, value] : parameters.items()) {
    if (value.is_null() || name == "type" || name == "rope_type" || name == "rope_theta") continue;
    if (name == "partial_rotary_factor") {
      ASSAY_TRY(require_value(value, {file, prefix + name}, 1));
      continue;
    }
    return ASSAY_FAIL(unusable_input,
                      complaint(file, prefix + name, "is a parameter that is not implemented",
                                "use a checkpoint with plain rotary embedding"));
  }
  return {};
}

// Types first: "yarn" says more than the first of yarn's parameters.
result<void> read_parameters(const json& config, const std::string& key,
                             const std::filesystem::path& file, std::vector<named_theta>& thetas) {
  const json& parameters = field_or_null(config, key);
  if (parameters.is_null()) return {};
  if (!parameters.is_object())
    return ASSAY_FAIL(unusable_input, complaint(file, key, "is " + shown(parameters),
                                                "write an object with rope_type and rope_theta"));
  const std::string prefix = key + ".";
  ASSAY_TRY(check_types(parameters, prefix, file));
  ASSAY_TRY(check_parameter_names(parameters, prefix, file));
  const json& theta = field_or_null(parameters, "rope_theta");
  if (theta.is_null()) return {};
  const std::string name = prefix + "rope_theta";
  ASSAY_TRY_ASSIGN(const double value, read_theta(theta, {file, name}));
  thetas.emplace_back(name, value);
  return {};
}

}  // namespace

result<double> read_rope_theta(const json& config, const std::filesystem::path& file) {
  std::vector<named_theta> thetas;
  ASSAY_TRY(read_parameters(config, "rope_parameters", file, thetas));
  ASSAY_TRY(read_parameters(config, "rope_scaling", file, thetas));
  const json& outer = field_or_null(config, "rope_theta");
  if (!outer.is_null() || thetas.empty()) {
    ASSAY_TRY_ASSIGN(const double value, read_theta(outer, {file, "rope_theta"}));
    thetas.emplace_back("rope_theta", value);
  }
  const auto& [first_name, theta] = thetas.front();
  for (const auto& [name, other] : thetas) {
    if (other != theta)
      return ASSAY_FAIL(
          unusable_input,
          complaint(file, name, fmt::format("is {}, but {} is {}", other, first_name, theta),
                    "keep the one that the model was trained with"));
  }
  return theta;
}

}  // namespace assay::checkpoint
