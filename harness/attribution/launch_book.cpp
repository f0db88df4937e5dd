// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/launch_book.h"

#include <string>

#include "runtime/telemetry/range.h"

namespace assay::attribution {

std::string range_word(std::uint16_t label) {
  if (label == 0) return "no range";
  if (label < telemetry::range_count)
    return std::string(to_string(static_cast<telemetry::range>(label)));
  return "range " + std::to_string(label);
}

std::uint16_t launch_book::class_of(const assay_record& activity, std::uint16_t range,
                                    const std::string& op) {
  const std::int64_t weight_bytes = activity.extra[1];
  const bool reads_kv = activity.extra[2] != 0;
  const std::int64_t blocks = weight_bytes == 0 && !reads_kv ? activity.extra[0] : 0;
  const key wanted{op, range, weight_bytes, reads_kv, blocks};
  if (const auto found = index_.find(wanted); found != index_.end()) return found->second;
  if (classes_.size() + 1 < max_classes) {
    const auto at = static_cast<std::uint16_t>(classes_.size());
    classes_.push_back({op, range_word(range), weight_bytes, reads_kv, blocks, false});
    index_.emplace(wanted, at);
    return at;
  }
  if (classes_.size() < max_classes) classes_.push_back({{}, "any", 0, false, 0, true});
  return static_cast<std::uint16_t>(max_classes - 1);
}

}  // namespace assay::attribution
