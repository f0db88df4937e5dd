// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A sink that keeps what it gets, and can refuse.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "probes/trace/sink.h"

namespace assay::test {

class recorded_trace final : public trace::sink {
 public:
  result<void> contract(std::string_view) override { return {}; }
  result<void> facts(std::string_view) override { return {}; }
  result<void> records(std::span<const assay_record> records) override {
    if (refuses) return ASSAY_FAIL(io, "the disk is full; free some space");
    all.insert(all.end(), records.begin(), records.end());
    return {};
  }
  result<void> snapshot(std::int64_t, std::span<const assay_reading>) override { return {}; }
  result<void> end() override { return {}; }

  std::vector<assay_record> of_kind(assay_record_kind kind) const {
    std::vector<assay_record> some;
    for (const auto& record : all)
      if (record.kind == kind) some.push_back(record);
    return some;
  }

  std::vector<assay_record> all;
  bool refuses = false;
};

}  // namespace assay::test
