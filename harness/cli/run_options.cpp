// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/run_options.h"

#include <limits>

#include <fmt/format.h>

#include "harness/cli/host_choice.h"
#include "runtime/telemetry/knobs.h"
#include "scenarios/embedded.h"

namespace assay::cli {

result<run_options> default_run_options() {
  run_options options;
  options.checkpoint = scenarios::embedded_checkpoint();
  ASSAY_TRY_ASSIGN(const auto arena_bytes,
                   telemetry::knob_value(telemetry::knob_id::host_arena_bytes));
  options.arena_bytes = static_cast<std::uint64_t>(arena_bytes);
  ASSAY_TRY_ASSIGN(options.spin_ns, telemetry::knob_value(telemetry::knob_id::host_spin_ns));
  ASSAY_TRY_ASSIGN(options.threads, host_threads());
  ASSAY_TRY(use_host_isa());
  ASSAY_TRY_ASSIGN(options.page_tokens, telemetry::knob_value(telemetry::knob_id::kv_page_tokens));
  if (options.page_tokens > std::numeric_limits<std::uint32_t>::max())
    return ASSAY_FAIL(usage, fmt::format("ASSAY_KV_PAGE_TOKENS={} is more than a page can hold; "
                                         "give a few dozen tokens",
                                         options.page_tokens));
  return options;
}

}  // namespace assay::cli
