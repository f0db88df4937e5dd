// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda/cuda_device.h"

namespace assay::device {

result<std::unique_ptr<device>> create_cuda_device() {
  return ASSAY_FAIL(unavailable, "there is no CUDA backend yet; use the host device");
}

}  // namespace assay::device
