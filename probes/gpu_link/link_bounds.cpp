// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu_link/link_bounds.h"

#include <array>
#include <bit>
#include <string>

namespace assay::probes {
namespace {

// Transfers a second and lane, times the line code's share, over 8 bits. Generations 1 and 2 code 8
// bits in 10, 3 to 5 128 in 130. Generation 6 has none; what its flits add is left in: a bound may
// be too high, never too low.
constexpr std::array<double, 7> lane_bytes_per_s = {0.0,
                                                    2.5e9 * 8 / 10 / 8,
                                                    5e9 * 8 / 10 / 8,
                                                    8e9 * 128 / 130 / 8,
                                                    16e9 * 128 / 130 / 8,
                                                    32e9 * 128 / 130 / 8,
                                                    64e9 / 8};
constexpr std::uint32_t widest_link = 32;

}  // namespace

result<double> raw_link_bytes_per_s(const link_state& link) {
  if (link.generation == 0 || link.generation >= lane_bytes_per_s.size())
    return ASSAY_FAIL(unavailable, "PCIe generation " + std::to_string(link.generation) +
                                       " has no rate here; add it to link_bounds.cpp");
  if (!std::has_single_bit(link.width) || link.width > widest_link)
    return ASSAY_FAIL(unavailable, "a PCIe link of " + std::to_string(link.width) +
                                       " lanes does not exist; whoever said so is no source");
  return lane_bytes_per_s[link.generation] * link.width;
}

result<double> raw_memory_bytes_per_s(std::int64_t clock_khz, std::int64_t bus_bits) {
  if (clock_khz <= 0 || bus_bits <= 0)
    return ASSAY_FAIL(unavailable, "device memory: the driver gives a clock of " +
                                       std::to_string(clock_khz) + " kHz and a bus of " +
                                       std::to_string(bus_bits) + " bits; no bound follows");
  return static_cast<double>(2 * clock_khz * 1000 * (bus_bits / 8));
}

}  // namespace assay::probes
