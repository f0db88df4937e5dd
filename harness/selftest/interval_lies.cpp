// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Times of the right work, added up wrongly or kept from another.
#include <cstdint>

#include "harness/selftest/lie.h"

namespace assay::selftest {
namespace {

using id = telemetry::counter_id;

// A profile's total: the step's span and, once more, each of its kernels. Without the span it is a
// sum of kernels that follow each other, which no time is counted twice in.
class parts_with_whole final : public instrument {
 public:
  enum class without : std::uint8_t { nothing, the_whole, the_parts };

  explicit parts_with_whole(without left_out) : left_out_(left_out) {}
  void add(id counter, std::int64_t amount) noexcept override {
    const bool is_left_out = counter == id::compute_device_ns && left_out_ == without::the_whole;
    instrument::add(counter, is_left_out ? 0 : amount);
  }
  std::span<const assay_record> filter(std::span<const assay_record> seen,
                                       std::vector<assay_record>&) override {
    if (left_out_ == without::the_parts) return seen;
    for (const assay_record& record : seen)
      if (record.kind == ASSAY_ACTIVITY && record.op == ASSAY_OP_LAUNCH &&
          record.range == static_cast<std::uint16_t>(telemetry::range::compute))
        registry_.add(id::compute_device_ns, record.end_ns - record.start_ns);
    return seen;
  }

 private:
  without left_out_;
};

// The query of an event pair fails, nobody looks at the error, and the variable still holds what
// the query before it had left there: the time of the load.
class stale_time final : public instrument {
 public:
  explicit stale_time(strength how) : how_(how) {}
  void add(id counter, std::int64_t amount) noexcept override {
    if (counter == id::checkpoint_load_ns) kept_ns_ = amount;
    const bool is_stale = counter == id::compute_device_ns && how_ == strength::gross;
    instrument::add(counter, is_stale ? kept_ns_ : amount);
  }

 private:
  strength how_;
  std::int64_t kept_ns_ = 0;
};

}  // namespace

std::unique_ptr<instrument> make_parts_with_whole(strength how) {
  using without = parts_with_whole::without;
  return std::make_unique<parts_with_whole>(how == strength::gross ? without::nothing
                                                                   : without::the_whole);
}

// Kernels of one replay overlap: their sum alone counts time twice as well.
std::unique_ptr<instrument> make_kernels_with_whole(strength how) {
  using without = parts_with_whole::without;
  return std::make_unique<parts_with_whole>(how == strength::gross ? without::nothing
                                                                   : without::the_parts);
}

std::unique_ptr<instrument> make_stale_time(strength how) {
  return std::make_unique<stale_time>(how);
}

}  // namespace assay::selftest
