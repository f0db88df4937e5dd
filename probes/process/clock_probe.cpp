// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/process/clock_probe.h"

#include <cstdlib>
#include <ctime>
#include <span>
#include <string>

#include "runtime/telemetry/clock.h"

namespace assay::probes {

namespace {

result<std::int64_t> read(clockid_t clock, const char* name) {
  std::timespec now{};
  if (::clock_gettime(clock, &now) != 0)
    return ASSAY_FAIL(unavailable, std::string(name) + ": this machine has no such clock");
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::uint64_t processor_ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return 0;
#endif
}

}  // namespace

std::int64_t read_monotonic_ns() {
  return host_now().ns;
}

result<void> clock_probe::sample(trace::sink& to) const {
  assay_record record{};
  record.kind = ASSAY_CLOCK_SAMPLE;
  for (int i = 0; i < tries; ++i) {
    record.start_ns = host_();
    record.amount = device_();
    record.end_ns = host_();
    if (record.end_ns < record.start_ns)
      return ASSAY_FAIL(unavailable,
                        "clock sample: the host clock ran backwards; use another "
                        "clocksource (/sys/devices/system/clocksource)");
    if (record.end_ns - record.start_ns <= longest_bracket_ns)
      return to.records(std::span(&record, 1));
  }
  return ASSAY_FAIL(unavailable, "clock sample: each of " + std::to_string(tries) +
                                     " brackets was longer than " +
                                     std::to_string(longest_bracket_ns) +
                                     " ns; the machine is too busy to relate the clocks");
}

result<wall_reading> read_wall() {
  ASSAY_TRY_ASSIGN(const std::int64_t before, read(CLOCK_MONOTONIC_RAW, "CLOCK_MONOTONIC_RAW"));
  ASSAY_TRY_ASSIGN(const std::int64_t wall, read(CLOCK_REALTIME, "CLOCK_REALTIME"));
  ASSAY_TRY_ASSIGN(const std::int64_t after, read(CLOCK_MONOTONIC_RAW, "CLOCK_MONOTONIC_RAW"));
  return wall_reading{wall, before + (after - before) / 2, after - before, processor_ticks()};
}

std::optional<double> ticks_per_s(const wall_reading& early, const wall_reading& late) {
  constexpr std::int64_t shortest_ns = 1'000'000;
  const std::int64_t raw_ns = late.raw_ns - early.raw_ns;
  if (early.ticks == 0 || late.ticks <= early.ticks || raw_ns < shortest_ns) return std::nullopt;
  return static_cast<double>(late.ticks - early.ticks) * 1e9 / static_cast<double>(raw_ns);
}

std::int64_t wall_step_ns(const wall_reading& early, const wall_reading& late) {
  constexpr std::int64_t steering_ppm = 500;
  const std::int64_t raw_ns = late.raw_ns - early.raw_ns;
  const std::int64_t step_ns = (late.realtime_ns - early.realtime_ns) - raw_ns;
  // Two oscillator-independent clocks differ by steering alone; each bracket hides up to its half.
  const std::int64_t explained_ns =
      std::abs(raw_ns) / 1'000'000 * steering_ppm + early.bracket_ns + late.bracket_ns + 1'000;
  return std::abs(step_ns) <= explained_ns ? 0 : step_ns;
}

}  // namespace assay::probes
