// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Damage to the ground truth: the counters are honest here, their judge is not.
#include "harness/selftest/lie.h"

namespace assay::selftest {
namespace {

bool is_activity_of(const assay_record& record, telemetry::range range) {
  return record.kind == ASSAY_ACTIVITY && record.range == static_cast<std::uint16_t>(range);
}

// Every kernel record is stamped by a clock that stands off the host's.
class shifted_clock final : public instrument {
 public:
  explicit shifted_clock(std::int64_t shift_ns) : shift_ns_(shift_ns) {}
  std::span<const assay_record> filter(std::span<const assay_record> seen,
                                       std::vector<assay_record>& kept) override {
    for (assay_record record : seen) {
      if (is_activity_of(record, telemetry::range::compute)) {
        record.start_ns += shift_ns_;
        record.end_ns += shift_ns_;
      }
      kept.push_back(record);
    }
    return kept;
  }

 private:
  std::int64_t shift_ns_;
};

// Loses one record, once.
class dropped_record final : public instrument {
 public:
  dropped_record(telemetry::range of, strength how) : of_(of), how_(how) {}
  std::span<const assay_record> filter(std::span<const assay_record> seen,
                                       std::vector<assay_record>& kept) override {
    for (const assay_record& record : seen) {
      if (is_victim(record) && ++victims_seen_ == victim_number) continue;
      kept.push_back(record);
    }
    return kept;
  }

 private:
  static constexpr int victim_number = 5;

  // Just inside: a thread's account, on which no verdict of a counter rests.
  bool is_victim(const assay_record& record) const {
    return how_ == strength::gross ? is_activity_of(record, of_) : record.kind == ASSAY_THREAD;
  }

  telemetry::range of_;
  strength how_;
  int victims_seen_ = 0;
};

}  // namespace

std::unique_ptr<instrument> make_shifted_clock(strength how) {
  return std::make_unique<shifted_clock>(how == strength::gross ? 50'000'000 : 20);
}

std::unique_ptr<instrument> make_dropped_record(strength how) {
  return std::make_unique<dropped_record>(telemetry::range::kv_append, how);
}

std::unique_ptr<instrument> make_dropped_kernel(strength how) {
  return std::make_unique<dropped_record>(telemetry::range::compute, how);
}

}  // namespace assay::selftest
