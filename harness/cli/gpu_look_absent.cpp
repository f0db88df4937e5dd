// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// For builds without CUDA. NVML needs none: the driver's word is there all the same.
#include "harness/cli/driver_look.h"
#include "harness/cli/gpu_look.h"

namespace assay::cli {
namespace {

failure no_backend() {
  return ASSAY_FAIL(unavailable, "this build has no CUDA backend; build the preset cuda");
}

}  // namespace

gpu_look look_at_gpu() {
  return {no_backend(), look_at_driver({}), no_backend(), no_backend()};
}

result<std::vector<trace::link_ceiling>> measured_gpu_ceilings() {
  return no_backend();
}

result<std::vector<trace::arithmetic_ceiling>> measured_gpu_arithmetic() {
  return no_backend();
}

}  // namespace assay::cli
