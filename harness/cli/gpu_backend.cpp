// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "harness/cli/audited_run.h"
#include "harness/cli/gpu_bus.h"
#include "harness/cli/gpu_conditions.h"
#include "harness/cli/gpu_decode.h"
#include "harness/cli/run_backend.h"
#include "probes/cuda_events/bracketed_device.h"
#include "probes/cupti/gpu_run_probe.h"
#include "probes/gpu_link/gpu_arithmetic_probe.h"
#include "probes/gpu_link/gpu_link_probe.h"
#include "probes/gpu_sentinel/gpu_sentinel_probe.h"
#include "probes/nvml/nvml_probe.h"
#include "probes/nvml/nvml_traffic.h"
#include "probes/nvtx/nvtx_ranges.h"
#include "probes/trace/contract_json.h"
#include "runtime/device/cuda/cuda_device.h"
#include "runtime/device/cuda/cuda_try.h"
#include "runtime/engine/cuda/driver_overhead.h"
#include "runtime/engine/cuda/gpu_engine.h"
#include "runtime/ops/cuda/cublas_library.h"
#include "scenarios/gpu_ledger.h"

namespace assay::cli {
namespace {

// What the driver hands out rounds up to these.
constexpr std::uint64_t granule_bytes = std::uint64_t{2} << 20;
// Read and copied over to see what memory carries: more than three times the L2 cache of an H200.
constexpr std::uint64_t limited_set_bytes = std::uint64_t{256} << 20;

// CUPTI takes more as records come, and nothing says beforehand how much: what it has by its first
// records is measured, and this is for the rest.
constexpr std::uint64_t records_bytes = std::uint64_t{208} << 20;

// Of a limit, what operations with a known answer take.
std::uint64_t known_answer_bytes() {
  return granule_bytes + probes::gpu_sentinel_probe::most_bytes();
}

// Weights of fewer passes over the L2 cache may be read faster than memory gives them.
constexpr std::int64_t l2_passes = 3;

// The harness's own events, kept out of the records that judge the runtime's.
class own_events final : public probes::event_source {
 public:
  own_events(std::unique_ptr<probes::event_source> events, probes::gpu_run_probe& records)
      : events_(std::move(events)), records_(records) {}
  result<void> record(std::size_t which) override {
    const probes::gpu_run_probe::own_work ours(records_);
    return events_->record(which);
  }
  result<bool> is_reached(std::size_t which) override { return events_->is_reached(which); }
  result<float> elapsed_ms(std::size_t from, std::size_t to) override {
    return events_->elapsed_ms(from, to);
  }

 private:
  std::unique_ptr<probes::event_source> events_;
  probes::gpu_run_probe& records_;
};

class gpu_backend final : public run_backend {
 public:
  result<void> open(const run_options& options) {
    ASSAY_TRY(open_records());
    ASSAY_TRY_ASSIGN(gpu_,
                     device::cuda_device::create({.memory_limit_bytes = options.arena_bytes}));
    is_limited_ = options.vram_limit || options.is_half_streamed;
    if (options.vram_limit) {
      ASSAY_TRY_ASSIGN(const device::device_memory has, gpu_->memory());
      ASSAY_TRY_ASSIGN(limit_bytes_, options.vram_limit->bytes_of(has.total_bytes));
    }
    checkpoint_ = options.checkpoint;
    measured_ = {options.context_tokens, static_cast<std::uint32_t>(options.page_tokens)};
    measured_.memory_limit_bytes = limit_bytes_;
    gpu_->set_observer(probe_.get());
    ASSAY_CUDA_TRY(cudaDeviceGetAttribute(&l2_bytes_, cudaDevAttrL2CacheSize, gpu_->index()));
    cudaDeviceProp properties{};
    ASSAY_CUDA_TRY(cudaGetDeviceProperties(&properties, gpu_->index()));
    name_ = properties.name;
    ASSAY_TRY_ASSIGN(const std::string bus_id, pci_bus_id(gpu_->index()));
    nvml_ = probes::nvml_probe::open({.pci_bus_id = bus_id});
    constexpr device::range_label known_answers[]{
        static_cast<device::range_label>(telemetry::range::sentinel)};
    // A step's span holds its waits for page-ins, and the events around them.
    constexpr device::range_label of_waits[]{
        static_cast<device::range_label>(telemetry::range::paging)};
    brackets_.emplace(
        [this](std::uint32_t stream, std::size_t count) { return make_events(stream, count); },
        known_answers, of_waits);
    if (is_limited_)
      waits_.emplace(
          [this](std::uint32_t stream, std::size_t count) { return make_events(stream, count); },
          of_waits[0]);
    bracketed_.emplace(
        *gpu_, *brackets_,
        [this](device::range_label before, device::range_label now) {
          if (before != 0) ranges_.pop();
          if (now != 0) ranges_.push(claims_of(now), step_);
        },
        waits_ ? &*waits_ : nullptr);
    return {};
  }

