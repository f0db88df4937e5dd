// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The CUDA device.
#pragma once

#include <memory>

#include "runtime/device/device.h"
#include "runtime/telemetry/result.h"

namespace assay::device {

/// A device on the first GPU.
/// Errors: unavailable, always: there is no CUDA backend yet.
result<std::unique_ptr<device>> create_cuda_device();

}  // namespace assay::device
