// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/nvml/nvml_counter.h"

#include <string>

namespace assay::probes {

result<nvml_gain> gained(const nvml_counter& before, const nvml_counter& after) {
  if (before.modulus != after.modulus)
    return ASSAY_FAIL(unavailable,
                      "NVML: a count changed its width between two readings; start again from the "
                      "later one");
  if (after.value >= before.value) return nvml_gain{after.value - before.value, after.modulus};
  if (after.modulus == 0)
    return ASSAY_FAIL(unavailable, "NVML: a count went back from " + std::to_string(before.value) +
                                       " to " + std::to_string(after.value) +
                                       "; start again from the later one");
  return nvml_gain{after.modulus - before.value + after.value, after.modulus};
}

}  // namespace assay::probes
