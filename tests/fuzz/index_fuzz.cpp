// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as a model.safetensors.index.json: parse_index must answer with plain file names, each
// tensor once, or with one line; files that are as the index says must pass, and with a tensor too
// many or too few must not.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/checkpoint/weight_index.h"
#include "runtime/telemetry/check.h"
#include "tests/fuzz/check_error.h"

namespace {

using assay::checkpoint::check_shard;
using assay::checkpoint::tensor_view;
using assay::checkpoint::weight_index;

void check_refusal(const weight_index& index, const std::string& shard,
                   const std::vector<tensor_view>& tensors) {
  const auto checked = check_shard(index, "index.json", shard, tensors);
  ASSAY_CHECK(!checked, "a file that the index does not describe passes");
  assay::fuzz::check_error(checked.error(), "");
}

void try_shard(const weight_index& index, const std::string& shard) {
  ASSAY_CHECK(!shard.empty() && shard != ".." && shard.find('/') == std::string::npos,
              "a file elsewhere");
  std::vector<tensor_view> tensors;  // ascending, as the map is
  for (const auto& [tensor, file] : index.file_of_tensor)
    if (file == shard) tensors.push_back({tensor, {}, {}, {}});
  ASSAY_CHECK(!tensors.empty(), "a file without a tensor");
  ASSAY_CHECK(check_shard(index, "index.json", shard, tensors), "a file as described is refused");
  std::vector<tensor_view> fewer(tensors.begin(), tensors.end() - 1);
  check_refusal(index, shard, fewer);
  tensors.push_back({tensors.back().name + "x", {}, {}, {}});
  // That name may be another tensor of the same file only if it was there before.
  const auto found = index.file_of_tensor.find(tensors.back().name);
  if (found == index.file_of_tensor.end() || found->second != shard)
    check_refusal(index, shard, tensors);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = assay::checkpoint::parse_index(text, "index.json");
  if (!parsed) {
    assay::fuzz::check_error(parsed.error(), "index.json: ");
    return 0;
  }
  const auto files = parsed->files();
  ASSAY_CHECK(!files.empty() && files.size() <= parsed->file_of_tensor.size(), "no file");
  for (const std::string& shard : files) try_shard(*parsed, shard);
  return 0;
}
