// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Observes a GPU behind the device interface: the calls as the device tells them, the work as the
// driver records it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "probes/cupti/call_book.h"
#include "probes/cupti/cupti_probe.h"
#include "runtime/device/observer.h"

namespace assay::probes {

/// Puts the device's correlation id on every driver call that the device makes, so that the
/// driver's records name it.
/// Clocks: calls on the host's; activities on CUPTI's own, with a CLOCK_SAMPLE before them.
/// Ownership: outlives the device that it observes.
/// Threads: as device::observer; drain and own_work on the thread that opened it.
/// Overhead: two calls of CUPTI and a lock a call of the device; measured in docs/evidence.
class gpu_run_probe final : public device::observer {
 public:
  /// Before the first context of the process. Errors: as cupti_probe::open.
  static result<std::unique_ptr<gpu_run_probe>> open(const cupti_options& options = {});
  /// Where nobody may have the driver's records: of the device's memory alone, which it tells
  /// itself. Calls whose work would have to show stay out: they would all count as lost.
  static std::unique_ptr<gpu_run_probe> without_records();

  void on_call(device::correlation_id correlation) noexcept override;
  void on_submission(const device::submission_record& record) noexcept override;
  void on_activity(const device::activity_record&) noexcept override {}  // the driver's to say
  void on_memory(const device::memory_record& record) noexcept override;

  /// What the scope's thread calls past the device is the harness's own, and stays out of the
  /// records.
  class own_work {
   public:
    explicit own_work(gpu_run_probe& probe);
    ~own_work();
    own_work(const own_work&) = delete;
    own_work& operator=(const own_work&) = delete;

   private:
    gpu_run_probe& probe_;
  };

  /// Moves what was recorded to `to`: loss and clock first, calls, then activities. Call it with
  /// the device synchronised. Errors: as cupti_probe::drain.
  result<void> drain(trace::sink& to);

  /// The same for the time of work that is nobody's concern, a ceiling's say: its calls,
  /// activities and overheads are left out, losses and clock samples stay.
  result<void> drop(trace::sink& to);

  /// CUPTI's version as it says it itself, or why there is none.
  static std::string version_words();

  bool has_records() const { return cupti_ != nullptr; }
  /// Activities that no call of ours explains.
  std::uint64_t foreign_count() const { return book_.foreign_count(); }

 private:
  explicit gpu_run_probe(std::unique_ptr<cupti_probe> cupti) : cupti_(std::move(cupti)) {}

  std::unique_ptr<cupti_probe> cupti_;  ///< null where somebody else has it
  call_book book_;
  std::mutex mutex_;  // guards told_
  std::vector<assay_record> told_;
};

}  // namespace assay::probes
