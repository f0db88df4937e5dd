// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a checkpoint's files hold, as counters.
#pragma once

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/telemetry/counter_writer.h"

namespace assay::engine {

/// Writes the sizes and the unused tensors of runtime.checkpoint.*, whatever the device.
void publish_checkpoint(const checkpoint::checkpoint& opened, telemetry::counter_writer& counters);

}  // namespace assay::engine
