// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a report cannot tell, from what its trace does not hold.
#pragma once

#include <string>
#include <vector>

#include "harness/attribution/pass_fold.h"
#include "reports/model/investigation.h"

namespace assay::attribution {

/// One sentence each: what is missing and what therefore stays open. Looks at the whole report but
/// its blind_spots.
std::vector<std::string> blind_spots_of(const model::investigation& report, const pass_fold& passes,
                                        const std::vector<std::uint32_t>& broken_threads);

}  // namespace assay::attribution
