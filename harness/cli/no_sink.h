// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Takes the samples of a measurement of which only the result is wanted.
#pragma once

#include "probes/trace/sink.h"

namespace assay::cli {

class no_sink final : public trace::sink {
 public:
  result<void> contract(std::string_view) override { return {}; }
  result<void> facts(std::string_view) override { return {}; }
  result<void> records(std::span<const assay_record>) override { return {}; }
  result<void> snapshot(std::int64_t, std::span<const assay_reading>) override { return {}; }
  result<void> end() override { return {}; }
};

}  // namespace assay::cli
