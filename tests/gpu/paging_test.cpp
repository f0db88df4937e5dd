// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a limit on a GPU could be a flag that changes nothing, a kernel could read weights
// that are still on the link, or the process could take more of the GPU than it was allowed.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "runtime/engine/cuda/driver_overhead.h"
#include "runtime/engine/cuda/gpu_plan.h"
#include "runtime/telemetry/range.h"
#include "scenarios/synth/synth.h"
#include "tests/engine/refusing_device.h"
#include "tests/gpu/gpu_gate.h"
#include "tests/gpu/running_gpu_engine.h"

namespace assay::test {
namespace {

using engine_test::expect;
using engine_test::refusing_device;
using id = telemetry::counter_id;

constexpr std::uint32_t context_tokens = 96;
constexpr std::uint64_t device_bytes = std::uint64_t{1} << 40;

std::vector<std::int32_t> some_prompt(std::size_t tokens) {
  std::vector<std::int32_t> prompt(tokens);
  std::iota(prompt.begin(), prompt.end(), 10);
  return prompt;
}

engine::engine_options limited(std::uint64_t limit_bytes,
                               memory::residency_kind kind = memory::residency_kind::pin) {
  engine::engine_options options{context_tokens, 16};
  options.memory_limit_bytes = limit_bytes;
  options.residency = kind;
  return options;
}

engine::memory_plan plan_for(const std::string& folder, std::uint64_t limit_bytes) {
  const auto opened = expect(checkpoint::checkpoint::open(tree(folder)));
  return *expect(engine::plan_gpu(opened, limited(limit_bytes), {}, device_bytes)).memory;
}

/// From the least that a step runs with to more than everything.
std::vector<std::uint64_t> limits_of(const std::string& folder) {
  const engine::memory_plan plan = plan_for(folder, device_bytes);
  const std::uint64_t least = plan.least_limit_bytes;
  const std::uint64_t all = plan.kv_bytes + plan.activations_bytes + plan.step_bytes + 65536;
  return {least, least + (all - least) / 3, least + (all - least) * 3 / 4, all};
}

const std::vector<std::string> models{"scenarios/embedded/micro-qwen3", "tests/fixtures/tiny/llama",
                                      "tests/fixtures/tiny/qwen2", "tests/fixtures/tiny/qwen3",
                                      "tests/fixtures/tiny/llama-bf16-sharded"};

/// Six layers of a published shape, 200 MB: weights that outweigh whatever else is taken.
class written_model {
 public:
  written_model() {
    synth::shape shape = expect(synth::find_shape("qwen3-0.6b"));
    shape.layers = 6;
    shape.vocab_rows = 8192;
    expect(synth::write_checkpoint(
        shape, 1, folder_, [](std::uint64_t, std::uint64_t) -> result<void> { return {}; }));
  }
  ~written_model() { std::filesystem::remove_all(folder_); }
  std::string folder() const { return folder_.string(); }

