// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "scenarios/embedded.h"

namespace assay::scenarios {

std::filesystem::path embedded_checkpoint() {
  return ASSAY_EMBEDDED_CHECKPOINT;
}

}  // namespace assay::scenarios
