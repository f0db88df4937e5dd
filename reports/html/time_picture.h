// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Where the time of a kind of pass went, as a picture.
#pragma once

#include <string>

#include "reports/model/investigation.h"

namespace assay::reports {

/// One bar a part and one for the residual, on a common axis, as inline SVG with its figures in
/// words beside it. Precondition: there is a pass.
std::string time_picture(const model::pass_total& total);

}  // namespace assay::reports
