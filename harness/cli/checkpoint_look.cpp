// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/checkpoint_look.h"

#include <system_error>

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
  return checkpoint_seen{opened.config(), engine::resident_model::needed_bytes(opened)};
}

}  // namespace assay::cli