 private:
  const std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) /
                                        ("assay_written_model_" + std::to_string(getpid()));
};

TEST(GpuPaging, ids_equal_those_without_a_limit_under_every_limit_and_policy) {
  ASSAY_NEEDS_GPU();
  for (const std::string& model : models) {
    const auto prompt = some_prompt(20);
    // As under a limit: every prompt through a pass.
    running_gpu_engine free(model, {context_tokens, 16}, {.prefill = {.from_tokens = 1}});
    const auto wanted = free.generate(prompt, 24);
    const auto wanted_of_three = free.generate(some_prompt(3), 5);
    for (const std::uint64_t limit : limits_of(model))
      for (const auto kind : {memory::residency_kind::pin, memory::residency_kind::lru}) {
        SCOPED_TRACE(model + ", " + std::to_string(limit) + ", " +
                     std::string(memory::to_string(kind)));
        running_gpu_engine under(model, limited(limit, kind));
        EXPECT_EQ(under.generate(prompt, 24), wanted);
        EXPECT_EQ(under.generate(prompt, 24, 8), wanted) << "eight steps a call";
        EXPECT_EQ(under.generate(some_prompt(3), 5), wanted_of_three);
        EXPECT_EQ(under.counter(id::paging_page_ins_count) > 0,
                  plan_for(model, limit).streamed_bytes() > 0);
      }
  }
}

// Prompts longer than a chunk of a pass, and none at all where no pass can run.
TEST(GpuPaging, parts_of_a_prompt_stream_the_layers_anew_and_change_no_id) {
  ASSAY_NEEDS_GPU();
  const std::string model = models.front();
  const auto prompt = some_prompt(50);
  for (const engine::gpu_prefill_options& prefill :
       {engine::gpu_prefill_options{.from_tokens = 1, .chunk_tokens = 16},
        engine::gpu_prefill_options{.from_tokens = 0}}) {
    running_gpu_engine free(model, {context_tokens, 16}, {.prefill = prefill});
    const auto wanted = free.generate(prompt, 4);
    const std::uint64_t limit = limits_of(model)[1];
    running_gpu_engine under(model, limited(limit), {.prefill = prefill});
    EXPECT_EQ(under.generate(prompt, 4), wanted);
    EXPECT_EQ(under.counter(id::paging_lookup_bytes),
              under.counter(id::paging_hit_bytes) + under.counter(id::paging_h2d_bytes));
    EXPECT_EQ(under.counter(id::paging_staged_bytes), under.counter(id::paging_h2d_bytes));
  }
}

// Host memory that does not hold what is streamed: the same bytes and ids, from the mapping.
TEST(GpuPaging, without_page_locked_memory_for_all_the_files_are_streamed) {
  ASSAY_NEEDS_GPU();
  for (const std::string& model : models) {
    const auto prompt = some_prompt(20);
    const std::uint64_t limit = limits_of(model)[1];
    running_gpu_engine pinned(model, limited(limit));
    const auto wanted = pinned.generate(prompt, 9);
    running_gpu_engine mapped(model, limited(limit), {.most_pinned_bytes = 1});
    EXPECT_EQ(mapped.generate(prompt, 9), wanted) << model;
    for (const id counter : {id::paging_h2d_bytes, id::paging_page_ins_count, id::paging_hit_bytes})
      EXPECT_EQ(mapped.counter(counter), pinned.counter(counter)) << model;
    EXPECT_NE(pinned->facts().back().words.find("stand once in page-locked"), std::string::npos);
    EXPECT_NE(mapped->facts().back().words.find("mapping of their files"), std::string::npos);
  }
}

/// Asked of the device, by what the copies are for: no counter of the engine's.
class copy_book final : public device::observer {
 public:
  void on_submission(const device::submission_record& record) noexcept override {
    if (record.kind != device::operation_kind::copy || !record.accepted) return;
    if (record.direction != device::copy_direction::h2d) return;
    bytes_.at(record.range) += record.asked_bytes;
    ++copies_.at(record.range);
  }
  void on_activity(const device::activity_record&) noexcept override {}
  void on_memory(const device::memory_record& record) noexcept override {
    live_ += record.is_allocation ? static_cast<std::int64_t>(record.bytes)
                                  : -static_cast<std::int64_t>(record.bytes);
    peak_ = std::max(peak_, live_);
  }
  std::int64_t bytes(telemetry::range of) const {
    return static_cast<std::int64_t>(bytes_.at(static_cast<std::size_t>(of)));
  }
  std::int64_t copies(telemetry::range of) const {
    return static_cast<std::int64_t>(copies_.at(static_cast<std::size_t>(of)));
  }
  std::int64_t live() const { return live_; }
  std::int64_t peak() const { return peak_; }

 private:
  std::array<std::uint64_t, 64> bytes_{};
  std::array<std::uint64_t, 64> copies_{};
  std::int64_t live_ = 0;
  std::int64_t peak_ = 0;
};

TEST(GpuPaging, bytes_are_the_closed_form_by_the_devices_own_count) {
  ASSAY_NEEDS_GPU();
  constexpr std::int64_t passes = 9;
  const written_model written;
  std::vector<std::string> all = models;
  all.push_back(written.folder());
  for (const std::string& model : all)
    for (const std::uint64_t limit : limits_of(model)) {
      SCOPED_TRACE(model + ", " + std::to_string(limit));
      telemetry::registry counters;
      const auto gpu = expect(device::cuda_device::create({}));
      copy_book seen;
      gpu->set_observer(&seen);
      auto made =
          expect(engine::gpu_engine::load(tree(model), *gpu, *gpu, counters, limited(limit)));
      const engine::memory_plan plan = plan_for(model, limit);
      const auto of = [&](id counter) { return counters.read(counter).integer(); };
      const std::int64_t resident = seen.bytes(telemetry::range::weights);
      const auto step = static_cast<std::int64_t>(plan.step_bytes);
      EXPECT_EQ(of(id::paging_resident_bytes), resident);
      EXPECT_LE(resident,
                static_cast<std::int64_t>(plan.budget_bytes - plan.placed->staging_bytes));
      expect(made->begin_request(some_prompt(20), {passes, 0.0, 0, false}));
      expect(made->prefill());
      for (std::int64_t i = 1; i < passes; ++i) expect(made->decode_step());
      EXPECT_EQ(seen.bytes(telemetry::range::paging), passes * (step - resident));
      EXPECT_EQ(seen.copies(telemetry::range::paging), of(id::paging_page_ins_count));
      EXPECT_EQ(of(id::paging_h2d_bytes), passes * (step - resident));
      EXPECT_EQ(of(id::paging_hit_bytes), passes * resident);
      EXPECT_EQ(of(id::paging_lookups_count),
                of(id::paging_hits_count) + of(id::paging_page_ins_count));
      EXPECT_EQ(of(id::paging_staged_bytes), of(id::paging_h2d_bytes));
      EXPECT_EQ(counters.read(id::paging_byte_hit_ratio).real(),
                static_cast<double>(resident) / static_cast<double>(step));
      EXPECT_LE(seen.peak(), static_cast<std::int64_t>(limit));
      EXPECT_EQ(seen.live(), static_cast<std::int64_t>(plan.total_bytes()));
      expect(made->end_request());
      made.reset();
      gpu->set_observer(nullptr);
    }
}

/// The driver's word on what is taken, as often as it gives one, and the most that it was.
class taken_watch {
 public:
  explicit taken_watch(const device::cuda_device& of)
      : thread_([this, &of] {
          while (!is_over_) {
            if (const auto now = of.memory()) peak_ = std::max(peak_.load(), now->taken_bytes);
            std::this_thread::sleep_for(std::chrono::microseconds(200));
          }
        }) {}
  ~taken_watch() { stop(); }
  std::uint64_t stop() {
    is_over_ = true;
    if (thread_.joinable()) thread_.join();
    return peak_;
  }