  device::device& front() override { return *gpu_; }
  device::device& runtime_front() override { return *bracketed_; }
  result<std::unique_ptr<engine::decode_engine>> load(
      const std::filesystem::path& checkpoint, device::device& seen_by_runtime,
      telemetry::counter_writer& counters, const engine::engine_options& options) override {
    ASSAY_TRY_ASSIGN(auto made,
                     engine::gpu_engine::load(checkpoint, seen_by_runtime, *gpu_, counters, options,
                                              {.most_pinned_bytes = pinnable_bytes()}));
    step_count_ = made->step_count_address();
    return std::unique_ptr<engine::decode_engine>(std::move(made));
  }
  std::vector<std::uint32_t> worker_tids() override { return {}; }

  bool has_records() const override { return probe_->has_records(); }
  result<void> drain(trace::sink& to) override {
    ASSAY_TRY(probe_->drain(to));
    if (waits_) ASSAY_TRY(waits_->drain(to));
    return brackets_->drain(to);
  }
  // Each drain writes one.
  result<void> sample_clock(trace::sink&) override { return {}; }

  result<void> calibrate(trace::sink& to) override {
    probes::gpu_link_options wanted;
    wanted.device = gpu_->index();
    // Whatever is measured with stays within the limit, too.
    if (is_limited_) wanted.device_set_bytes = std::min(wanted.device_set_bytes, limited_set_bytes);
    if (nvml_) wanted.read_link = [this] { return link_now(**nvml_); };
    ASSAY_TRY_ASSIGN(link_, probes::gpu_link_probe::create(wanted));
    ASSAY_TRY(link_->calibrate(to));
    ASSAY_TRY_ASSIGN(arithmetic_, probes::gpu_arithmetic_probe::create(gpu_->index()));
    ASSAY_TRY(arithmetic_->sample());
    return probe_->drop(to);
  }
  result<void> sample_ceilings(trace::sink& to) override {
    ASSAY_TRY(link_->sample(to));
    ASSAY_TRY(arithmetic_->sample());
    return probe_->drop(to);
  }
  std::vector<trace::link_ceiling> ceilings() const override { return link_->ceilings(); }
  std::vector<trace::arithmetic_ceiling> arithmetic_ceilings() const override {
    return arithmetic_->ceilings();
  }
  double read_ceiling_bytes_per_s(std::int64_t bytes) const override {
    if (bytes < l2_passes * l2_bytes_) return 0.0;
    for (const trace::link_ceiling& each : link_->ceilings())
      if (each.link == telemetry::link_class::device_read) return each.soft_bytes_per_s;
    return 0.0;
  }

  void begin_step(std::string_view what, std::uint64_t number) override {
    step_ = number;
    ranges_.push(fmt::format("{} {}", what, number), number);
  }
  void end_step() override { ranges_.pop(); }

