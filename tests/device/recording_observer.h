// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// An observer that keeps every record, in the order in which each kind came.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/device/observer.h"

namespace assay::device {

class recording_observer final : public observer {
 public:
  void on_submission(const submission_record& record) noexcept override {
    const std::lock_guard lock(mutex_);
    submissions_.push_back(record);
  }
  void on_activity(const activity_record& record) noexcept override {
    const std::lock_guard lock(mutex_);
    activities_.push_back(record);
  }
  void on_memory(const memory_record& record) noexcept override {
    const std::lock_guard lock(mutex_);
    memory_.push_back(record);
  }

  std::vector<submission_record> submissions() const { return copy_of(submissions_); }
  std::vector<activity_record> activities() const { return copy_of(activities_); }
  std::vector<memory_record> memory() const { return copy_of(memory_); }

 private:
  template <class Record>
  std::vector<Record> copy_of(const std::vector<Record>& records) const {
    const std::lock_guard lock(mutex_);
    return records;
  }

  mutable std::mutex mutex_;
  std::vector<submission_record> submissions_;
  std::vector<activity_record> activities_;
  std::vector<memory_record> memory_;
};

}  // namespace assay::device
