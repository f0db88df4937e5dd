// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <fmt/format.h>

#include "harness/cli/audited_run.h"
#include "harness/cli/run_backend.h"
#include "probes/cupti/gpu_run_probe.h"
#include "runtime/device/cuda/cuda_device.h"
#include "runtime/engine/cuda/gpu_engine.h"

namespace assay::cli {
namespace {

class gpu_backend final : public run_backend {
 public:
  result<void> open(const run_options& options) {
    ASSAY_TRY_ASSIGN(probe_, probes::gpu_run_probe::open());
    ASSAY_TRY_ASSIGN(gpu_, device::cuda_device::create({.memory_limit_bytes = 0}));
    gpu_->set_observer(probe_.get());
    (void)options;
    return {};
  }

  telemetry::device_class device_class() const override { return telemetry::device_class::cuda; }
  device::device& front() override { return *gpu_; }
  result<std::unique_ptr<engine::decode_engine>> load(
      const std::filesystem::path& checkpoint, device::device& seen_by_runtime,
      telemetry::counter_writer& counters, const engine::engine_options& options) override {
    ASSAY_TRY_ASSIGN(auto made, engine::gpu_engine::load(checkpoint, seen_by_runtime, *gpu_,
                                                         counters, options));
    step_count_ = made->step_count_address();
    return std::unique_ptr<engine::decode_engine>(std::move(made));
  }
  std::vector<std::uint32_t> worker_tids() override { return {}; }

  result<void> drain(trace::sink& to) override { return probe_->drain(to); }
  result<void> sample_clock(trace::sink&) override { return {}; }

  result<void> calibrate(trace::sink&) override { return {}; }
  result<void> sample_ceilings(trace::sink&) override { return {}; }
  std::vector<trace::link_ceiling> ceilings() const override { return {}; }
  double read_ceiling_bytes_per_s(std::int64_t) const override { return 0.0; }

  result<void> open_known_answers(device::stream) override { return {}; }
  bool are_known_answers_due(host_time) const override { return false; }
  result<void> issue_known_answers() override { return {}; }
  result<void> report_known_answers(trace::sink&) override { return {}; }
  void close_known_answers() override {}

  const std::byte* step_count_address() const override { return step_count_; }

  void describe(trace::run_facts& facts) const override {
    facts.add_fact("device", "GPU 0");
    // CUPTI stamps the events that it records, as it stamps the work.
    facts.has_one_observer = true;
  }

 private:
  std::unique_ptr<probes::gpu_run_probe> probe_;
  std::unique_ptr<device::cuda_device> gpu_;
  const std::byte* step_count_ = nullptr;
};

}  // namespace

result<std::unique_ptr<run_backend>> make_gpu_backend(const run_options& options) {
  auto made = std::make_unique<gpu_backend>();
  ASSAY_TRY(made->open(options));
  return std::unique_ptr<run_backend>(std::move(made));
}

}  // namespace assay::cli