  void begin_traffic() override {
    if (nvml_) traffic_ = probes::nvml_traffic_watch::start(**nvml_);
  }
  result<std::uint64_t> end_traffic_bytes() override {
    if (!nvml_) return failure(nvml_.error());
    if (!traffic_) return failure(traffic_.error());
    ASSAY_TRY_ASSIGN(const probes::nvml_traffic seen, (*traffic_)->stop());
    return seen.received_bytes;
  }

  result<void> open_known_answers(device::stream on) override {
    if (!has_records()) return {};
    probes::gpu_sentinel_backend own = probes::on_cuda_stream(gpu_->native(on));
    const auto launch = own.launch;
    // A call of the device like any other: its records must show it in its place.
    own.launch = [this, on, launch](probes::gpu_fingerprint* at, std::int64_t spin_ns) {
      return gpu_->submit_kernels(on, 1, [&](void*) { return launch(at, spin_ns); });
    };
    // The engine has left the device no byte more than is its own; this part was reserved.
    if (is_limited_) gpu_->limit_memory(gpu_->memory_limit_bytes() + known_answer_bytes());
    ASSAY_TRY_ASSIGN(sentinel_, probes::gpu_sentinel_probe::create(*gpu_, on, std::move(own)));
    return {};
  }
  bool are_known_answers_due(host_time now) const override {
    return sentinel_ && sentinel_->is_due(now);
  }
  result<void> issue_known_answers() override {
    return sentinel_ ? sentinel_->issue() : result<void>{};
  }
  result<void> report_known_answers(trace::sink& to) override {
    return sentinel_ ? sentinel_->report(to) : result<void>{};
  }
  void close_known_answers() override { sentinel_.reset(); }

  const std::byte* step_count_address() const override { return step_count_; }

  std::uint64_t limit_bytes() override { return limit_bytes_; }
  // Asked when the probes are open and have run once: what CUPTI takes for its records, it has.
  result<std::uint64_t> reserved_bytes() override {
    if (reserved_bytes_ == 0) {
      // What is loaded for the measurement is no work of the run's.
      const probes::gpu_run_probe::own_work ours(*probe_);
      ASSAY_TRY_ASSIGN(const auto seen, checkpoint::checkpoint::open_unread(checkpoint_));
      ASSAY_TRY_ASSIGN(const device::device_memory driver,
                       engine::measure_driver(seen, *gpu_, measured_, {}));
      reserved_bytes_ = engine::reserved_for(driver) + known_answer_bytes() + records_bytes;
    }
    return reserved_bytes_;
  }

  bool has_passes(const scenarios::model_shape& model,
                  const scenarios::cache_shape& cache) const override {
    // Under a limit what a pass writes is a term of the plan.
    if (is_limited_) return ops::cuda::cublas_library::load().has_value();
    const std::int64_t needed = scenarios::gpu_arena_of(model, cache, true).total_bytes();
    return ops::cuda::cublas_library::load() &&
           static_cast<std::uint64_t>(needed) <= gpu_->memory_limit_bytes();
  }

  // First sampled behind calibrate(): a link is there.
  void watch_conditions(probes::condition_probe& by) override {
    watch_gpu(by, nvml_, [this]() -> result<probes::nvml_link> {
      if (!link_) return ASSAY_FAIL(unavailable, "the link was not probed");
      ASSAY_TRY_ASSIGN(const probes::link_state seen, link_->link_under_load());
      return probes::nvml_link{seen.generation, seen.width};
    });
  }

  void describe(trace::run_facts& facts) const override {
    facts.add_fact("device", fmt::format("GPU {}: {}", gpu_->index(), name_));
    facts.add_fact("device memory limit", fmt::format("{} bytes", gpu_->memory_limit_bytes()));
    facts.add_fact("driver", driver_words());
    add_versions(facts);
    // CUPTI stamps the events that it records, as it stamps the work.
    facts.has_one_observer = true;
    facts.cache_bytes = l2_bytes_;
    facts.records_absence = records_absence_;
    if (!nvml_) facts.notes.push_back(nvml_.error().message);
  }

