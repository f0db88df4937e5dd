// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/paging_claims.h"

#include <fmt/format.h>

#include "runtime/telemetry/catalog.h"

namespace assay::cli {
namespace {

using id = telemetry::counter_id;

std::string value_of(const telemetry::reading& reading, unit of) {
  if (!reading.has_value()) return std::string(telemetry::to_string(reading.state));
  return is_real(of) ? fmt::format("{:.6g}", reading.real()) : fmt::format("{}", reading.integer());
}

}  // namespace

std::string paging_claims(const telemetry::registry& counters,
                          const scenarios::paging_shape& expected, std::int64_t passes,
                          std::int64_t headless_passes) {
  std::string text = "weights under a limit, claimed, not audited (of the request; base units):\n";
  for (int i = 0; i < telemetry::counter_total; ++i) {
    const auto counter = static_cast<id>(i);
    const telemetry::counter_contract& contract = telemetry::contract_of(counter);
    const std::string_view name = contract.name;
    if (!name.starts_with("runtime.paging.") && !name.starts_with("runtime.embedding.")) continue;
    text += fmt::format("  {:<40} {:>18}\n", name, value_of(counters.read(counter), contract.unit));
  }
  const std::int64_t crossed = counters.read(id::weights_h2d_bytes).integer() +
                               counters.read(id::paging_h2d_bytes).integer();
  const std::int64_t left_out = headless_passes * expected.head_streamed_bytes;
  const std::string without =
      left_out > 0 ? fmt::format(" - {} of heads that no chunk needs", left_out) : "";
  return text + fmt::format("  h2d: {} by the closed form, {} + {} passes x {}{}; {} claimed\n",
                            scenarios::paged_h2d_bytes(expected, passes) - left_out,
                            expected.resident_bytes, passes, expected.streamed_bytes(), without,
                            crossed);
}

}  // namespace assay::cli
