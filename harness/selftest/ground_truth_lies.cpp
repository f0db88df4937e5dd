// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Damage to the ground truth: the counters are honest here, their judge is not.
#include "harness/selftest/lie.h"
#include "probes/trace/run_facts.h"

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

// Somebody had the recorder first: no call and no work is on record, and the facts say why.
class recorder_taken final : public instrument {
 public:
  explicit recorder_taken(strength how) : how_(how) {}
  std::string facts(std::string_view json) const override {
    auto stated = trace::parse_facts(json);
    if (how_ != strength::gross || !stated) return std::string(json);
    stated->records_absence = "the recorder is held by a profiler; end that";
    return trace::to_json(*stated);
  }
  std::span<const assay_record> filter(std::span<const assay_record> seen,
                                       std::vector<assay_record>& kept) override {
    if (how_ != strength::gross) return seen;
    for (const assay_record& record : seen)
      if (record.kind != ASSAY_SUBMISSION && record.kind != ASSAY_ACTIVITY &&
          record.kind != ASSAY_SENTINEL)
        kept.push_back(record);
    return kept;
  }

 private:
  strength how_;
};

// A graph makes copies that no call asks for, one beside its second kernel: a call of one kernel is
// no graph, and what is launched behind it may begin before it ends. Just inside they move nothing.
class copies_in_a_graph final : public instrument {
 public:
  explicit copies_in_a_graph(strength how) : how_(how) {}
  std::span<const assay_record> filter(std::span<const assay_record> seen,
                                       std::vector<assay_record>& kept) override {
    for (const assay_record& record : seen) {
      kept.push_back(record);
      if (!is_activity_of(record, telemetry::range::compute) || record.op != ASSAY_OP_LAUNCH ||
          !is_second_of_its_call(record.correlation))
        continue;
      assay_record copy = record;
      copy.op = ASSAY_OP_COPY;
      copy.direction = ASSAY_D2D;
      copy.amount = how_ == strength::gross ? 4096 : 0;
      if (copy.amount == 0) copy.end_ns = copy.start_ns;
      kept.push_back(copy);
    }
    return kept;
  }

 private:
  bool is_second_of_its_call(std::uint64_t correlation) {
    seen_ = correlation == last_correlation_ ? seen_ + 1 : 1;
    last_correlation_ = correlation;
    return seen_ == 2;
  }

  strength how_;
  std::uint64_t last_correlation_ = 0;
  std::uint64_t seen_ = 0;  // of its kernels
};

}  // namespace

std::unique_ptr<instrument> make_recorder_taken(strength how) {
  return std::make_unique<recorder_taken>(how);
}

std::unique_ptr<instrument> make_copies_in_a_graph(strength how) {
  return std::make_unique<copies_in_a_graph>(how);
}

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
