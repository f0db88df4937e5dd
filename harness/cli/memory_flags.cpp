// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/memory_flags.h"

namespace assay::cli {

result<void> set_memory(run_options& options, const memory_flags& flags) {
  options.context_tokens = flags.context_tokens;
  if (flags.vram_limit.empty()) return {};
  ASSAY_TRY_ASSIGN(options.vram_limit, memory::vram_limit::parse(flags.vram_limit));
  return {};
}

std::int64_t context_of(const run_options& options, const scenarios::model_shape& model) {
  return options.context_tokens == 0 ? model.max_context_tokens
                                     : std::int64_t{options.context_tokens};
}

}  // namespace assay::cli
