// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Work of the harness's own, the same object code on both sides of every comparison.
#pragma once

#include <cstdint>

namespace assay::compare {

/// The least time of a slice of fixed arithmetic, of `slices` of them. About 12 ms a slice on a
/// 4th-generation EPYC. It touches no memory: what moves it is the core's speed and who shares it.
std::int64_t control_kernel_ns(int slices);

}  // namespace assay::compare
