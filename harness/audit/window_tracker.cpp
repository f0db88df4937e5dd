// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/window_tracker.h"

namespace assay::audit {

std::string to_string(const window_name& window) {
  static constexpr const char* words[window_kinds] = {
      "outside every window", "load", "request", "prefill", "decode step", "other window"};
  if (window.kind <= 0 || window.kind >= window_kinds) return words[0];
  return std::string(words[window.kind]) + " " + std::to_string(window.index);
}

bool window_tracker::begin(int kind, std::uint64_t index, std::int64_t at_ns,
                           const std::vector<std::int64_t>& baseline) {
  if (depth_ == max_depth) return false;
  if (frames_.size() == depth_) frames_.emplace_back();
  window_frame& frame = frames_[depth_++];
  frame.name = {kind, index};
  frame.begin_ns = at_ns;
  frame.has_snapshot = false;
  frame.baseline = baseline;
  return true;
}

bool window_tracker::is_innermost(int kind, std::uint64_t index) const {
  if (depth_ == 0) return false;
  const window_name& name = frames_[depth_ - 1].name;
  return name.kind == kind && name.index == index;
}

void window_tracker::mark_snapshot() {
  for (std::size_t i = 0; i < depth_; ++i) frames_[i].has_snapshot = true;
}

}  // namespace assay::audit
