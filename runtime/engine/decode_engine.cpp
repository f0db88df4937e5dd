// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/decode_engine.h"

namespace assay::engine {

result<std::vector<step_result>> decode_engine::decode_steps(std::uint32_t) {
  ASSAY_TRY_ASSIGN(const step_result one, decode_step());
  return std::vector<step_result>{one};
}

}  // namespace assay::engine
