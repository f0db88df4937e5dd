// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/checkpoint_look.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/engine/resident_model.h"

namespace assay::cli {

result<checkpoint_seen> look_at_checkpoint(const std::filesystem::path& folder) {
  ASSAY_TRY_ASSIGN(const auto opened, checkpoint::checkpoint::open(folder));
  const std::filesystem::path tokenizer = folder / "tokenizer.json";
  std::error_code code;
  if (!std::filesystem::exists(tokenizer, code) && !code)
    return ASSAY_FAIL(unusable_input, tokenizer.string() +
                                          ": is missing; give a folder that holds the "
                                          "checkpoint's tokenizer.json too");
  return checkpoint_seen{opened.config(), engine::resident_model::needed_bytes(opened),
                         opened.unused_tensors(), opened.unapplied_keys()};
}

std::string unused_tensors_note(const std::vector<std::string>& unused_tensors) {
  if (unused_tensors.empty()) return {};
  constexpr std::size_t most_names = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(most_names, unused_tensors.size()); ++i)
    names += (i == 0 ? "" : ", ") + unused_tensors[i];
  if (unused_tensors.size() > most_names) names += ", …";
  return fmt::format(
      "note: {} of the checkpoint's tensors {} read by nothing ({}); a model that needs them says "
      "something else\n",
      unused_tensors.size(), unused_tensors.size() == 1 ? "is" : "are", names);
}

std::string unapplied_keys_note(const std::vector<std::string>& unapplied_keys) {
  if (unapplied_keys.empty()) return {};
  return fmt::format(
      "note: generation_config.json sets {}, which nothing here applies: ids are chosen by the "
      "flags alone, the highest logit where there are none\n",
      fmt::join(unapplied_keys, ", "));
}

}  // namespace assay::cli
