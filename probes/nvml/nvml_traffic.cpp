// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/nvml/nvml_traffic.h"

#include <chrono>
#include <string>
#include <utility>

namespace assay::probes {
namespace {

constexpr std::chrono::milliseconds period{5};

}  // namespace

void nvml_sum::add(const nvml_counter& reading, host_time at) {
  const std::optional<nvml_counter> before = std::exchange(last_, reading);
  const std::int64_t gap_ns = at - std::exchange(last_at_, at);
  ++readings_;
  if (!before || why_not_) return;
  if (reading.modulus != 0 && gap_ns > widest_gap_ns) {
    why_not_ = error{error_kind::unavailable,
                     "NVML: " + std::to_string(gap_ns) +
                         " ns between two readings of a count of 32 bits, which may have gone "
                         "around in between; the machine is too busy",
                     __FILE__, __LINE__};
    return;
  }
  const auto more = gained(*before, reading);
  if (more)
    amount_ += more->amount;
  else
    why_not_ = more.error();
}

result<std::uint64_t> nvml_sum::amount() const {
  if (why_not_) return failure(*why_not_);
  if (readings_ < 2) return ASSAY_FAIL(unavailable, "NVML: fewer than two readings of a count");
  return amount_;
}

result<std::unique_ptr<nvml_traffic_watch>> nvml_traffic_watch::start(const nvml_probe& probe) {
  std::unique_ptr<nvml_traffic_watch> made(new nvml_traffic_watch(probe));
  ASSAY_TRY(made->read());
  made->thread_ = std::thread([watch = made.get()] { watch->watch(); });
  return made;
}

nvml_traffic_watch::~nvml_traffic_watch() {
  static_cast<void>(stop());
}

result<void> nvml_traffic_watch::read() {
  ASSAY_TRY_ASSIGN(const nvml_link_bytes now, probe_.link_bytes());
  sent_.add(now.sent, now.at);
  received_.add(now.received, now.at);
  return {};
}

void nvml_traffic_watch::watch() {
  std::unique_lock lock(mutex_);
  while (!stopping_.wait_for(lock, period, [this] { return is_stopping_; })) {
    lock.unlock();
    auto outcome = read();
    lock.lock();
    if (outcome) continue;
    why_not_ = std::move(outcome).error();
    return;
  }
}

result<nvml_traffic> nvml_traffic_watch::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  stopping_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
    if (!why_not_) {
      if (auto last = read(); !last) why_not_ = std::move(last).error();
    }
  }
  if (why_not_) return failure(*why_not_);
  nvml_traffic seen;
  ASSAY_TRY_ASSIGN(seen.sent_bytes, sent_.amount());
  ASSAY_TRY_ASSIGN(seen.received_bytes, received_.amount());
  return seen;
}

}  // namespace assay::probes
