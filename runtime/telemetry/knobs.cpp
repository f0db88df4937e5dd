// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/telemetry/knobs.h"

#include <array>
#include <charconv>
#include <cstdlib>

namespace assay::telemetry {
namespace {

constexpr std::array<knob, 5> table{{
    {knob_id::host_spin_ns, "ASSAY_HOST_SPIN_NS", "20000", "ns",
     "how long a stream's worker or a waiting caller spins before it sleeps on a futex",
     "doctor: host.spin_ns"},
    {knob_id::kv_page_tokens, "ASSAY_KV_PAGE_TOKENS", "16", "tokens",
     "tokens that one KV page holds", "runtime.kv.capacity_pages"},
    {knob_id::host_arena_bytes, "ASSAY_HOST_ARENA_BYTES", "1073741824", "bytes",
     "byte limit of the host device's arena where no flag sets it", "doctor: host.arena_bytes"},
    {knob_id::host_threads, "ASSAY_HOST_THREADS", "256", "threads",
     "how many threads run a launch's blocks on the host device; never more than the cores that "
     "the "
     "process may use",
     "doctor: host.threads"},
    {knob_id::host_isa, "ASSAY_HOST_ISA", "3", "sets",
     "the highest instruction set of the operators' loops: 1 portable, 2 AVX2, 3 AVX-512; never "
     "one "
     "that the processor lacks",
     "doctor: host.isa"},
}};

const knob& row(knob_id id) {
  return table[static_cast<std::size_t>(id)];
}

}  // namespace

std::span<const knob> knobs() {
  return table;
}

result<std::int64_t> knob_value(knob_id id) {
  const knob& k = row(id);
  const char* set = std::getenv(std::string(k.variable).c_str());
  const std::string_view text = set != nullptr ? std::string_view(set) : k.default_value;
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || value <= 0)
    return ASSAY_FAIL(usage, std::string(k.variable) + "=" + std::string(text) +
                                 " is not a positive whole number of " + std::string(k.unit));
  return value;
}

bool is_knob_set(knob_id id) {
  return std::getenv(std::string(row(id).variable).c_str()) != nullptr;
}

bool is_colour_refused() {
  const char* set = std::getenv("NO_COLOR");
  return set != nullptr && *set != '\0';
}

}  // namespace assay::telemetry
