// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, time could move from one part of a GPU's step to another on its way from the
// driver's records to the report: nothing in such a trace is known beforehand. Here something of
// known length happens in every fourth step, and the report must have it in its part and nowhere
// else, beside what it has of the same step without the plant's records.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/attribution/investigator.h"
#include "harness/cli/audited_run.h"
#include "probes/trace/trace_writer.h"
#include "scenarios/synth/synth.h"
#include "tests/attribution/planted_records.h"
#include "tests/gpu/gpu_gate.h"
#include "tests/gpu/gpu_planter.h"

namespace assay::test {
namespace {

using attribution_test::allowed_ns;
using attribution_test::planted_length;
using attribution_test::step_account;
using attribution_test::unclaimed_place;
using selftest_test::plant;
using selftest_test::planted;
using selftest_test::planted_count;

constexpr std::uint64_t steps_a_plant = 4;
constexpr std::uint64_t first_plant = 9;  // behind what a run does once
constexpr std::int64_t plant_ns = 300'000;

// A step of near a millisecond of a checkpoint that is written in a moment; or, where the trace is
// to be kept, one that is small.
struct extent {
  std::uint32_t layers = 64;
  std::size_t plants_a_kind = 9;
  std::uint64_t decode_steps() const {
    return first_plant + steps_a_plant * plants_a_kind * planted_count + steps_a_plant;
  }
};
constexpr extent kept_extent{6, 2};

result<std::filesystem::path> write_deep_checkpoint(std::uint32_t layers) {
  ASSAY_TRY_ASSIGN(synth::shape deep, synth::find_shape("tiny-qwen3"));
  deep.layers = layers;
  const auto folder =
      std::filesystem::path(testing::TempDir()) / ("planted_" + std::to_string(getpid()));
  ASSAY_TRY(synth::write_checkpoint(
      deep, 1, folder, [](std::uint64_t, std::uint64_t) -> result<void> { return {}; }));
  return folder;
}

std::vector<plant> plan_of_all_kinds(const extent& of) {
  std::vector<plant> plan;
  for (std::size_t i = 0; i < of.plants_a_kind * planted_count; ++i)
    plan.push_back(
        {first_plant + steps_a_plant * i, static_cast<planted>(i % planted_count), plant_ns});
  return plan;
}

// The report's own way through a run; what it was given is kept, and written where a file is named.
class keeping_sink final : public trace::sink {
 public:
  result<void> contract(std::string_view json) override {
    if (file) ASSAY_TRY(file->contract(json));
    return fold.contract(json);
  }
  result<void> facts(std::string_view json) override {
    if (file) ASSAY_TRY(file->facts(json));
    return fold.facts(json);
  }
  result<void> records(std::span<const assay_record> records) override {
    if (file) ASSAY_TRY(file->records(records));
    kept.insert(kept.end(), records.begin(), records.end());
    return fold.records(records);
  }
  result<void> snapshot(std::int64_t at_ns, std::span<const assay_reading> readings) override {
    return fold.snapshot(at_ns, readings);
  }
  result<void> end() override {
    if (file) ASSAY_TRY(file->end());
    return fold.end();
  }

