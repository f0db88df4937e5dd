// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/checkpoint.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/checkpoint/complaint.h"
#include "runtime/checkpoint/generation_config.h"
#include "runtime/checkpoint/regular_file.h"
#include "runtime/checkpoint/weight_scan.h"

namespace assay::checkpoint {
namespace {

using std::filesystem::path;

// Real ones have 1 to 10 kB.
constexpr std::uint64_t config_limit_bytes = 1 << 20;

result<model_config> read_config(const path& file) {
  ASSAY_TRY_ASSIGN(const std::string text, read_text(file, config_limit_bytes));
  return parse_config(text, file);
}

result<void> check_tensor(const tensor_view* tensor, const expected_tensor& expected,
                          const path& file, bool reads_values) {
  if (tensor == nullptr)
    return ASSAY_FAIL(unusable_input,
                      complaint(file, expected.name, "is missing, but config.json asks for it",
                                "take both files from one revision of the model"));
  if (tensor->shape != expected.shape)
    return ASSAY_FAIL(
        unusable_input,
        complaint(file, expected.name,
                  fmt::format("has shape [{}], but config.json asks for [{}]",
                              fmt::join(tensor->shape, ", "), fmt::join(expected.shape, ", ")),
                  "take both files from one revision of the model"));
  if (!reads_values) return {};
  if (const auto index = first_non_finite(tensor->bytes, tensor->type))
    return ASSAY_FAIL(
        unusable_input,
        complaint(file, expected.name, fmt::format("element {} is NaN or infinite", *index),
                  "fetch the file again, or save finite weights"));
  return {};
}

std::vector<std::string> names_without_use(const weight_files& weights,
                                           const std::vector<expected_tensor>& expected) {
  std::vector<std::string_view> used;
  for (const expected_tensor& tensor : expected) used.push_back(tensor.name);
  std::sort(used.begin(), used.end());
  std::vector<std::string> unused;
  for (const tensor_view& tensor : weights.tensors()) {
    if (!std::binary_search(used.begin(), used.end(), std::string_view(tensor.name)))
      unused.push_back(tensor.name);
  }
  return unused;
}

}  // namespace

checkpoint::checkpoint(model_config config, weight_files weights, path folder)
    : config_(std::move(config)), weights_(std::move(weights)), folder_(std::move(folder)) {}

result<checkpoint> checkpoint::open(const path& folder) {
  return open(folder, true);
}

result<checkpoint> checkpoint::open_unread(const path& folder) {
  return open(folder, false);
}

result<checkpoint> checkpoint::open(const path& folder, bool reads_values) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    return ASSAY_FAIL(unusable_input,
                      complaint(folder, "", "is no folder",
                                "give a folder that holds config.json and the weights"));
  ASSAY_TRY_ASSIGN(model_config config, read_config(folder / "config.json"));
  ASSAY_TRY_ASSIGN(generation_config generation,
                   read_generation_config(folder / "generation_config.json", config.vocab_rows));
  if (generation.eos_token_ids) config.eos_token_ids = std::move(*generation.eos_token_ids);
  ASSAY_TRY_ASSIGN(weight_files weights, weight_files::open(folder));
  const std::vector<expected_tensor> expected = expected_tensors(config);
  for (const expected_tensor& tensor : expected) {
    const tensor_view* const found = weights.find(tensor.name);
    ASSAY_TRY(check_tensor(found, tensor, weights.file_of(found), reads_values));
  }
  std::vector<std::string> unused = names_without_use(weights, expected);
  checkpoint opened(std::move(config), std::move(weights), folder);
  opened.unused_ = std::move(unused);
  opened.unapplied_keys_ = std::move(generation.unapplied_keys);
  return opened;
}

}  // namespace assay::checkpoint
