// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/config_rope.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "runtime/checkpoint/complaint.h"
#include "runtime/checkpoint/config_fields.h"
#include "runtime/checkpoint/json_text.h"

namespace assay::checkpoint {
namespace {

using nlohmann::json;
using std::filesystem::path;

// A theta and the key that gave it.
struct named_theta {
  std::string name;
  double value;
};

// A block of parameters, by its key, and the scaling that it asks for.
struct named_scaling {
  std::string name;
  std::optional<llama3_scaling> value;
};

struct found_rope {
  std::vector<named_theta> thetas;
  std::vector<named_scaling> scalings;
};

constexpr std::array<std::string_view, 4> llama3_parameters{
    "factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"};

result<double> read_number(const json& value, const field_place& place) {
  return read_positive(value, place, std::numeric_limits<double>::infinity());
}

// Written twice by some versions: `type` is the oldest spelling. True for llama3.
result<bool> read_type(const json& parameters, const std::string& prefix, const path& file) {
  const json& oldest = field_or_null(parameters, "type");
  const json& newer = field_or_null(parameters, "rope_type");
  const json& first = oldest.is_null() ? newer : oldest;
  const std::string name = prefix + (oldest.is_null() ? "rope_type" : "type");
  if (first != "default" && first != "llama3")
    return ASSAY_FAIL(unusable_input,
                      complaint(file, name, first.is_null() ? "is missing" : "is " + shown(first),
                                "only \"default\" and \"llama3\" are implemented: use a checkpoint "
                                "that has one of them"));
  if (!newer.is_null() && newer != first)
    return ASSAY_FAIL(unusable_input, complaint(file, prefix + "rope_type",
                                                fmt::format("is {}, but {} is {}", shown(newer),
                                                            name, shown(first)),
                                                "keep the one that the model was trained with"));
  return first == "llama3";
}

result<void> check_parameter_names(const json& parameters, bool is_llama3,
                                   const std::string& prefix, const path& file) {
  for (const auto& [name, value] : parameters.items()) {
    if (value.is_null() || name == "type" || name == "rope_type" || name == "rope_theta") continue;
    if (name == "partial_rotary_factor") {
      ASSAY_TRY(require_value(value, {file, prefix + name}, 1));
      continue;
    }
    const auto* const end = llama3_parameters.end();
    if (is_llama3 && std::find(llama3_parameters.begin(), end, name) != end) continue;
    return ASSAY_FAIL(
        unusable_input,
        complaint(file, prefix + name, "is a parameter that is not implemented for this rope type",
                  "use a checkpoint with plain or llama3 rotary embedding"));
  }
  return {};
}

result<llama3_scaling> read_llama3(const json& parameters, const std::string& prefix,
                                   const path& file) {
  const auto number = [&](const char* key) {
    return read_number(field_or_null(parameters, key), {file, prefix + key});
  };
  llama3_scaling scaling;
  ASSAY_TRY_ASSIGN(scaling.factor, number("factor"));
  ASSAY_TRY_ASSIGN(scaling.low_freq_factor, number("low_freq_factor"));
  ASSAY_TRY_ASSIGN(scaling.high_freq_factor, number("high_freq_factor"));
  constexpr const char* original = "original_max_position_embeddings";
  ASSAY_TRY_ASSIGN(
      scaling.original_context_tokens,
      read_count(field_or_null(parameters, original), {file, prefix + original}, 1U << 24));
  if (scaling.factor < 1.0)
    return ASSAY_FAIL(
        unusable_input,
        complaint(file, prefix + "factor",
                  fmt::format("is {}, which would shorten the context", scaling.factor),
                  "write a number of at least 1"));
  if (scaling.high_freq_factor <= scaling.low_freq_factor)
    return ASSAY_FAIL(unusable_input,
                      complaint(file, prefix + "high_freq_factor",
                                fmt::format("is {}, not above the low_freq_factor of {}",
                                            scaling.high_freq_factor, scaling.low_freq_factor),
                                "write the two that the model was trained with"));
  return scaling;
}

// Types first: "yarn" says more than the first of yarn's parameters.
result<void> read_block(const json& root, const std::string& key, const path& file,
                        found_rope& found) {
  const json& parameters = field_or_null(root, key);
  if (parameters.is_null()) return {};
  if (!parameters.is_object())
    return ASSAY_FAIL(unusable_input, complaint(file, key, "is " + shown(parameters),
                                                "write an object with rope_type and rope_theta"));
  const std::string prefix = key + ".";
  ASSAY_TRY_ASSIGN(const bool is_llama3, read_type(parameters, prefix, file));
  ASSAY_TRY(check_parameter_names(parameters, is_llama3, prefix, file));
  named_scaling scaling{key, std::nullopt};
  if (is_llama3) {
    ASSAY_TRY_ASSIGN(scaling.value, read_llama3(parameters, prefix, file));
  }
  found.scalings.push_back(scaling);
  const json& theta = field_or_null(parameters, "rope_theta");
  if (theta.is_null()) return {};
  const std::string name = prefix + "rope_theta";
  ASSAY_TRY_ASSIGN(const double value, read_number(theta, {file, name}));
  found.thetas.push_back({name, value});
  return {};
}

result<double> one_theta(const std::vector<named_theta>& thetas, const path& file) {
  const named_theta& first = thetas.front();
  for (const named_theta& other : thetas) {
    if (other.value != first.value)
      return ASSAY_FAIL(unusable_input, complaint(file, other.name,
                                                  fmt::format("is {}, but {} is {}", other.value,
                                                              first.name, first.value),
                                                  "keep the one that the model was trained with"));
  }
  // The angles of a head fall from one to its inverse. Below one they grow instead, past what f32
  // holds, and it would be the weights that look broken.
  if (first.value < 1.0)
    return ASSAY_FAIL(unusable_input,
                      complaint(file, first.name, fmt::format("is {}", first.value),
                                "the base of the rotation is 1 at least, 10000 or more as a rule"));
  return first.value;
}

result<std::optional<llama3_scaling>> one_scaling(const std::vector<named_scaling>& scalings,
                                                  const path& file) {
  if (scalings.empty()) return std::optional<llama3_scaling>{};
  const named_scaling& first = scalings.front();
  for (const named_scaling& other : scalings) {
    if (other.value != first.value)
      return ASSAY_FAIL(unusable_input,
                        complaint(file, other.name, "asks for another scaling than " + first.name,
                                  "keep the one that the model was trained with"));
  }
  return first.value;
}

}  // namespace

result<void> read_rope(const json& root, const path& file, model_config& config) {
  found_rope found;
  ASSAY_TRY(read_block(root, "rope_parameters", file, found));
  ASSAY_TRY(read_block(root, "rope_scaling", file, found));
  const json& outer = field_or_null(root, "rope_theta");
  if (!outer.is_null() || found.thetas.empty()) {
    ASSAY_TRY_ASSIGN(const double value, read_number(outer, {file, "rope_theta"}));
    found.thetas.push_back({"rope_theta", value});
  }
  ASSAY_TRY_ASSIGN(config.rope_theta, one_theta(found.thetas, file));
  ASSAY_TRY_ASSIGN(config.rope_scaling, one_scaling(found.scalings, file));
  return {};
}

}  // namespace assay::checkpoint
