// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Launches by operator, where a plan of the step names it, and by what the trace tells of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "probes/trace/assay_trace.h"
#include "reports/model/investigation.h"

namespace assay::attribution {

/// A range's word; of a label that telemetry::range does not have, its number.
std::string range_word(std::uint16_t label);

/// Tells launches apart by operator, range, weight bytes read, and whether they read KV; where
/// neither was read, by blocks. The operators of one model differ in these, and two steps do not.
/// Memory: max_classes, whatever the trace; what comes later goes into one class of the rest.
class launch_book {
 public:
  static constexpr std::size_t max_classes = 48;

  /// The class of an ACTIVITY whose submission had `range`; `op` is empty where nobody names it.
  std::uint16_t class_of(const assay_record& activity, std::uint16_t range, const std::string& op);
  const std::vector<model::launch_class>& classes() const { return classes_; }

 private:
  using key = std::tuple<std::string, std::uint16_t, std::int64_t, bool, std::int64_t>;
  std::map<key, std::uint16_t> index_;
  std::vector<model::launch_class> classes_;
};

}  // namespace assay::attribution
