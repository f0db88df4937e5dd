// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The audit in Prometheus's text format, for a node exporter's folder of text files or a push
// gateway.
#pragma once

#include <string>

#include "reports/model/audit_report.h"
#include "reports/model/outcome.h"

namespace assay::reports {

/// Every counter's claim as a metric of its own in base units; its verdict as
/// `assay_audit_verdict{counter,verdict,reason} 1`. A counter without a number has no sample under
/// its metric, and stands in `assay_audit_absent{counter,reason} 1` instead: a 0 there would be
/// believed. Rules, gates and the exit code follow. No timestamps: the reader gives its own.
std::string audit_as_prometheus(const model::audit_report& report, model::outcome outcome);

}  // namespace assay::reports
