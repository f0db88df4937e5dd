// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Kernels whose effect a test can see.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "runtime/device/device.h"

namespace assay::device {

/// Holds its stream until the gate opens.
struct gate {
  std::atomic<bool> is_open{false};
  void open() {
    is_open.store(true);
    is_open.notify_all();
  }
};

struct gate_arguments {
  gate* until;
};
inline void hold_body(const gate_arguments& a, block_context&) {
  a.until->is_open.wait(false);
}
inline kernel hold_until(gate& until) {
  return kernel::bind<gate_arguments, hold_body>("hold", {&until}, 1);
}

/// Appends a number to a list: the order of a stream. Only one stream may write a list.
struct append_arguments {
  std::vector<int>* list;
  int number;
};
inline void append_body(const append_arguments& a, block_context&) {
  a.list->push_back(a.number);
}
inline kernel append(std::vector<int>& list, int number) {
  return kernel::bind<append_arguments, append_body>("append", {&list, number}, 1);
}

/// Each block tallies bytes that depend on its index, and counts its run.
struct tally_arguments {
  std::atomic<std::uint32_t>* runs;
};
inline void tally_body(const tally_arguments& a, block_context& context) {
  a.runs->fetch_add(1);
  context.weight_bytes += 100 + context.block;
  context.kv_bytes += 7;
}
inline kernel tally(std::atomic<std::uint32_t>& runs, std::uint32_t blocks) {
  return kernel::bind<tally_arguments, tally_body>("tally", {&runs}, blocks);
}

}  // namespace assay::device
