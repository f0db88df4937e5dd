// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a limit could be a flag that changes nothing, weights could be filled again
// while an operator reads them, or a failed copy could leave its region to the next request.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/engine/memory_plan.h"
#include "runtime/engine/side_by_side_copy.h"
#include "runtime/engine/weight_schedule.h"
#include "runtime/memory/residency.h"
#include "runtime/telemetry/range.h"
#include "tests/engine/refusing_device.h"
#include "tests/engine/running_engine.h"

namespace assay::engine_test {
namespace {

using telemetry::counter_id;

constexpr std::uint32_t context = 64;
constexpr std::int64_t step_bytes = 6'951'936;  // micro-qwen3's head is tied: all of its weights
constexpr std::uint64_t device_bytes = 16 << 20;

engine::engine_options limited(std::uint64_t limit_bytes,
                               memory::residency_kind kind = memory::residency_kind::pin) {
  engine::engine_options options{context, 16};
  options.memory_limit_bytes = limit_bytes;
  options.residency = kind;
  return options;
}

engine::memory_plan plan_for(const std::filesystem::path& folder,
                             const engine::engine_options& options) {
  const auto opened = expect(checkpoint::checkpoint::open(folder));
  return expect(engine::plan_memory(opened.config(), opened.weights(), options, device_bytes));
}

std::vector<std::int32_t> some_prompt(std::size_t tokens, std::int32_t first = 100) {
  std::vector<std::int32_t> prompt(tokens);
  std::iota(prompt.begin(), prompt.end(), first);
  return prompt;
}

engine::request_options greedy(std::uint32_t tokens) {
  engine::request_options options;
  options.max_new_tokens = tokens;
  options.stop_at_eos = false;
  return options;
}

// The same engine on a device that somebody else made, which may refuse.
struct limited_engine {
  explicit limited_engine(const engine::engine_options& options,
                          const std::filesystem::path& folder = micro_folder,
                          std::uint64_t arena_bytes = device_bytes) {
    device = expect(device::host_device::create({arena_bytes, 1000, 1}));
    made = engine::engine::load(folder, *device, counters, options);
  }
  engine::engine& operator*() { return **made; }
  engine::engine* operator->() { return made->get(); }
  std::int64_t operator[](counter_id id) const { return counters.read(id).integer(); }
  std::vector<std::int32_t> generate(const std::vector<std::int32_t>& prompt,
                                     std::uint32_t tokens) {
    expect((*made)->begin_request(prompt, greedy(tokens)));
    std::vector<std::int32_t> ids{expect((*made)->prefill()).token};
    while (ids.size() < tokens) ids.push_back(expect((*made)->decode_step()).token);
    expect((*made)->end_request());
    return ids;
  }

