// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The range label that a thread has open on a device.
#pragma once

#include <cstdint>

#include "runtime/device/records.h"

namespace assay::device {

/// Names a device for as long as the process lives; never given twice.
using device_serial = std::uint64_t;

device_serial next_device_serial() noexcept;

/// The label that the calling thread has open on that device; 0 where it opened none.
range_label open_range(device_serial device) noexcept;

/// Opens `label` for the calling thread; returns the label before.
range_label exchange_range(device_serial device, range_label label) noexcept;

}  // namespace assay::device
