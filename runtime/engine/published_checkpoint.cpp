// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/published_checkpoint.h"

#include <cstdint>

namespace assay::engine {

using telemetry::counter_id;

void publish_checkpoint(const checkpoint::checkpoint& opened, telemetry::counter_writer& counters) {
  const auto as_count = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  counters.set(counter_id::checkpoint_file_bytes, as_count(opened.weights().file_bytes()));
  counters.add(counter_id::checkpoint_tensor_bytes, as_count(opened.weights().tensor_bytes()));
  counters.add(counter_id::checkpoint_unused_tensors_count,
               as_count(opened.unused_tensors().size()));
}

}  // namespace assay::engine
