// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Whether the machine was in another state while one run went on than while another did.
#pragma once

#include "reports/model/investigation.h"

namespace assay::model {

/// Of the same condition in two runs. A level: no value of one lies between values of the other. A
/// total or a set: it stands out in one of them alone. Seen in one alone: apart. Pure.
inline bool is_apart(const condition_line& one, const condition_line& other) {
  if ((one.samples == 0) != (other.samples == 0)) return true;
  if (one.samples == 0) return one.absence != other.absence;
  if (one.is_flagged != other.is_flagged) return true;
  if (one.kind == "bits") return one.reads_as != other.reads_as;
  return one.kind == "level" && (one.most < other.least || other.most < one.least);
}

}  // namespace assay::model
