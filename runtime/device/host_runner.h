// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The honest runner of the host device.
#pragma once

#include "runtime/device/operation_runner.h"

namespace assay::device {

/// Does each operation once, in full, and reports what it counted while doing it.
/// Clock: host, read on the worker around the work; an event's stamp is a read of its own.
/// Overhead: no clock is read where nobody observes, but for an event's stamp.
class host_runner final : public operation_runner {
 public:
  void run(const operation& what, const worker_site& site) override;
};

}  // namespace assay::device