 private:
  result<void> open_records() {
    auto opened = probes::gpu_run_probe::open();
    if (opened) {
      probe_ = std::move(*opened);
      return {};
    }
    // Where there is no GPU, that is why, and CUPTI has only a number for it.
    ASSAY_TRY(device::find_cuda_device(0));
    if (opened.error().kind != error_kind::unavailable) return failure(std::move(opened).error());
    records_absence_ = opened.error().message;
    probe_ = probes::gpu_run_probe::without_records();
    return {};
  }
  result<std::unique_ptr<probes::event_source>> make_events(std::uint32_t stream,
                                                            std::size_t count) {
    ASSAY_TRY_ASSIGN(auto events, probes::open_cuda_events(gpu_->native({stream}), count));
    return std::unique_ptr<probes::event_source>(
        std::make_unique<own_events>(std::move(events), *probe_));
  }
  // "compute: runtime.compute.launches_count, …": the counters that account for a range's work.
  const std::string& claims_of(device::range_label label) {
    std::string& words = claims_[label];
    if (!words.empty()) return words;
    const auto range = static_cast<telemetry::range>(label);
    words = telemetry::to_string(range);
    const char* before = ": ";
    for (const trace::contract_row& row : trace::catalog_rows(telemetry::device_class::cuda)) {
      if (row.claims.range != range) continue;
      words += std::exchange(before, ", ") + row.name;
    }
    return words;
  }
  // As the driver and the libraries say themselves: what was linked is not what runs.
  static void add_versions(trace::run_facts& facts) {
    const auto words = [](cudaError_t code, int version) {
      return code == cudaSuccess ? fmt::format("{}.{}", version / 1000, version % 1000 / 10)
                                 : std::string("unknown: ") + cudaGetErrorString(code);
    };
    int version = 0;
    cudaError_t code = cudaRuntimeGetVersion(&version);
    facts.add_fact("CUDA runtime", words(code, version));
    version = 0;
    code = cudaDriverGetVersion(&version);
    facts.add_fact("CUDA of the driver", words(code, version));
    facts.add_fact("CUPTI", probes::gpu_run_probe::version_words());
  }
  std::string driver_words() const {
    if (!nvml_) return "unknown: " + nvml_.error().message;
    const auto version = (*nvml_)->driver_version();
    return version ? *version : "unknown: " + version.error().message;
  }

  probes::nvtx_ranges ranges_;
  std::map<device::range_label, std::string> claims_;
  std::uint64_t step_ = 0;
  std::string name_;
  std::string records_absence_;
  int l2_bytes_ = 0;
  bool is_limited_ = false;
  std::uint64_t limit_bytes_ = 0;     ///< as given; 0: none
  std::uint64_t reserved_bytes_ = 0;  ///< 0: not asked yet
  std::filesystem::path checkpoint_;
  engine::engine_options measured_;
  std::unique_ptr<probes::gpu_run_probe> probe_;
  std::unique_ptr<device::cuda_device> gpu_;
  std::optional<probes::range_brackets> brackets_;
  std::optional<probes::wait_brackets> waits_;
  std::optional<probes::bracketed_device> bracketed_;
  result<std::unique_ptr<probes::nvml_probe>> nvml_;
  result<std::unique_ptr<probes::nvml_traffic_watch>> traffic_;
  std::unique_ptr<probes::gpu_link_probe> link_;
  std::unique_ptr<probes::gpu_arithmetic_probe> arithmetic_;
  std::unique_ptr<probes::gpu_sentinel_probe> sentinel_;
  const std::byte* step_count_ = nullptr;
};

}  // namespace

result<std::unique_ptr<run_backend>> make_gpu_backend(const run_options& options) {
  auto made = std::make_unique<gpu_backend>();
  ASSAY_TRY(made->open(options));
  return std::unique_ptr<run_backend>(std::move(made));
}

}  // namespace assay::cli
