// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A decode run on the host device with every observer attached, written down as a trace.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "harness/cli/run_backend.h"
#include "harness/cli/run_options.h"
#include "harness/cli/track.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

/// Told what is happening, and nothing ("") once that is over; the caller decides whether anybody
/// sees it.
using progress = std::function<void(std::string_view)>;

/// Decodes the scenario once and writes the same run to every track, each with the readings of its
/// own instrument.
/// Errors: the runtime's own, and `interrupted` after Ctrl-C; the traces then end without an END
/// block, so no reader can take them for a whole run. Tests pass a maker whose host executor is
/// faulty; a GPU's backend does not ask it.
result<void> audited_run(const run_options& options, std::span<const track> tracks,
                         const progress& tell, const device_maker& make_device = make_host_device);

}  // namespace assay::cli
