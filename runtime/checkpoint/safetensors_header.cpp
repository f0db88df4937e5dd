// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "runtime/checkpoint/complaint.h"
#include "runtime/checkpoint/config_fields.h"
#include "runtime/checkpoint/json_text.h"
#include "runtime/checkpoint/safetensors.h"

namespace assay::checkpoint {
namespace {

using nlohmann::json;
using std::filesystem::path;

constexpr const char* fetch_again = "fetch the file again";
constexpr const char* save_again = "save the file again with the safetensors library";

// A tensor is 7 values or so; 4 million of them are far above any checkpoint and keep a hostile
// header's tree below half a GiB.
constexpr json_limits header_limits{.depth = 8, .values = std::size_t{1} << 22};

constexpr std::array<std::pair<const char*, dtype>, 3> dtype_names{
    {{"BF16", dtype::bf16}, {"F16", dtype::f16}, {"F32", dtype::f32}}};

result<dtype> read_dtype(const json& value, const field_place& place) {
  for (const auto& [name, type] : dtype_names) {
    if (value == name) return type;
  }
  return ASSAY_FAIL(
      unusable_input,
      complaint(place.file, place.name, "has dtype " + (value.is_null() ? "missing" : shown(value)),
                "convert the tensor to BF16, F16 or F32"));
}

// Empty where the array is no list of whole numbers.
std::optional<std::vector<std::uint64_t>> whole_numbers(const json& value) {
  if (!value.is_array()) return std::nullopt;
  std::vector<std::uint64_t> numbers;
  for (const json& number : value) {
    if (!number.is_number_unsigned()) return std::nullopt;
    numbers.push_back(number.get<std::uint64_t>());
  }
  return numbers;
}

// Empty where the product leaves 64 bits.
std::optional<std::uint64_t> bytes_of_shape(const std::vector<std::uint64_t>& shape, dtype type) {
  std::uint64_t total_bytes = bytes_of(type);
  for (const std::uint64_t extent : shape) {
    if (extent != 0 && total_bytes > std::numeric_limits<std::uint64_t>::max() / extent)
      return std::nullopt;
    total_bytes *= extent;
  }
  return total_bytes;
}

result<void> check_entry_keys(const json& value, const field_place& place) {
  if (!value.is_object())
    return ASSAY_FAIL(unusable_input,
                      complaint(place.file, place.name, "is " + shown(value), save_again));
  for (const auto& [key, unused] : value.items()) {
    if (key != "dtype" && key != "shape" && key != "data_offsets")
      return ASSAY_FAIL(
          unusable_input,
          complaint(place.file, place.name, fmt::format("has the unknown key {}", printable(key)),
                    save_again));
  }
  return {};
}

result<void> check_extent(const header_entry& entry, const field_place& place,
                          std::uint64_t payload_bytes) {
  if (entry.begin > entry.end)
    return ASSAY_FAIL(unusable_input, complaint(place.file, place.name,
                                                fmt::format("ends at {}, before its begin at {}",
                                                            entry.end, entry.begin),
                                                save_again));
  if (entry.end > payload_bytes)
    return ASSAY_FAIL(unusable_input,
                      complaint(place.file, place.name,
                                fmt::format("ends at byte {} of {} that follow the header: the "
                                            "file is cut or its header wrong",
                                            entry.end, payload_bytes),
                                fetch_again));
  const auto shape_bytes = bytes_of_shape(entry.shape, entry.type);
  if (shape_bytes != entry.end - entry.begin)
    return ASSAY_FAIL(
        unusable_input,
        complaint(place.file, place.name,
                  fmt::format("has {} bytes, but {} [{}] needs {}", entry.end - entry.begin,
                              to_string(entry.type), fmt::join(entry.shape, ", "),
                              shape_bytes ? std::to_string(*shape_bytes) : "more than 2^64"),
                  save_again));
  return {};
}

result<header_entry> read_entry(const std::string& name, const json& value,
                                std::uint64_t payload_bytes, const path& file) {
  const field_place place{file, name};
  ASSAY_TRY(check_entry_keys(value, place));
  header_entry entry;
  entry.name = name;
  ASSAY_TRY_ASSIGN(entry.type, read_dtype(field_or_null(value, "dtype"), place));
  auto shape = whole_numbers(field_or_null(value, "shape"));
  const auto offsets = whole_numbers(field_or_null(value, "data_offsets"));
  if (!shape)
    return ASSAY_FAIL(
        unusable_input,
        complaint(file, name, "has a shape that is no list of whole numbers", save_again));
  if (!offsets || offsets->size() != 2)
    return ASSAY_FAIL(
        unusable_input,
        complaint(file, name, "has data_offsets that are no pair of whole numbers", save_again));
  entry.shape = std::move(*shape);
  entry.begin = offsets->front();
  entry.end = offsets->back();
  ASSAY_TRY(check_extent(entry, place, payload_bytes));
  return entry;
}

result<void> check_metadata(const json& value, const path& file) {
  const bool is_text =
      value.is_object() &&
      std::all_of(value.begin(), value.end(), [](const json& v) { return v.is_string(); });
  if (is_text) return {};
  return ASSAY_FAIL(unusable_input,
                    complaint(file, "__metadata__", "is not an object of strings", save_again));
}

// The payload must be covered exactly once: bytes that no tensor owns may hide a second file, and
// would make the file's size no measure of what is loaded.
result<void> check_cover(const std::vector<header_entry>& entries, std::uint64_t payload_bytes,
                         const path& file) {
  std::uint64_t covered_bytes = 0;
  const char* previous = "";
  for (const header_entry& entry : entries) {
    if (entry.begin < covered_bytes)
      return ASSAY_FAIL(unusable_input, complaint(file, entry.name,
                                                  fmt::format("begins at {}, inside of {}",
                                                              entry.begin, printable(previous)),
                                                  save_again));
    if (entry.begin > covered_bytes)
      return ASSAY_FAIL(unusable_input,
                        complaint(file, entry.name,
                                  fmt::format("begins at {} and leaves a hole of {} bytes",
                                              entry.begin, entry.begin - covered_bytes),
                                  save_again));
    covered_bytes = entry.end;
    previous = entry.name.c_str();
  }
  if (covered_bytes == payload_bytes) return {};
  return ASSAY_FAIL(unusable_input, complaint(file, "header",
                                              fmt::format("{} bytes follow the last tensor",
                                                          payload_bytes - covered_bytes),
                                              fetch_again));
}

}  // namespace

std::string_view to_string(dtype type) {
  for (const auto& [name, named] : dtype_names) {
    if (named == type) return name;
  }
  return "?";
}

result<std::vector<header_entry>> parse_header(std::string_view text, std::uint64_t payload_bytes,
                                               const path& file) {
  ASSAY_TRY_ASSIGN(const json root, parse_json(text, file, header_limits, "header"));
  if (!root.is_object())
    return ASSAY_FAIL(unusable_input,
                      complaint(file, "header", "holds no JSON object", fetch_again));
  std::vector<header_entry> entries;
  for (const auto& [name, value] : root.items()) {
    if (name == "__metadata__") {
      ASSAY_TRY(check_metadata(value, file));
      continue;
    }
    ASSAY_TRY_ASSIGN(header_entry entry, read_entry(name, value, payload_bytes, file));
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(), [](const header_entry& a, const header_entry& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  ASSAY_TRY(check_cover(entries, payload_bytes, file));
  return entries;
}

}  // namespace assay::checkpoint
