// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The state of a GPU over a run, by NVML.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "probes/nvml/nvml_probe.h"
#include "probes/process/condition_probe.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

/// The link as it was while bytes moved, whoever saw it: an idle one trains down.
using loaded_link = std::function<result<probes::nvml_link>()>;

/// Adds clocks, what holds them down, temperature, power, memory in use and the link. Where there
/// is no NVML each of them is absent with that reason.
/// Ownership: probe and link outlive the readers.
/// Overhead: a call of NVML each, and a sample is taken between requests alone.
void watch_gpu(probes::condition_probe& to, const result<std::unique_ptr<probes::nvml_probe>>& nvml,
               const loaded_link& link);

}  // namespace assay::cli
