// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file the closed form of a limit could be wrong together with the runtime that it
// judges: the figures were computed from the files' headers by a script of another language.
#include "scenarios/paging_ledger.h"

#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/engine/memory_plan.h"
#include "runtime/engine/weight_schedule.h"
#include "scenarios/embedded.h"

namespace assay::scenarios {
namespace {

using id = telemetry::counter_id;

constexpr std::int64_t mib = 1 << 20;
constexpr cache_shape cache{256, 16};

model_shape micro_shape() {
  return read_model_shape(embedded_checkpoint()).value();
}

TEST(PagingLedger, divides_a_budget_as_the_script_does) {
  struct row {
    std::int64_t limit, budget, staging, resident, weights, operators;
  };
  for (const row& r : {row{6 * mib, 2'448'384, 2'098'176, 332'800, 21, 16},
                       row{7 * mib, 3'496'960, 1'442'816, 2'003'968, 25, 14},
                       row{8 * mib, 4'545'536, 1'442'816, 3'052'544, 30, 10},
                       row{10 * mib, 6'642'688, 525'312, 6'099'968, 38, 5},
                       row{12 * mib, 8'739'840, 0, 6'951'936, 46, 0}}) {
    const auto p = paging_of(micro_shape(), cache, {r.limit, 0}).value();
    EXPECT_EQ(p.budget_bytes, r.budget);
    EXPECT_EQ(p.staging_bytes, r.staging);
    EXPECT_EQ(p.resident_bytes, r.resident);
    EXPECT_EQ(p.resident_weights, r.weights);
    EXPECT_EQ(p.streamed_operators, r.operators);
    EXPECT_EQ(p.step_bytes, 6'951'936);
    EXPECT_EQ(p.step_weights, 46);
    EXPECT_EQ(p.largest_weight_bytes, mib);
  }
  EXPECT_FALSE(paging_of(micro_shape(), cache, {5 * mib, 0}).has_value());
  EXPECT_EQ(paging_of(micro_shape(), cache, {8 * mib, mib})->budget_bytes, 4'545'536 - mib);
}

// R once, W - R in each pass: 5,999,996,928 and 1,870,919,680 over 8 passes are 20,967,354,368.
TEST(PagingLedger, bytes_over_the_link_are_the_fill_and_the_rest_of_each_pass) {
  paging_shape p;
  p.resident_bytes = 5'999'996'928;
  p.step_bytes = p.resident_bytes + 1'870'919'680;
  EXPECT_EQ(paged_h2d_bytes(p, 8), 20'967'354'368);
}

TEST(PagingLedger, what_a_request_must_show_follows_from_what_stays) {
  const auto p = paging_of(micro_shape(), cache, {8 * mib, 0}).value();
  std::map<id, std::int64_t> of;
  for (const expectation& each : expect_paged_request(micro_shape(), cache, {20, 15}, p))
    EXPECT_TRUE(of.emplace(each.counter, each.value).second) << "expected twice";
  const std::int64_t passes = 16;
  EXPECT_EQ(of[id::paging_h2d_bytes], passes * (6'951'936 - 3'052'544));
  EXPECT_EQ(of[id::paging_page_ins_count], passes * 16);
  EXPECT_EQ(of[id::paging_lookups_count], passes * 46);
  EXPECT_EQ(of[id::paging_hit_bytes], passes * 3'052'544);
  EXPECT_EQ(of[id::embedding_h2d_bytes], 35 * 512);
  EXPECT_EQ(of[id::embedding_h2d_copies_count], passes);
  EXPECT_EQ(std::bit_cast<double>(of[id::paging_byte_hit_ratio]), 3'052'544.0 / 6'951'936.0);
  EXPECT_EQ(std::bit_cast<double>(of[id::paging_count_hit_ratio]), 30.0 / 46.0);
  EXPECT_EQ(of[id::device_events_count], passes * (6 + 5 * 10));
}

// The runtime's planner and the ledger share no line; they must divide every budget alike.
TEST(PagingLedger, agrees_with_the_runtimes_plan_for_every_family_and_limit) {
  for (const char* name :
       {"llama", "llama3", "llama-bf16-sharded", "qwen2", "qwen2-f16", "qwen3"}) {
    const auto folder = std::filesystem::path(ASSAY_FIXTURES) / "tiny" / name;
    const model_shape model = read_model_shape(folder).value();
    const auto opened = checkpoint::checkpoint::open(folder).value();
    for (std::uint64_t limit = 100'000; limit < 2'000'000; limit += 37'500) {
      engine::engine_options options{48, 16};
      options.memory_limit_bytes = limit;
      options.reserved_bytes = 4160;
      const auto plan =
          engine::plan_memory(opened.config(), opened.weights(), options, 1 << 30).value();
      const auto p = paging_of(model, {48, 16}, {static_cast<std::int64_t>(limit), 4160});
      ASSERT_EQ(plan.placed.has_value(), p.has_value()) << name << " " << limit;
      EXPECT_EQ(p.has_value(), limit >= plan.least_limit_bytes) << name << " " << limit;
      if (!p) continue;
      EXPECT_EQ(plan.resident_bytes, static_cast<std::uint64_t>(p->resident_bytes)) << limit;
      EXPECT_EQ(plan.placed->staging_bytes, static_cast<std::uint64_t>(p->staging_bytes)) << limit;
      EXPECT_EQ(plan.budget_bytes, static_cast<std::uint64_t>(p->budget_bytes));
      EXPECT_EQ(plan.total_bytes() - 4160,
                static_cast<std::uint64_t>(paged_arena_of(model, {48, 16}, *p).total_bytes()));
    }
  }
}

// Where the runtime puts each weight: those that stay behind each other, those that come with their
// operator behind each other. The ledger has no addresses.
std::int64_t products_by_addresses(const engine::weight_schedule& schedule,
                                   const memory::placement& at) {
  const auto placed = schedule.placed_bytes();
  constexpr std::uint64_t area = std::uint64_t{1} << 40;
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> where;  // address, end
  std::uint64_t resident = 0;
  for (const auto& weights : schedule.operators) {
    std::uint64_t staged = area;
    for (const std::uint32_t w : weights) {
      std::uint64_t& address = at.is_resident[w] ? resident : staged;
      where[schedule.weights[w].name] = {address, address + schedule.weights[w].content.size()};
      address += placed[w];
    }
  }
  std::int64_t products = 0;
  for (const auto& [name, lies] : where) {
    const std::size_t dot = name.find("self_attn.q_proj.weight");
    if (dot == name.npos) continue;
    const std::string layer = name.substr(0, dot);
    const auto is_next = [&](const char* one, const char* other) {
      return where.at(layer + one).second == where.at(layer + other).first;
    };
    const bool is_v_next = is_next("self_attn.k_proj.weight", "self_attn.v_proj.weight");
    const bool is_k_next = is_next("self_attn.q_proj.weight", "self_attn.k_proj.weight");
    products += !is_v_next ? 3 : is_k_next ? 1 : 2;
    products += is_next("mlp.gate_proj.weight", "mlp.up_proj.weight") ? 1 : 2;
  }
  return products;
}

TEST(PagingLedger, knows_which_matrices_lie_behind_each_other) {
  std::set<std::int64_t> seen;
  for (const char* name : {"llama", "qwen2", "qwen3"}) {
    const auto folder = std::filesystem::path(ASSAY_FIXTURES) / "tiny" / name;
    const model_shape model = read_model_shape(folder).value();
    const auto opened = checkpoint::checkpoint::open(folder).value();
    const auto schedule = engine::schedule_of(opened.config(), opened.weights()).value();
    for (std::uint64_t budget = 40'000; budget < 2'000'000; budget += 4'100) {
      const auto at = memory::place(schedule.operators, schedule.placed_bytes(), budget);
      const auto p = paging_within(model, static_cast<std::int64_t>(budget));
      ASSERT_EQ(at.has_value(), p.has_value()) << name << " " << budget;
      if (!at) continue;
      EXPECT_EQ(p->input_products, products_by_addresses(schedule, *at)) << name << " " << budget;
      seen.insert(p->input_products);
    }
  }
  EXPECT_GT(seen.size(), 2U) << "no budget parted any";
}

}  // namespace
}  // namespace assay::scenarios
