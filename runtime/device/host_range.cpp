// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/host_range.h"

#include <algorithm>
#include <atomic>
#include <vector>

namespace assay::device {
namespace {

struct open_label {
  device_serial device;
  range_label label;
};

// One entry a device on which this thread has a range open; closing it takes the entry away, so a
// device that is gone leaves nothing behind.
thread_local std::vector<open_label> open_labels;

auto find_open(device_serial device) noexcept {
  return std::find_if(open_labels.begin(), open_labels.end(),
                      [&](const open_label& entry) { return entry.device == device; });
}

}  // namespace

device_serial next_device_serial() noexcept {
  static std::atomic<device_serial> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

range_label open_range(device_serial device) noexcept {
  const auto entry = find_open(device);
  return entry == open_labels.end() ? range_label{0} : entry->label;
}

range_label exchange_range(device_serial device, range_label label) noexcept {
  const auto entry = find_open(device);
  if (entry == open_labels.end()) {
    if (label != 0) open_labels.push_back({device, label});
    return 0;
  }
  const range_label before = entry->label;
  if (label != 0)
    entry->label = label;
  else
    open_labels.erase(entry);
  return before;
}

}  // namespace assay::device
