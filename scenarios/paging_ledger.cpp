// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "scenarios/paging_ledger.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string>

#include "runtime/telemetry/check.h"

namespace assay::scenarios {
namespace {

using id = telemetry::counter_id;

constexpr std::int64_t grant_bytes = 64;
constexpr const char* embedding_name = "model.embed_tokens.weight";
// While one operator's weights are read, another's arrive.
constexpr std::int64_t operators_in_staging = 2;
// Two around an operator's copies, two around the wait for them, one behind the operator.
constexpr std::int64_t events_per_streamed_operator = 5;
constexpr std::int64_t events_of_fill = 2;

std::int64_t placed(std::int64_t bytes) {
  return (bytes + grant_bytes - 1) / grant_bytes * grant_bytes;
}

struct sized_weight {
  std::int64_t bytes = 0;
  int rank = 0;  ///< in its operator
  bool is_kept = false;
};

// Weights by the operator that reads them, in the order of a step.
using step_weights = std::vector<std::vector<sized_weight>>;

// To which operator of its layer a weight belongs.
int operator_of(const std::string& part) {
  if (part.starts_with("self_attn.q_norm") || part.starts_with("self_attn.k_norm")) return 1;
  if (part.starts_with("self_attn.o_proj")) return 2;
  if (part.starts_with("mlp.down_proj")) return 4;
  if (part.starts_with("mlp.") || part.starts_with("post_attention_layernorm")) return 3;
  return 0;
}

// The order in which one operator's weights fill the budget.
int rank_of(const std::string& part) {
  static const std::vector<std::string> order{"input_layernorm.weight",
                                              "self_attn.q_proj.weight",
                                              "self_attn.k_proj.weight",
                                              "self_attn.v_proj.weight",
                                              "self_attn.q_proj.bias",
                                              "self_attn.k_proj.bias",
                                              "self_attn.v_proj.bias",
                                              "self_attn.q_norm.weight",
                                              "self_attn.k_norm.weight",
                                              "self_attn.o_proj.weight",
                                              "post_attention_layernorm.weight",
                                              "mlp.gate_proj.weight",
                                              "mlp.up_proj.weight",
                                              "mlp.down_proj.weight"};
  const auto found = std::find(order.begin(), order.end(), part);
  ASSAY_CHECK(found != order.end(), "a weight that no operator of the ledger reads");
  return static_cast<int>(found - order.begin());
}

step_weights weights_by_operator(const model_shape& m) {
  using place_in_step = std::pair<std::pair<std::int64_t, int>, int>;  // layer, operator; rank
  std::map<place_in_step, std::int64_t> sorted;
  for (const weight_entry& weight : weights_of(m)) {
    const std::int64_t bytes = weight.elements * m.width_bytes_of_tensor.at(weight.name);
    const std::string layers = "model.layers.";
    if (weight.name.starts_with(layers)) {
      const std::size_t dot = weight.name.find('.', layers.size());
      const std::int64_t layer = std::stoll(weight.name.substr(layers.size(), dot));
      const std::string part = weight.name.substr(dot + 1);
      sorted[{{layer, operator_of(part)}, rank_of(part)}] = bytes;
    } else if (weight.name == "model.norm.weight") {
      sorted[{{m.layers, 0}, 0}] = bytes;
    } else if (weight.name != embedding_name || m.is_head_tied) {
      sorted[{{m.layers, 0}, 1}] = bytes;
    }
  }
  std::map<std::pair<std::int64_t, int>, std::vector<sized_weight>> grouped;
  for (const auto& [where, bytes] : sorted) grouped[where.first].push_back({bytes, where.second});
  step_weights all;
  for (auto& [where, weights] : grouped) all.push_back(std::move(weights));
  return all;
}

std::int64_t placed_size(const std::vector<sized_weight>& weights) {
  std::int64_t bytes = 0;
  for (const sized_weight& each : weights) bytes += placed(each.bytes);
  return bytes;
}

// One way to divide the budget: operators larger than `largest_streamed` stay whole. Returns what
// is kept, or -1 where the budget does not hold that.
std::int64_t keep(step_weights& all, std::int64_t largest_streamed, std::int64_t budget_bytes) {
  std::int64_t room = budget_bytes - operators_in_staging * largest_streamed;
  std::int64_t kept = 0;
  for (auto& weights : all) {
    const bool is_whole = placed_size(weights) > largest_streamed;
    for (sized_weight& each : weights) each.is_kept = is_whole;
    if (is_whole) kept += placed_size(weights);
  }
  room -= kept;
  if (room < 0) return -1;
  for (auto& weights : all)
    for (sized_weight& each : weights) {
      if (each.is_kept || placed(each.bytes) > room) continue;
      each.is_kept = true;
      room -= placed(each.bytes);
      kept += placed(each.bytes);
    }
  return kept;
}

// A matrix lies right behind another where both stay, or both come, and the first fills its grant.
std::int64_t products_of(const std::vector<sized_weight>& weights) {
  static const std::set<int> matrices{
      rank_of("self_attn.q_proj.weight"), rank_of("self_attn.k_proj.weight"),
      rank_of("self_attn.v_proj.weight"), rank_of("mlp.gate_proj.weight"),
      rank_of("mlp.up_proj.weight")};
  std::vector<sized_weight> of;
  for (const sized_weight& each : weights)
    if (matrices.count(each.rank) > 0) of.push_back(each);
  const auto is_next = [&](std::size_t i) {
    return of[i].is_kept == of[i + 1].is_kept && placed(of[i].bytes) == of[i].bytes;
  };
  if (of.size() == 2) return is_next(0) ? 1 : 2;
  if (of.size() != 3) return 0;
  if (!is_next(1)) return 3;
  return is_next(0) ? 1 : 2;
}

void add_head(paging_shape& shape, const std::vector<sized_weight>& weights) {
  for (const sized_weight& each : weights) {
    shape.head_bytes += each.bytes;
    ++shape.head_weights;
    if (each.is_kept) continue;
    shape.head_streamed_bytes += each.bytes;
    ++shape.head_streamed_weights;
  }
}

paging_shape shape_of(const step_weights& all, std::int64_t budget_bytes, std::int64_t staging) {
  paging_shape shape;
  shape.budget_bytes = budget_bytes;
  shape.staging_bytes = staging;
  for (const auto& weights : all) {
    bool is_streamed = false;
    for (const sized_weight& each : weights) {
      shape.step_bytes += each.bytes;
      ++shape.step_weights;
      shape.largest_weight_bytes = std::max(shape.largest_weight_bytes, each.bytes);
      is_streamed = is_streamed || !each.is_kept;
      if (!each.is_kept) continue;
      shape.resident_bytes += each.bytes;
      shape.resident_placed_bytes += placed(each.bytes);
      ++shape.resident_weights;
    }
    if (is_streamed) ++shape.streamed_operators;
    shape.input_products += products_of(weights);
  }
  add_head(shape, all.back());
  return shape;
}

std::int64_t ratio_bits(std::int64_t part, std::int64_t whole) {
  return std::bit_cast<std::int64_t>(static_cast<double>(part) / static_cast<double>(whole));
}

// Those of a load without a limit, but for what the limit changes.
void replace(std::vector<expectation>& in, id counter, std::int64_t value) {
  for (expectation& each : in)
    if (each.counter == counter) each.value = value;
}

void add_to(std::vector<expectation>& in, id counter, std::int64_t more) {
  for (expectation& each : in)
    if (each.counter == counter) each.value += more;
}

std::int64_t arena_buffers(const paging_shape& p) {
  return 2 + (p.resident_bytes > 0 ? 1 : 0) + (p.staging_bytes > 0 ? 1 : 0);
}

}  // namespace

std::optional<paging_shape> paging_of(const model_shape& m, const cache_shape& cache,
                                      const limit_shape& limit) {
  const arena_shape arena = arena_of(m, cache);
  return paging_within(
      m, limit.limit_bytes - limit.reserved_bytes - arena.kv_bytes - arena.activations_bytes);
}

std::optional<paging_shape> paging_within(const model_shape& m, std::int64_t budget) {
  step_weights all = weights_by_operator(m);
  std::int64_t whole = 0;
  std::set<std::int64_t, std::greater<>> sizes;
  for (const auto& weights : all) {
    whole += placed_size(weights);
    sizes.insert(placed_size(weights));
  }
  if (whole <= budget) {
    for (auto& weights : all)
      for (sized_weight& each : weights) each.is_kept = true;
    return shape_of(all, budget, 0);
  }
  std::int64_t most = -1;
  std::optional<paging_shape> best;
  for (const std::int64_t largest_streamed : sizes) {
    const std::int64_t kept = keep(all, largest_streamed, budget);
    if (kept <= most) continue;
    most = kept;
    best = shape_of(all, budget, operators_in_staging * largest_streamed);
  }
  return best;
}

arena_shape paged_arena_of(const model_shape& m, const cache_shape& cache, const paging_shape& p) {
  arena_shape arena = arena_of(m, cache);
  arena.weights_bytes = p.resident_placed_bytes + p.staging_bytes;
  return arena;
}

std::vector<expectation> expect_paged_load(const model_shape& m, const cache_shape& cache,
                                           const paging_shape& p) {
  std::vector<expectation> all = expect_load(m, cache);
  const std::int64_t arena_bytes = paged_arena_of(m, cache, p).total_bytes();
  const bool has_fill = p.resident_bytes > 0;
  replace(all, id::checkpoint_loaded_tensors_count, p.resident_weights);
  replace(all, id::weights_h2d_bytes, p.resident_bytes);
  replace(all, id::weights_h2d_copies_count, p.resident_weights);
  replace(all, id::arena_live_bytes, arena_bytes);
  replace(all, id::arena_peak_bytes, arena_bytes);
  replace(all, id::arena_allocations_count, arena_buffers(p));
  replace(all, id::device_submissions_count, p.resident_weights + (has_fill ? events_of_fill : 0));
  replace(all, id::device_events_count, has_fill ? events_of_fill : 0);
  replace(all, id::device_syncs_count, has_fill ? 1 : 0);
  add_placement(all, p);
  return all;
}

std::vector<expectation> expect_paged_request(const model_shape& m, const cache_shape& cache,
                                              const request_shape& r, const paging_shape& p) {
  std::vector<expectation> all = expect_request(m, cache, r);
  const std::int64_t passes = 1 + r.decode_steps;
  // Of a prompt that began as a kept one did, rows are gathered for the rest alone.
  const std::int64_t tokens = r.prompt_tokens - r.reused_tokens + r.decode_steps;
  const std::int64_t row_bytes = m.hidden * m.width_bytes_of_tensor.at(embedding_name);
  const paging_traffic traffic{passes * p.step_weights, passes * p.step_bytes,
                               passes * p.streamed_weights(), passes * p.streamed_bytes(),
                               passes * p.streamed_operators};
  add_to(all, id::device_submissions_count, passes + traffic.page_ins_count + traffic.events());
  add_to(all, id::device_events_count, traffic.events());
  replace(all, id::embedding_h2d_copies_count, passes);
  replace(all, id::embedding_h2d_bytes, tokens * row_bytes);
  std::erase_if(all, [](const expectation& each) {
    return each.counter == id::paging_page_ins_count || each.counter == id::paging_h2d_bytes;
  });
  add_traffic(all, p, traffic);
  return all;
}

std::vector<expectation> expect_paged_unload(const paging_shape& p) {
  std::vector<expectation> all = expect_unload();
  replace(all, id::arena_frees_count, arena_buffers(p));
  return all;
}

std::int64_t paging_traffic::events() const {
  return events_per_streamed_operator * streamed_operators;
}

void add_placement(std::vector<expectation>& to, const paging_shape& p) {
  for (const expectation& each : {expectation{id::paging_budget_bytes, p.budget_bytes},
                                  {id::paging_staging_bytes, p.staging_bytes},
                                  {id::paging_resident_bytes, p.resident_bytes},
                                  {id::paging_resident_count, p.resident_weights},
                                  {id::paging_admitted_bytes, p.resident_bytes},
                                  {id::paging_admitted_count, p.resident_weights},
                                  {id::paging_evicted_bytes, 0},
                                  {id::paging_evictions_count, 0}})
    to.push_back(each);
}

void add_traffic(std::vector<expectation>& to, const paging_shape& p, const paging_traffic& t) {
  const std::int64_t hits = t.lookups_count - t.page_ins_count;
  const std::int64_t hit_bytes = t.lookup_bytes - t.page_in_bytes;
  for (const expectation& each :
       {expectation{id::paging_lookups_count, t.lookups_count},
        {id::paging_lookup_bytes, t.lookup_bytes},
        {id::paging_hits_count, hits},
        {id::paging_hit_bytes, hit_bytes},
        {id::paging_count_hit_ratio, ratio_bits(hits, t.lookups_count)},
        {id::paging_byte_hit_ratio, ratio_bits(hit_bytes, t.lookup_bytes)},
        {id::paging_page_ins_count, t.page_ins_count},
        {id::paging_h2d_bytes, t.page_in_bytes},
        {id::paging_staged_bytes, t.page_in_bytes},
        {id::paging_prefetch_waste_bytes, 0},
        {id::paging_evicted_bytes, 0},
        {id::paging_evictions_count, 0},
        {id::paging_resident_bytes, p.resident_bytes},
        {id::paging_resident_count, p.resident_weights}})
    to.push_back(each);
}

std::int64_t paged_h2d_bytes(const paging_shape& p, std::int64_t passes) {
  return p.resident_bytes + passes * p.streamed_bytes();
}

}  // namespace assay::scenarios
