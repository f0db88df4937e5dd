// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Lies of weights under a limit: each was told by an offload subsystem that decoded the right text.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "harness/selftest/lie.h"

namespace assay::selftest {
namespace {

using id = telemetry::counter_id;

// Nothing is counted; or in two parts, which is the same sum.
class not_counted final : public instrument {
 public:
  not_counted(id counter, strength how) : counter_(counter), how_(how) {}
  void add(id counter, std::int64_t amount) noexcept override {
    if (counter != counter_) return instrument::add(counter, amount);
    const std::int64_t half = amount / 2;
    instrument::add(counter, how_ == strength::gross ? 0 : half);
    instrument::add(counter, how_ == strength::gross ? 0 : amount - half);
  }

 private:
  id counter_;
  strength how_;
};

// The rate of weights under the name of the rate of bytes; or off by less than a rounding.
class count_for_bytes final : public instrument {
 public:
  explicit count_for_bytes(strength how) : how_(how) {}
  void set_real(id counter, double value) noexcept override {
    if (counter == id::paging_count_hit_ratio) of_counts_ = value;
    if (counter == id::paging_byte_hit_ratio)
      value = how_ == strength::gross ? of_counts_ : value * (1.0 + 5e-7);
    instrument::set_real(counter, value);
  }

 private:
  strength how_;
  double of_counts_ = 0.0;
};

// The level at the time of reading, when the peak is long gone; or as long as that is the peak.
class peak_of_afterwards final : public instrument {
 public:
  explicit peak_of_afterwards(strength how) : how_(how) {}
  void set(id counter, std::int64_t value) noexcept override {
    instrument::set(counter, value);
    if (counter == id::arena_live_bytes && how_ == strength::gross)
      instrument::set(id::arena_peak_bytes, value);
  }
  void raise(id counter, std::int64_t value) noexcept override {
    if (counter == id::arena_peak_bytes && how_ == strength::gross) return;
    instrument::raise(counter, value);
  }

 private:
  strength how_;
};

// What a step waited for page-ins that came late is taken for computing, and the step for what it
// computed: the waits count as hidden. More than all is hidden then, whatever the run's own overlap
// was; or the honest figure.
class late_as_overlapped final : public instrument {
 public:
  explicit late_as_overlapped(strength how) : how_(how) {}
  void begin_request() noexcept override {
    instrument::begin_request();
    copy_ns_ = stall_ns_ = step_ns_ = 0;
  }
  void add(id counter, std::int64_t amount) noexcept override {
    if (counter == id::paging_h2d_ns) copy_ns_ += amount;
    if (counter == id::paging_stall_ns) stall_ns_ += amount;
    if (counter == id::compute_device_ns) step_ns_ += amount;
    instrument::add(counter, amount);
  }
  void set_real(id counter, double value) noexcept override {
    const bool is_told = counter == id::paging_overlap_ratio && how_ == strength::gross;
    const std::int64_t shorter_ns = std::min(copy_ns_, step_ns_ - stall_ns_);
    if (is_told && shorter_ns > 0)
      value = static_cast<double>(copy_ns_ + stall_ns_) / static_cast<double>(shorter_ns);
    instrument::set_real(counter, value);
  }

 private:
  strength how_;
  std::int64_t copy_ns_ = 0;
  std::int64_t stall_ns_ = 0;
  std::int64_t step_ns_ = 0;
};

const std::array<lie, 7> table{{
    {"page timer",
     "R01",
     "",
     "stops when the page-ins of a step have been enqueued",
     outcome::disagree,
     {id::paging_h2d_ns},
     make_page_timer},
    {"lru behind pin",
     "R13",
     "",
     "a cache that says it pins, and on a scan never hits",
     outcome::disagree,
     {id::paging_hits_count},
     [](strength how) -> std::unique_ptr<instrument> {
       return std::make_unique<not_counted>(id::paging_hits_count, how);
     }},
    {"offload that is none",
     "R13",
     "",
     "a limit is given and nothing is paged",
     outcome::disagree,
     {id::paging_h2d_bytes},
     [](strength how) -> std::unique_ptr<instrument> {
       return std::make_unique<not_counted>(id::paging_h2d_bytes, how);
     }},
    {"waits left out",
     "R13",
     "",
     "the time that a step stood waiting for page-ins, not counted",
     outcome::disagree,
     {id::paging_stall_ns},
     [](strength how) -> std::unique_ptr<instrument> {
       return std::make_unique<not_counted>(id::paging_stall_ns, how);
     }},
    {"late as overlapped",
     "R12",
     "",
     "waits for page-ins that came late, counted as time in which they were hidden",
     outcome::disagree,
     {id::paging_overlap_ratio},
     [](strength how) -> std::unique_ptr<instrument> {
       return std::make_unique<late_as_overlapped>(how);
     }},
    {"counts for bytes",
     "R08",
     "",
     "the hit rate of weights, quoted where a rate of bytes is meant",
     outcome::disagree,
     {id::paging_byte_hit_ratio},
     [](strength how) -> std::unique_ptr<instrument> {
       return std::make_unique<count_for_bytes>(how);
     }},
    {"peak of afterwards",
     "R16",
     "",
     "a peak that is read when everything has been given back",
     outcome::disagree,
     {id::arena_peak_bytes},
     [](strength how) -> std::unique_ptr<instrument> {
       return std::make_unique<peak_of_afterwards>(how);
     }},
}};

}  // namespace

std::span<const lie> lies_under_limit(telemetry::device_class on) {
  const std::span<const lie> all(table);
  return on == telemetry::device_class::host ? all : all.subspan(1);
}

}  // namespace assay::selftest