  telemetry::registry counters;
  std::unique_ptr<device::host_device> device;
  result<std::unique_ptr<engine::engine>> made;
};

std::vector<std::int32_t> without_limit(const std::filesystem::path& folder,
                                        const std::vector<std::int32_t>& prompt,
                                        std::uint32_t tokens) {
  running_engine engine(folder, {context, 16});
  return engine.generate(prompt, greedy(tokens));
}

// From the least that a step runs with to more than everything.
std::vector<std::uint64_t> limits_of(const std::filesystem::path& folder) {
  const engine::memory_plan plan = plan_for(folder, limited(device_bytes));
  const std::uint64_t least = plan.least_limit_bytes;
  const std::uint64_t all = plan.kv_bytes + plan.activations_bytes + plan.step_bytes + 65536;
  return {least,
          least + 1000,
          least + (all - least) / 4,
          least + (all - least) / 2,
          least + (all - least) * 3 / 4,
          all};
}

TEST(Paging, ids_equal_those_without_a_limit_under_every_limit_and_policy) {
  const auto prompt = some_prompt(20);
  const auto wanted = without_limit(micro_folder, prompt, 9);
  for (const std::uint64_t limit : limits_of(micro_folder))
    for (const auto kind : {memory::residency_kind::pin, memory::residency_kind::lru}) {
      limited_engine engine(limited(limit, kind));
      EXPECT_EQ(engine.generate(prompt, 9), wanted) << limit << " " << to_string(kind);
      EXPECT_EQ(engine.generate(prompt, 9), wanted) << "again, " << limit;
    }
}

TEST(Paging, every_family_decodes_the_same_under_its_least_limit) {
  for (const std::string& name : all_tiny) {
    const auto prompt = some_prompt(9, 10);
    limited_engine engine(limited(plan_for(tiny(name), limited(device_bytes)).least_limit_bytes),
                          tiny(name));
    ASSERT_TRUE(engine.made.has_value()) << name << ": " << engine.made.error().message;
    EXPECT_EQ(engine.generate(prompt, 12), without_limit(tiny(name), prompt, 12)) << name;
    EXPECT_GT(engine[counter_id::paging_page_ins_count], 0) << name;
  }
}

// h2d = R at the load, and passes x (W - R) after it, to the byte. Copies are counted by the device
// that makes them, not by the engine.
class copy_counter final : public device::observer {
 public:
  void on_submission(const device::submission_record&) noexcept override {}
  void on_memory(const device::memory_record& record) noexcept override {
    live += record.is_allocation ? static_cast<std::int64_t>(record.bytes)
                                 : -static_cast<std::int64_t>(record.bytes);
    peak = std::max(peak, live);
  }
  void on_activity(const device::activity_record& record) noexcept override {
    const bool is_large =
        record.moved_bytes >= 64 && record.direction == device::copy_direction::h2d;
    if (record.kind == device::operation_kind::copy && is_large)
      h2d_bytes += static_cast<std::int64_t>(record.moved_bytes);
  }
  std::atomic<std::int64_t> h2d_bytes{0};
  std::int64_t live = 0;
  std::int64_t peak = 0;
};

TEST(Paging, bytes_are_the_closed_form_by_the_devices_own_count) {
  constexpr std::int64_t passes = 11;
  constexpr std::int64_t row_bytes = 256 * 2;
  const auto prompt = some_prompt(20);
  for (const std::uint64_t limit : limits_of(micro_folder)) {
    telemetry::registry counters;
    auto device = expect(device::host_device::create({limit, 1000, 1}));
    copy_counter seen;
    device->set_observer(&seen);
    auto made = expect(engine::engine::load(micro_folder, *device, counters, limited(limit)));
    const std::int64_t resident = seen.h2d_bytes;
    EXPECT_EQ(counters.read(counter_id::paging_resident_bytes).integer(), resident);
    expect(made->begin_request(prompt, greedy(passes)));
    expect(made->prefill());
    for (std::int64_t i = 1; i < passes; ++i) expect(made->decode_step());
    const std::int64_t rows = (20 + passes - 1) * row_bytes;
    const std::int64_t ids = 20 * 4;  // a decode step's id is below what is counted
    EXPECT_EQ(seen.h2d_bytes, resident + passes * (step_bytes - resident) + rows + ids) << limit;
    const auto of = [&](counter_id id) { return counters.read(id).integer(); };
    EXPECT_EQ(of(counter_id::paging_h2d_bytes), passes * (step_bytes - resident));
    EXPECT_EQ(of(counter_id::paging_hit_bytes), passes * resident);
    EXPECT_EQ(of(counter_id::paging_lookups_count),
              of(counter_id::paging_hits_count) + of(counter_id::paging_page_ins_count));
    EXPECT_EQ(of(counter_id::paging_staged_bytes), of(counter_id::paging_h2d_bytes));
    EXPECT_EQ(counters.read(counter_id::paging_byte_hit_ratio).real(),
              static_cast<double>(resident) / static_cast<double>(step_bytes));
    EXPECT_LE(seen.peak, static_cast<std::int64_t>(limit));
    const engine::memory_plan plan = plan_for(micro_folder, limited(limit));
    EXPECT_EQ(seen.live, static_cast<std::int64_t>(plan.total_bytes()));
    made.reset();
    device->set_observer(nullptr);
  }
}

// The real thing, not a simulation: every lookup of every step is a copy.
TEST(Paging, lru_never_hits_while_not_everything_fits) {
  const auto limits = limits_of(micro_folder);
  for (std::size_t i = 0; i + 1 < limits.size(); ++i) {
    limited_engine engine(limited(limits[i], memory::residency_kind::lru));
    engine.generate(some_prompt(5), 6);
    EXPECT_EQ(engine[counter_id::paging_hits_count], 0) << limits[i];
    EXPECT_EQ(engine[counter_id::paging_h2d_bytes], 6 * step_bytes);
    EXPECT_GT(engine[counter_id::paging_evictions_count], 0);
    EXPECT_EQ(engine[counter_id::paging_admitted_bytes] - engine[counter_id::paging_evicted_bytes],
              engine[counter_id::paging_resident_bytes]);
  }
}

// What a policy as a pure object says of the recorded trace is what the engine did.
TEST(Paging, the_engine_does_what_its_policy_says) {
  const std::uint64_t limit = limits_of(micro_folder)[3];
  const engine::memory_plan plan = plan_for(micro_folder, limited(limit));
  const auto opened = expect(checkpoint::checkpoint::open(micro_folder));
  const auto schedule = expect(engine::schedule_of(opened.config(), opened.weights()));
  std::vector<memory::weight_access> step;
  for (const auto& each : schedule.operators)
    for (const auto weight : each) step.push_back({weight, schedule.placed_bytes()[weight]});
  const auto policy = memory::make_policy(memory::residency_kind::pin,
                                          plan.budget_bytes - plan.placed->staging_bytes);
  std::vector<memory::weight_key> evicted;
  std::vector<memory::weight_access> trace;
  for (int cycle = 0; cycle < 4; ++cycle)
    for (const auto& each : step) {
      policy->look_up(each, evicted);
      trace.push_back(each);
    }
  EXPECT_LE(policy->resident_bytes(), plan.placed->resident_bytes + plan.largest_weight_bytes);
  const memory::optimum best = memory::best_possible(trace, plan.budget_bytes);
  EXPECT_LE(3 * plan.placed->resident_bytes, best.hit_bytes) << "the bracket holds from above";
}

TEST(Paging, a_limit_that_does_not_hold_a_step_is_refused_naming_every_term) {
  const std::uint64_t least = plan_for(micro_folder, limited(device_bytes)).least_limit_bytes;
  const limited_engine refused(limited(least - 1));
  ASSERT_FALSE(refused.made.has_value());
  EXPECT_EQ(refused.made.error().kind, error_kind::out_of_memory);
  for (const char* part : {"KV pages ", "activations ", "reserved ", "streaming needs ", "unknown",
                           "graphs and workspace"})
    EXPECT_NE(refused.made.error().message.find(part), std::string::npos) << part;
  EXPECT_NE(refused.made.error().message.find("limit of " + std::to_string(least - 1)),
            std::string::npos);
  EXPECT_EQ(refused.made.error().message.find('\n'), std::string::npos);
  const limited_engine larger(limited(device_bytes + 1));
  ASSERT_FALSE(larger.made.has_value());
  EXPECT_EQ(larger.made.error().kind, error_kind::usage);
}

// 1,000 steps; the limit moves every 25 of them, up and down, over all that there is.
TEST(Paging, a_limit_that_changes_while_it_runs_changes_no_id) {
  const auto limits = limits_of(tiny_folder);
  const auto prompt = some_prompt(4, 10);
  const auto wanted = without_limit(tiny_folder, prompt, 41);
  limited_engine engine(limited(limits[2]), tiny_folder);
  std::size_t at = 0;
  for (int request = 0; request < 25; ++request) {
    expect(engine->begin_request(prompt, greedy(41)));
    std::vector<std::int32_t> ids{expect(engine->prefill()).token};
    for (int step = 0; step < 40; ++step) {
      if (step % 25 == 7) expect(engine->change_memory_limit(limits[(at += 5) % limits.size()]));
      ids.push_back(expect(engine->decode_step()).token);
    }
    ASSERT_EQ(ids, wanted) << "request " << request;
    expect(engine->end_request());
    EXPECT_EQ(engine[counter_id::paging_admitted_bytes] - engine[counter_id::paging_evicted_bytes],
              engine[counter_id::paging_resident_bytes]);
  }
  const auto kept = engine[counter_id::paging_resident_bytes];
  EXPECT_FALSE(engine->change_memory_limit(limits[0] - 1).has_value());
  EXPECT_FALSE(engine->change_memory_limit(device_bytes + 1).has_value());
  EXPECT_EQ(engine[counter_id::paging_resident_bytes], kept) << "a refused change changes nothing";
  EXPECT_EQ(engine.generate(prompt, 41), wanted);
}

// Every third call of load, prefill and two steps is refused once: the load or the step fails
// cleanly, and where there is an engine its next request gives the right ids.
TEST(Paging, a_refused_call_fails_its_step_and_leaves_the_next_request_whole) {
  const auto prompt = some_prompt(4, 10);
  const auto wanted = without_limit(tiny_folder, prompt, 3);
  const std::uint64_t limit = limits_of(tiny_folder)[2];
  int refused_steps = 0;
  bool was_reached = true;
  for (int refused = 0; was_reached; refused += 3) {
    telemetry::registry counters;
    auto real = expect(device::host_device::create({device_bytes, 1000, 1}));
    refusing_device device(*real, refused);
    auto made = engine::engine::load(tiny_folder, device, counters, limited(limit));
    if (!made) {
      EXPECT_TRUE(device.has_refused()) << made.error().message;
      continue;
    }
    const auto run = [&]() -> result<std::vector<std::int32_t>> {
      ASSAY_TRY((*made)->begin_request(prompt, greedy(3)));
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
    was_reached = device.has_refused();
    if (!got) {
      ++refused_steps;
      const auto of = [&](counter_id id) { return counters.read(id).integer(); };
      EXPECT_EQ(of(counter_id::paging_staged_bytes) + of(counter_id::paging_prefetch_waste_bytes),
                of(counter_id::paging_h2d_bytes))
          << "call " << refused;
      static_cast<void>((*made)->end_request());
    }
    EXPECT_EQ(got ? *got : expect(run()), wanted) << "call " << refused;
  }
  EXPECT_GT(refused_steps, 20);
}

// A cache whose step failed keeps nothing, and says so: weights that it brought in again would
// otherwise count twice, and more would be resident than there is room.
TEST(Paging, lru_is_empty_after_a_step_that_failed_and_never_holds_more_than_its_budget) {
  const auto prompt = some_prompt(4, 10);
  const std::uint64_t limit = limits_of(tiny_folder)[2];
  int failed_full = 0;
  for (int refused = 60; refused < 200; refused += 7) {
    telemetry::registry counters;
    auto real = expect(device::host_device::create({device_bytes, 1000, 1}));
    refusing_device device(*real, refused);
    auto made = engine::engine::load(tiny_folder, device, counters,
                                     limited(limit, memory::residency_kind::lru));
    if (!made) continue;
    const auto of = [&](counter_id id) { return counters.read(id).integer(); };
    const auto run = [&]() -> result<void> {
      ASSAY_TRY((*made)->begin_request(prompt, greedy(4)));
      ASSAY_TRY((*made)->prefill());
      for (int i = 0; i < 3; ++i) ASSAY_TRY((*made)->decode_step());
      return (*made)->end_request();
    };
    if (!run()) {
      failed_full += of(counter_id::paging_admitted_count) > 0 ? 1 : 0;
      EXPECT_EQ(of(counter_id::paging_resident_bytes), 0) << "call " << refused;
      EXPECT_EQ(of(counter_id::paging_resident_count), 0) << "call " << refused;
      static_cast<void>((*made)->end_request());
    }
    expect(run());
    EXPECT_EQ(of(counter_id::paging_admitted_bytes) - of(counter_id::paging_evicted_bytes),
              of(counter_id::paging_resident_bytes));
    EXPECT_EQ(of(counter_id::paging_admitted_count) - of(counter_id::paging_evictions_count),
              of(counter_id::paging_resident_count));
    EXPECT_LE(of(counter_id::paging_resident_bytes), of(counter_id::paging_budget_bytes));
  }
  EXPECT_GT(failed_full, 5);
}

TEST(Paging, a_file_that_is_written_to_while_it_is_streamed_fails_the_step) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "assay_paging_changed";
  std::filesystem::remove_all(folder);
  std::filesystem::copy(tiny_folder, folder, std::filesystem::copy_options::recursive);
  const auto prompt = some_prompt(4, 10);
  limited_engine engine(limited(limits_of(folder)[1]), folder);
  engine.generate(prompt, 3);
  expect(engine->begin_request(prompt, greedy(8)));
  expect(engine->prefill());
  std::fstream(folder / "model.safetensors", std::ios::in | std::ios::out | std::ios::ate).put('x');
  const auto step = engine->decode_step();
  ASSERT_FALSE(step.has_value());
  EXPECT_EQ(step.error().kind, error_kind::unusable_input);
  EXPECT_NE(step.error().message.find("written to"), std::string::npos) << step.error().message;
  // Exchanged for another file of that name: the mapping keeps the one that was loaded.
  limited_engine other(limited(limits_of(tiny_folder)[1]), tiny_folder);
  EXPECT_TRUE(other.made.has_value());
  std::filesystem::remove_all(folder);
}

// What is read is the file that is mapped: neither another name for it nor a clock put back hides
// what was written.
TEST(Paging, a_file_that_is_written_to_is_told_whatever_its_name_and_its_times_say) {
  for (const bool is_renamed : {true, false}) {
    const auto folder = std::filesystem::path(testing::TempDir()) / "assay_paging_hidden";
    std::filesystem::remove_all(folder);
    std::filesystem::copy(tiny_folder, folder, std::filesystem::copy_options::recursive);
    const auto prompt = some_prompt(4, 10);
    limited_engine engine(limited(limits_of(folder)[1]), folder);
    expect(engine->begin_request(prompt, greedy(8)));
    expect(engine->prefill());
    auto file = folder / "model.safetensors";
    const auto written_at = std::filesystem::last_write_time(file);
    if (is_renamed) {
      std::filesystem::rename(file, folder / "old.safetensors");
      file = folder / "old.safetensors";
      expect(engine->decode_step());  // a new name is no harm
    }
    std::fstream(file, std::ios::in | std::ios::out).put('x');
    if (!is_renamed) std::filesystem::last_write_time(file, written_at);
    const auto step = engine->decode_step();
    ASSERT_FALSE(step.has_value()) << is_renamed;
    EXPECT_EQ(step.error().kind, error_kind::unusable_input);
    std::filesystem::remove_all(folder);
  }
}

TEST(Paging, a_file_of_that_name_that_is_another_by_now_is_no_harm) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "assay_paging_replaced";
  std::filesystem::remove_all(folder);
  std::filesystem::copy(tiny_folder, folder, std::filesystem::copy_options::recursive);
  const auto prompt = some_prompt(4, 10);
  limited_engine engine(limited(limits_of(folder)[1]), folder);
  const auto wanted = engine.generate(prompt, 3);
  std::ofstream(folder / "new").write("nothing", 7);
  std::filesystem::rename(folder / "new", folder / "model.safetensors");
  EXPECT_EQ(engine.generate(prompt, 3), wanted);
  std::filesystem::remove_all(folder);
}

// A piece that was left out, or taken twice, would show in no counter.
TEST(Paging, copies_side_by_side_leave_no_byte_out) {
  std::vector<std::byte> from(20'000'003);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 31 + i / 251);
  std::vector<std::byte> to(from.size());
  const std::vector<engine::copy_job> jobs{{to.data(), from.data(), 1},
                                           {to.data() + 1, from.data() + 1, 0},
                                           {to.data() + 1, from.data() + 1, from.size() - 1}};
  std::uint64_t bytes = 0;
  for (const engine::copy_job& each : engine::pieces_of(jobs, 4096)) {
    EXPECT_LE(each.bytes, 4096U);
    EXPECT_EQ(each.to - to.data(), each.from - from.data());
    bytes += each.bytes;
  }
  EXPECT_EQ(bytes, from.size());
  engine::copy_side_by_side(jobs, 3);
  EXPECT_EQ(to, from);
}

}  // namespace
}  // namespace assay::engine_test