 private:
  std::atomic<bool> is_over_{false};
  std::atomic<std::uint64_t> peak_{0};
  std::thread thread_;
};

unsigned long long printed(std::uint64_t bytes) {
  return bytes;
}

TEST(GpuPaging, what_the_driver_says_is_taken_never_exceeds_the_limit) {
  ASSAY_NEEDS_GPU();
  const written_model written;
  const auto gpu = expect(device::cuda_device::create({}));
  const device::device_memory before = expect(gpu->memory());
  const auto opened = expect(checkpoint::checkpoint::open_unread(tree(written.folder())));
  const engine::memory_plan all = plan_for(written.folder(), device_bytes);
  for (const double ratio : {0.3, 0.6}) {
    engine::engine_options options = limited(device_bytes);
    const device::device_memory driver = expect(engine::measure_driver(opened, *gpu, options, {}));
    EXPECT_LE(expect(gpu->memory()).taken_bytes, driver.taken_bytes)
        << "what was measured with is given back, and with it cuBLAS's handle";
    options.reserved_bytes = engine::reserved_for(driver);
    options.memory_limit_bytes =
        options.reserved_bytes + all.kv_bytes + all.activations_bytes +
        static_cast<std::uint64_t>(ratio * static_cast<double>(all.step_bytes));
    telemetry::registry counters;
    taken_watch watch(*gpu);
    auto made =
        expect(engine::gpu_engine::load(tree(written.folder()), *gpu, *gpu, counters, options));
    const std::uint64_t loaded = expect(gpu->memory()).taken_bytes;
    expect(made->begin_request(some_prompt(20), {40, 0.0, 0, false}));
    expect(made->prefill());
    const std::uint64_t prefilled = expect(gpu->memory()).taken_bytes;
    for (int i = 0; i < 39; ++i) expect(made->decode_step());
    expect(made->end_request());
    const std::uint64_t peak = watch.stop();
    std::printf(
        "limit %llu, taken at most %llu, before %llu; driver %llu, arena %lld, loaded %llu, "
        "prefilled %llu, at the end %llu\n",
        printed(*options.memory_limit_bytes), printed(peak), printed(before.taken_bytes),
        printed(driver.taken_bytes),
        static_cast<long long>(counters.read(id::arena_peak_bytes).integer()), printed(loaded),
        printed(prefilled), printed(expect(gpu->memory()).taken_bytes));
    EXPECT_LE(peak, *options.memory_limit_bytes);
    // Else a limit that limits nothing would pass.
    EXPECT_GT(peak - counters.read(id::paging_resident_bytes).integer() + all.step_bytes,
              *options.memory_limit_bytes);
    // Else the watch has seen nothing.
    EXPECT_GE(peak, before.taken_bytes + counters.read(id::paging_resident_bytes).integer());
    EXPECT_GT(counters.read(id::paging_page_ins_count).integer(), 0);
  }
}

TEST(GpuPaging, lru_never_hits_while_not_everything_fits) {
  ASSAY_NEEDS_GPU();
  const auto limits = limits_of(models.front());
  for (std::size_t i = 0; i + 1 < limits.size(); ++i) {
    running_gpu_engine under(models.front(), limited(limits[i], memory::residency_kind::lru));
    under.generate(some_prompt(5), 6);
    EXPECT_EQ(under.counter(id::paging_hits_count), 0) << limits[i];
    EXPECT_GT(under.counter(id::paging_evictions_count), 0);
  }
}

TEST(GpuPaging, a_limit_that_changes_while_it_runs_changes_no_id) {
  ASSAY_NEEDS_GPU();
  const std::string model = models.front();
  const auto limits = limits_of(model);
  const auto prompt = some_prompt(6);
  running_gpu_engine free(model, {context_tokens, 16}, {.prefill = {.from_tokens = 1}});
  const auto wanted = free.generate(prompt, 41);
  running_gpu_engine under(model, limited(limits[2]));
  std::size_t at = 0;
  for (int request = 0; request < 25; ++request) {
    expect(under->begin_request(prompt, {41, 0.0, 0, false}));
    std::vector<std::int32_t> ids{expect(under->prefill()).token};
    for (int step = 0; step < 40; ++step) {
      if (step % 25 == 7) expect(under->change_memory_limit(limits[(at += 3) % limits.size()]));
      ids.push_back(expect(under->decode_step()).token);
    }
    ASSERT_EQ(ids, wanted) << "request " << request;
    expect(under->end_request());
    EXPECT_EQ(under.counter(id::paging_admitted_bytes) - under.counter(id::paging_evicted_bytes),
              under.counter(id::paging_resident_bytes));
  }
  const auto kept = under.counter(id::paging_resident_bytes);
  EXPECT_FALSE(under->change_memory_limit(limits[0] - 1).has_value());
  EXPECT_FALSE(under->change_memory_limit(device_bytes).has_value());
  EXPECT_EQ(under.counter(id::paging_resident_bytes), kept) << "a refused change changes nothing";
  EXPECT_EQ(under.generate(prompt, 41), wanted);
}

// Every few calls of load, prefill and two steps one is refused: the load or the step fails
// cleanly, and where there is an engine its next request gives the right ids.
TEST(GpuPaging, a_refused_call_fails_its_step_and_leaves_the_next_request_whole) {
  ASSAY_NEEDS_GPU();
  const std::string model = "tests/fixtures/tiny/llama";
  const auto prompt = some_prompt(4);
  running_gpu_engine free(model, {context_tokens, 16}, {.prefill = {.from_tokens = 1}});
  const auto wanted = free.generate(prompt, 3);
  const std::uint64_t limit = limits_of(model)[1];
  int refused_steps = 0;
  bool was_reached = true;
  for (int refused = 0; was_reached; refused += 5) {
    telemetry::registry counters;
    const auto gpu = expect(device::cuda_device::create({}));
    refusing_device front(*gpu, refused);
    auto made = engine::gpu_engine::load(tree(model), front, *gpu, counters, limited(limit));
    if (!made) {
      EXPECT_TRUE(front.has_refused()) << made.error().message;
      continue;
    }
    const auto run = [&]() -> result<std::vector<std::int32_t>> {
      ASSAY_TRY((*made)->begin_request(prompt, {3, 0.0, 0, false}));
      ASSAY_TRY_ASSIGN(auto first, (*made)->prefill());
      std::vector<std::int32_t> ids{first.token};
      for (int i = 0; i < 2; ++i) {
        ASSAY_TRY_ASSIGN(auto step, (*made)->decode_step());
        ids.push_back(step.token);
      }
      ASSAY_TRY((*made)->end_request());
      return ids;
    };
    const auto got = run();
    was_reached = front.has_refused();
    if (!got) {
      ++refused_steps;
      const auto of = [&](id counter) { return counters.read(counter).integer(); };
      EXPECT_EQ(of(id::paging_staged_bytes) + of(id::paging_prefetch_waste_bytes),
                of(id::paging_h2d_bytes))
          << "call " << refused;
      static_cast<void>((*made)->end_request());
    }
    EXPECT_EQ(got ? *got : expect(run()), wanted) << "call " << refused;
  }
  EXPECT_GT(refused_steps, 20);
}

TEST(GpuPaging, a_limit_that_does_not_hold_a_step_is_refused_naming_every_term) {
  ASSAY_NEEDS_GPU();
  const std::uint64_t least = plan_for(models.front(), device_bytes).least_limit_bytes;
  const auto gpu = expect(device::cuda_device::create({}));
  telemetry::registry counters;
  const auto refused =
      engine::gpu_engine::load(tree(models.front()), *gpu, *gpu, counters, limited(least - 1));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, error_kind::out_of_memory);
  for (const char* part : {"KV pages ", "activations ", "reserved ", "streaming needs "})
    EXPECT_NE(refused.error().message.find(part), std::string::npos) << part;
  const auto larger =
      engine::gpu_engine::load(tree(models.front()), *gpu, *gpu, counters, limited(device_bytes));
  ASSERT_FALSE(larger.has_value());
  EXPECT_EQ(larger.error().kind, error_kind::usage);
}

}  // namespace
}  // namespace assay::test
