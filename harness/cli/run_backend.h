// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What an audited run needs of the device that it runs on: the device, an engine on it, and those
// who watch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/process/condition_probe.h"
#include "probes/trace/run_facts.h"
#include "probes/trace/sink.h"
#include "runtime/device/device.h"
#include "runtime/device/host_device.h"
#include "runtime/engine/decode_engine.h"
#include "runtime/telemetry/clock.h"
#include "runtime/telemetry/contract.h"
#include "runtime/telemetry/counter_writer.h"
#include "runtime/telemetry/result.h"
#include "scenarios/ledger.h"

namespace assay::cli {

struct run_options;

/// Threads: the one that runs the engine. Ownership: device and probes; the engine that load()
/// gives is the caller's and goes before the backend.
class run_backend {
 public:
  virtual ~run_backend() = default;

  /// The device at work.
  virtual device::device& front() = 0;
  /// What the runtime is to see of it; more may stand before it.
  virtual device::device& runtime_front() { return front(); }
  virtual result<std::unique_ptr<engine::decode_engine>> load(
      const std::filesystem::path& checkpoint, device::device& seen_by_runtime,
      telemetry::counter_writer& counters, const engine::engine_options& options) = 0;
  /// Of the device's own threads, where it has any.
  virtual std::vector<std::uint32_t> worker_tids() = 0;

  /// Does anybody record what the device does? Where not, nothing rests on records, and
  /// operations with a known answer would show nowhere.
  virtual bool has_records() const { return true; }
  /// Moves what was recorded since the last time to `to`. With every stream synchronised.
  virtual result<void> drain(trace::sink& to) = 0;
  /// Clock samples, where drain() does not write them.
  virtual result<void> sample_clock(trace::sink& to) = 0;

  /// Measures every ceiling once; before the run.
  virtual result<void> calibrate(trace::sink& to) = 0;
  /// One sample of each ceiling that can be had between two requests.
  virtual result<void> sample_ceilings(trace::sink& to) = 0;
  virtual std::vector<trace::link_ceiling> ceilings() const = 0;
  /// Of arithmetic, measured in the same turns.
  virtual std::vector<trace::arithmetic_ceiling> arithmetic_ceilings() const = 0;
  /// The fastest that `bytes` can be read again and again; 0 where nobody has it.
  virtual double read_ceiling_bytes_per_s(std::int64_t bytes) const = 0;

  /// Watches the link's bytes, as somebody beside the device counts them, until the other call says
  /// what came in. Errors: unavailable: nobody counts them here, or lost count.
  virtual void begin_traffic() {}
  virtual result<std::uint64_t> end_traffic_bytes() {
    return ASSAY_FAIL(unavailable, "no link has a count of bytes here");
  }

  /// Operations with a known answer, on a stream of the runtime's.
  virtual result<void> open_known_answers(device::stream on) = 0;
  virtual bool are_known_answers_due(host_time now) const = 0;
  virtual result<void> issue_known_answers() = 0;
  virtual result<void> report_known_answers(trace::sink& to) = 0;
  virtual void close_known_answers() = 0;

  /// Names what runs until end_step() to whoever listens beside the run.
  virtual void begin_step(std::string_view, std::uint64_t) {}
  virtual void end_step() {}

  /// Where the device counts a request's steps by itself, as a uint32; null where it does not.
  virtual const std::byte* step_count_address() const { return nullptr; }

  /// The limit that the run was given, in bytes of this device. Only where there is one.
  virtual std::uint64_t limit_bytes() { return front().memory_limit_bytes(); }
  /// Of the limit, what others than the engine take: known answers and other observers; on a GPU
  /// the driver and its context, too. The same whenever it is asked, from the load on.
  virtual result<std::uint64_t> reserved_bytes() { return 0; }

  /// Of a GPU: whether this machine has what passes over a prompt need, whatever the engine does.
  virtual bool has_passes(const scenarios::model_shape&, const scenarios::cache_shape&) const {
    return false;
  }

  /// Adds what can be read of the device's state; the readers go before the backend.
  virtual void watch_conditions(probes::condition_probe&) {}

  /// What stands in the trace of the device, before anything runs.
  virtual void describe(trace::run_facts& facts) const = 0;
};

/// Names a step for a scope.
class step_label {
 public:
  step_label(run_backend& of, std::string_view what, std::uint64_t number) : of_(of) {
    of_.begin_step(what, number);
  }
  ~step_label() { of_.end_step(); }
  step_label(const step_label&) = delete;
  step_label& operator=(const step_label&) = delete;

 private:
  run_backend& of_;
};

using backend_maker =
    std::function<result<std::unique_ptr<run_backend>>(const run_options& options)>;

/// The device that the runtime sees, and the executor at work behind it.
struct made_device {
  std::unique_ptr<device::device> front;
  device::host_device* executor = nullptr;  ///< owned by `front`
};

using device_maker = std::function<result<made_device>(const device::host_device_options&)>;
result<made_device> make_host_device(const device::host_device_options& options);

/// Errors: the maker's; unavailable, where the kernel keeps no accounts.
result<std::unique_ptr<run_backend>> make_host_backend(const run_options& options,
                                                       const device_maker& make_device);
/// The first GPU. CUPTI is opened before the first context, so this comes before any other use of
/// it; where it cannot be had, because somebody else holds it say, the run goes on with events and
/// host spans, and its facts name the reason.
/// Errors: unavailable: no driver, no GPU, or a build without CUDA.
result<std::unique_ptr<run_backend>> make_gpu_backend(const run_options& options);

}  // namespace assay::cli
