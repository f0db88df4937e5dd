// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Which windows are open, and what each counter read when they began.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "probes/trace/assay_trace.h"

namespace assay::audit {

inline constexpr int window_kinds = ASSAY_WINDOW_OTHER + 1;  ///< 0: outside every window

/// Names a window in a message.
struct window_name {
  int kind = 0;
  std::uint64_t index = 0;
};

/// "decode step 12", "load 0", "outside every window".
std::string to_string(const window_name& window);

/// An open window.
struct window_frame {
  window_name name;
  std::int64_t begin_ns = 0;
  bool has_snapshot = false;           ///< one was taken since the begin
  std::vector<std::int64_t> baseline;  ///< bits a row, from which a claim over the window counts
};

/// The stack of open windows. Memory: bounded by max_depth frames, reused.
class window_tracker {
 public:
  /// The deepest legal nesting is 2 (request, step); anything above this is a broken trace.
  static constexpr std::size_t max_depth = 16;

  /// False where the nesting is too deep; the window is ignored then.
  bool begin(int kind, std::uint64_t index, std::int64_t at_ns,
             const std::vector<std::int64_t>& baseline);
  /// Does the innermost open window carry this name?
  bool is_innermost(int kind, std::uint64_t index) const;
  void pop() { --depth_; }

  std::size_t depth() const { return depth_; }
  window_frame* innermost() { return depth_ == 0 ? nullptr : &frames_[depth_ - 1]; }
  void mark_snapshot();

 private:
  std::vector<window_frame> frames_;
  std::size_t depth_ = 0;
};

}  // namespace assay::audit
