// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A kernel that loses the device.
#pragma once

#include <cuda_runtime_api.h>

namespace assay::test {

/// Enqueues a write to an address that nothing owns: the call succeeds, and what waits for it
/// fails, as does every later call of the process.
cudaError_t write_nowhere();

}  // namespace assay::test
