// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the links carried when the harness probed them, and whether that changed during the run.
#pragma once

#include <array>
#include <vector>

#include "probes/trace/assay_trace.h"
#include "reports/model/investigation.h"

namespace assay::attribution {

class link_fold {
 public:
  /// A LINK_SAMPLE. One without bytes or a length is passed over.
  void take(const assay_record& sample);
  /// The links that were probed, in the order of assay_link.
  std::vector<model::link_line> lines() const;

 private:
  std::array<model::link_line, ASSAY_LINK_PCIE_PAGEABLE + 1> lines_{};
};

}  // namespace assay::attribution
