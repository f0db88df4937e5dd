// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/weight_files.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runtime/checkpoint/complaint.h"
#include "runtime/checkpoint/regular_file.h"
#include "runtime/checkpoint/weight_index.h"

namespace assay::checkpoint {
namespace {

using std::filesystem::path;

// A model of 1,000 layers and 20 tensors a layer has 2 MB or so.
constexpr std::uint64_t index_limit_bytes = 64 << 20;

bool is_there(const path& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

result<void> check_is_there(const path& shard, const path& index) {
  if (is_there(shard)) return {};
  return ASSAY_FAIL(
      unusable_input,
      complaint(shard, "", "is missing, but " + index.filename().string() + " names it",
                "fetch it too"));
}

result<void> check_total(const weight_index& index, const path& file, std::uint64_t tensor_bytes) {
  if (index.total_bytes.value_or(tensor_bytes) == tensor_bytes) return {};
  return ASSAY_FAIL(unusable_input,
                    complaint(file, "metadata.total_size",
                              fmt::format("is {}, but the tensors of the files have {} bytes",
                                          *index.total_bytes, tensor_bytes),
                              "take index and files from one revision of the model"));
}

}  // namespace

result<void> weight_files::add(const path& file) {
  ASSAY_TRY_ASSIGN(safetensors_file content, safetensors_file::open(file));
  files_.push_back({file, std::move(content)});
  return {};
}

// A view's bytes lie in the mapping, which stays where it is.
void weight_files::collect() {
  for (const mapped_file& file : files_) {
    const auto& of_file = file.content.tensors();
    tensors_.insert(tensors_.end(), of_file.begin(), of_file.end());
  }
  std::sort(tensors_.begin(), tensors_.end(),
            [](const tensor_view& a, const tensor_view& b) { return a.name < b.name; });
}

result<weight_files> weight_files::open(const path& folder) {
  weight_files opened;
  const path whole = folder / "model.safetensors";
  const path index_file = folder / "model.safetensors.index.json";
  if (is_there(whole) || !is_there(index_file)) {
    opened.listing_ = whole;
    ASSAY_TRY(opened.add(whole));
    opened.collect();
    return opened;
  }
  opened.listing_ = index_file;
  ASSAY_TRY_ASSIGN(const std::string text, read_text(index_file, index_limit_bytes));
  ASSAY_TRY_ASSIGN(const weight_index index, parse_index(text, index_file));
  for (const std::string& name : index.files()) {
    ASSAY_TRY(check_is_there(folder / name, index_file));
    ASSAY_TRY(opened.add(folder / name));
    ASSAY_TRY(
        check_shard(index, index_file, folder / name, opened.files_.back().content.tensors()));
  }
  ASSAY_TRY(check_total(index, index_file, opened.tensor_bytes()));
  opened.collect();
  return opened;
}

const tensor_view* weight_files::find(std::string_view name) const {
  const auto found = std::lower_bound(
      tensors_.begin(), tensors_.end(), name,
      [](const tensor_view& tensor, std::string_view wanted) { return tensor.name < wanted; });
  return found != tensors_.end() && found->name == name ? &*found : nullptr;
}

path weight_files::file_of(const tensor_view* tensor) const {
  if (tensor == nullptr) return listing_;
  for (const mapped_file& file : files_)
    if (file.content.find(tensor->name) != nullptr) return file.path;
  return listing_;
}

std::uint64_t weight_files::file_bytes() const {
  std::uint64_t bytes = 0;
  for (const mapped_file& file : files_) bytes += file.content.file_bytes();
  return bytes;
}

std::uint64_t weight_files::tensor_bytes() const {
  std::uint64_t bytes = 0;
  for (const mapped_file& file : files_) bytes += file.content.tensor_bytes();
  return bytes;
}

}  // namespace assay::checkpoint
