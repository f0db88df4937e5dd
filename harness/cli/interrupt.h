// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Ctrl-C ends a run between two steps, so that what was measured is written out.
#pragma once

namespace assay::cli {

/// From now on SIGINT and SIGTERM set a flag instead of killing the process; a second one kills.
void catch_interrupts();
bool is_interrupted();

}  // namespace assay::cli
