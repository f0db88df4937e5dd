// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/cli/audited_run.h"
#include "harness/cli/host_choice.h"
#include "harness/cli/run_backend.h"
#include "probes/cuda_events/bracketed_device.h"
#include "probes/host_device/host_device_probe.h"
#include "probes/host_stamps/host_stamps.h"
#include "probes/link/arithmetic_probe.h"
#include "probes/link/link_probe.h"
#include "probes/process/clock_probe.h"
#include "probes/sentinel/sentinel_probe.h"
#include "runtime/engine/engine.h"
#include "runtime/memory/arena.h"
#include "runtime/ops/isa.h"
#include "scenarios/ledger.h"

namespace assay::cli {
namespace {

// 0 where the C library does not know.
std::int64_t largest_cache_bytes() {
  std::int64_t most = 0;
  for (const int level : {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE})
    most = std::max<std::int64_t>(most, sysconf(level));
  return most;
}

// Of arithmetic, before the run: on a busy machine a sample with all threads at work is rare.
constexpr int first_samples = 6;

class host_backend final : public run_backend {
 public:
  result<void> open(const run_options& options, const device_maker& make_device) {
    options_ = {options.arena_bytes, options.spin_ns, options.threads};
    // The device has no byte more than the limit: what would exceed it is refused where it is
    // asked.
    if (options.vram_limit) {
      ASSAY_TRY_ASSIGN(options_.memory_limit_bytes,
                       options.vram_limit->bytes_of(options.arena_bytes));
    }
    ASSAY_TRY_ASSIGN(device_, make_device(options_));
    device_.front->set_observer(&probe_);
    if (options.vram_limit) bracket();
    ASSAY_TRY_ASSIGN(const auto model, scenarios::read_model_shape(options.checkpoint));
    const auto weights_bytes = static_cast<std::uint64_t>(scenarios::weight_bytes(model));
    ASSAY_TRY_ASSIGN(link_, probes::link_probe::create({.read_working_set_bytes = weights_bytes,
                                                        .reading_threads = options.threads}));
    return {};
  }

  device::device& front() override { return *device_.front; }
  device::device& runtime_front() override { return bracketed_ ? *bracketed_ : front(); }
  result<std::unique_ptr<engine::decode_engine>> load(
      const std::filesystem::path& checkpoint, device::device& seen_by_runtime,
      telemetry::counter_writer& counters, const engine::engine_options& options) override {
    ASSAY_TRY_ASSIGN(auto made,
                     engine::engine::load(checkpoint, seen_by_runtime, counters, options));
    return std::unique_ptr<engine::decode_engine>(std::move(made));
  }
  std::vector<std::uint32_t> worker_tids() override { return device_.executor->worker_tids(); }

  result<void> drain(trace::sink& to) override {
    ASSAY_TRY(probe_.drain(to));
    if (!bracketed_) return {};
    ASSAY_TRY(waits_->drain(to));
    return brackets_->drain(to);
  }
  result<void> sample_clock(trace::sink& to) override { return clock_.sample(to); }

  result<void> calibrate(trace::sink& to) override {
    arithmetic_.emplace(probes::arithmetic_options{host_vector_bytes(), options_.threads});
    for (int i = 0; i < first_samples; ++i) ASSAY_TRY(arithmetic_->sample());
    return link_->calibrate(to);
  }
  result<void> sample_ceilings(trace::sink& to) override {
    ASSAY_TRY(link_->sample(to));
    return arithmetic_->sample();
  }
  std::vector<trace::link_ceiling> ceilings() const override { return link_->ceilings(); }
  std::vector<trace::arithmetic_ceiling> arithmetic_ceilings() const override {
    return {arithmetic_->ceiling()};
  }
  double read_ceiling_bytes_per_s(std::int64_t) const override { return 0.0; }

  result<void> open_known_answers(device::stream on) override {
    ASSAY_TRY_ASSIGN(sentinel_, probes::sentinel_probe::create(*device_.front, on));
    return {};
  }
  bool are_known_answers_due(host_time now) const override { return sentinel_->is_due(now); }
  result<void> issue_known_answers() override { return sentinel_->issue(); }
  result<void> report_known_answers(trace::sink& to) override { return sentinel_->report(to); }
  void close_known_answers() override { sentinel_.reset(); }

  result<std::uint64_t> reserved_bytes() override {
    return memory::granted_bytes(probes::sentinel_probe::needed_bytes(options_.memory_limit_bytes));
  }

  void describe(trace::run_facts& facts) const override {
    facts.add_fact("device", "host executor");
    // The executor stamps the events and tells the records.
    facts.has_one_observer = true;
    facts.cache_bytes = largest_cache_bytes();
    facts.add_fact("arena limit", fmt::format("{} bytes", options_.memory_limit_bytes));
    facts.add_fact("spin", fmt::format("{} ns", options_.spin_ns));
    facts.add_fact("launch threads", fmt::format("{}", options_.threads));
    facts.add_fact("instruction set", std::string(ops::to_string(ops::isa_in_force())));
  }

 private:
  // Steps, page-ins and the waits for them have a second party under a limit, which shares neither
  // clock read nor record with the executor.
  void bracket() {
    using telemetry::range;
    const auto make = [this](std::uint32_t stream,
                             std::size_t count) -> result<std::unique_ptr<probes::event_source>> {
      return std::unique_ptr<probes::event_source>(std::make_unique<probes::host_stamps>(
          *device_.front, device::stream{stream}, count, probes::host_device_probe::own_work));
    };
    std::vector<device::range_label> ignored;
    for (int i = 1; i < telemetry::range_count; ++i)
      if (const auto each = static_cast<range>(i); each != range::compute && each != range::paging)
        ignored.push_back(static_cast<device::range_label>(each));
    // A step's span holds its appends to pages, its waits, and the events around them.
    constexpr device::range_label within_a_step[]{
        static_cast<device::range_label>(range::paging),
        static_cast<device::range_label>(range::kv_append)};
    brackets_.emplace(make, ignored, within_a_step);
    waits_.emplace(make, static_cast<device::range_label>(range::paging));
    bracketed_.emplace(*device_.front, *brackets_, probes::bracketed_device::label_listener{},
                       &*waits_);
  }

  device::host_device_options options_;
  probes::host_device_probe probe_;
  probes::clock_probe clock_;
  // The device's queues hold stamps of theirs: it ends first.
  std::optional<probes::range_brackets> brackets_;
  std::optional<probes::wait_brackets> waits_;
  made_device device_;
  std::optional<probes::bracketed_device> bracketed_;
  std::unique_ptr<probes::link_probe> link_;
  std::optional<probes::arithmetic_probe> arithmetic_;
  std::unique_ptr<probes::sentinel_probe> sentinel_;
};

}  // namespace

result<made_device> make_host_device(const device::host_device_options& options) {
  ASSAY_TRY_ASSIGN(auto made, device::host_device::create(options));
  device::host_device* executor = made.get();
  return made_device{std::move(made), executor};
}

result<std::unique_ptr<run_backend>> make_host_backend(const run_options& options,
                                                       const device_maker& make_device) {
  auto made = std::make_unique<host_backend>();
  ASSAY_TRY(made->open(options, make_device));
  return std::unique_ptr<run_backend>(std::move(made));
}

}  // namespace assay::cli