  attribution::investigator fold;
  std::vector<assay_record> kept;
  std::optional<trace::trace_writer> file;
};

struct gpu_planted_run {
  std::vector<assay_record> records;
  std::vector<planted_length> plants;
  model::investigation report;
  selftest_test::stamps allocation{};
};

// `kept`: path of a trace to be written, and beside it what was planted; or empty.
result<gpu_planted_run> run_with_gpu_plants(const std::filesystem::path& checkpoint,
                                            const extent& of, const std::string& kept) {
  ASSAY_TRY_ASSIGN(cli::run_options options, cli::default_run_options());
  options.checkpoint = checkpoint;
  options.device = telemetry::device_class::cuda;
  options.arena_bytes = std::uint64_t{1} << 30;
  options.scenario = scenarios::single_prompt("In the beginning",
                                              static_cast<std::uint32_t>(of.decode_steps() + 1));
  options.scenario.stops_at_eos = false;
  keeping_sink sink;
  if (!kept.empty()) {
    ASSAY_TRY_ASSIGN(auto file, trace::trace_writer::open(kept + ".assay"));
    sink.file.emplace(std::move(file));
  }
  selftest::instrument honest;
  gpu_planter planter(plan_of_all_kinds(of));
  const std::array<cli::track, 2> tracks{{{&honest, &sink}, planter.track()}};
  ASSAY_TRY(cli::audited_run(options, tracks, [](std::string_view) {}));
  ASSAY_TRY(planter.outcome());
  if (!kept.empty()) std::ofstream(kept + ".json") << attribution_test::to_json(planter.plants());
  model::audit_report audit;
  audit.is_complete = true;
  return gpu_planted_run{std::move(sink.kept), planter.plants(), sink.fold.finish(std::move(audit)),
                         planter.allocation()};
}

std::string told(const step_account& account) {
  std::string text;
  for (std::size_t place = 0; place < account.size(); ++place)
    text += std::string(text.empty() ? "" : ", ") + attribution_test::name_of_place(place) + " " +
            std::to_string(account[place]);
  return text;
}

// Raw lengths: what a page of evidence needs.
void expect_in_its_part(const planted_length& each, const step_account& more) {
  const step_account wanted = attribution_test::expected_of(each);
  std::printf("%s in step %llu: %lld ns in its part of %lld planted; more: %s\n", each.what.c_str(),
              static_cast<unsigned long long>(each.step), static_cast<long long>(more[each.place]),
              static_cast<long long>(each.length_ns), told(more).c_str());
  EXPECT_LE(attribution_test::largest_miss(more, wanted), 1.0) << "expected: " << told(wanted);
  EXPECT_LE(std::abs(more[each.place] - wanted[each.place]), allowed_ns(each.length_ns));
}

// What was slept is a fifth of its step, and the report has it as one. Slept is a quarter of what
// steps before took, which are not all alike.
void expect_fifths(const gpu_planted_run& run, const std::vector<step_account>& more) {
  std::vector<double> shares;
  for (std::size_t i = 0; i < run.plants.size(); ++i) {
    const planted_length& each = run.plants[i];
    if (each.what != to_string(planted::fifth)) continue;
    const auto wall_ns = static_cast<double>(run.report.steps[each.step].wall_ns);
    const double found = static_cast<double>(more[i][unclaimed_place]) / wall_ns;
    shares.push_back(static_cast<double>(each.length_ns) / wall_ns);
    std::printf("slept %.2f %% of the step of %.0f ns, found %.2f %%\n", 100 * shares.back(),
                wall_ns, 100 * found);
    EXPECT_NEAR(found, shares.back(), 0.01);
  }
  ASSERT_FALSE(shares.empty());
  std::sort(shares.begin(), shares.end());
  EXPECT_NEAR(shares[shares.size() / 2], 0.20, 0.01);
}

void expect_plants_in_their_part(const gpu_planted_run& run, const extent& of) {
  const auto with = attribution_test::accounts_of(run.records);
  const auto without =
      attribution_test::accounts_of(attribution_test::as_if_not_planted(run.records, run.plants));
  ASSERT_EQ(with.size(), of.decode_steps());
  ASSERT_EQ(without.size(), with.size());
  ASSERT_EQ(run.plants.size(), of.plants_a_kind * planted_count);
  std::vector<step_account> more;
  for (const planted_length& each : run.plants) {
    more.push_back(attribution_test::less(with[each.step], without[each.step]));
    expect_in_its_part(each, more.back());
    EXPECT_EQ(attribution_test::painted_account_of(run.records, each.step), with[each.step]);
  }
  if (of.layers > kept_extent.layers) expect_fifths(run, more);
}

// The report names launches by what they are: planted ones have no range, and one block where the
// length is known.
void expect_named_launches(const gpu_planted_run& run) {
  std::int64_t planted_ns = 0;
  std::int64_t spun_ns = 0;
  for (const planted_length& each : run.plants)
    spun_ns += each.kernels_ns + (each.what == to_string(planted::launch) ? each.length_ns : 0);
  for (const model::launch_line& each : run.report.decode.launches)
    if (each.which.range == "no range" && each.which.blocks == 1) planted_ns += each.on_path_ns;
  std::printf("planted kernels: %lld ns of the steps, %lld ns by their own clock\n",
              static_cast<long long>(planted_ns), static_cast<long long>(spun_ns));
  EXPECT_NEAR(static_cast<double>(planted_ns), static_cast<double>(spun_ns),
              static_cast<double>(spun_ns) / 50);
}

// The only call of the prefill that allocates is the one that was planted.
void expect_timed_allocation(const gpu_planted_run& run) {
  const model::pass_memory& memory = run.report.prefill.memory;
  const std::int64_t stamped_ns = run.allocation.length_ns();
  std::printf("planted allocation: %lld ns by its stamps, %lld ns told\n",
              static_cast<long long>(stamped_ns), static_cast<long long>(memory.call_ns));
  EXPECT_EQ(memory.calls, 1U);
  EXPECT_EQ(memory.untimed_calls, 0U);
  EXPECT_LE(std::abs(memory.call_ns - stamped_ns), allowed_ns(stamped_ns));
}

// ASSAY_PLANTED_TRACE=PATH keeps the trace of a small run in PATH.assay and the plants in
// PATH.json.
TEST(Cupti9Planted, lengths_are_in_their_part_and_in_no_other) {
  ASSAY_NEEDS_GPU();
  const char* kept = std::getenv("ASSAY_PLANTED_TRACE");
  const extent of = kept == nullptr ? extent{} : kept_extent;
  const auto checkpoint = write_deep_checkpoint(of.layers);
  ASSERT_TRUE(checkpoint) << checkpoint.error().message;
  const auto run = run_with_gpu_plants(*checkpoint, of, kept == nullptr ? "" : kept);
  std::filesystem::remove_all(*checkpoint);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->report.decode.closure_ns, 0);
  expect_plants_in_their_part(*run, of);
  expect_named_launches(*run);
  expect_timed_allocation(*run);
}

}  // namespace
}  // namespace assay::test
