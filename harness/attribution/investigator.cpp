// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/investigator.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "harness/attribution/bandwidth.h"
#include "harness/attribution/blind_spots.h"
#include "harness/attribution/latency.h"
#include "harness/attribution/roofline.h"
#include "probes/trace/bounded.h"
#include "probes/trace/contract_json.h"

namespace assay::attribution {
namespace {

using trace::sum;

// Most time first; the order of the trace where two took the same.
void sort_launches(model::pass_total& total) {
  auto& lines = total.launches;
  lines.erase(std::remove_if(lines.begin(), lines.end(),
                             [](const model::launch_line& each) { return each.launches == 0; }),
              lines.end());
  std::stable_sort(lines.begin(), lines.end(),
                   [](const model::launch_line& a, const model::launch_line& b) {
                     return a.on_path_ns > b.on_path_ns;
                   });
}

// A decode step gives one token; its time is the gap since the token before, the caller's own time
// between two steps included.
model::quantity tokens_per_s(const std::vector<std::int64_t>& gaps) {
  model::quantity out;
  const std::int64_t took_ns = std::accumulate(gaps.begin(), gaps.end(), std::int64_t{0},
                                               [](auto a, auto b) { return sum(a, b); });
  if (took_ns <= 0) {
    out.absence = "the trace holds no two tokens of one request";
    return out;
  }
  out.is_present = out.is_real = true;
  out.real = static_cast<double>(gaps.size()) * 1e9 / static_cast<double>(took_ns);
  return out;
}

}  // namespace

result<void> investigator::contract(std::string_view json) {
  ASSAY_TRY_ASSIGN(contract_, trace::parse_contract(json));
  levels_.watch(contract_);
  deviations_.watch(contract_);
  return {};
}

result<void> investigator::facts(std::string_view json) {
  ASSAY_TRY_ASSIGN(trace::run_facts stated, trace::parse_facts(json));
  if (!stated.step_plan.empty()) passes_.plan(std::move(stated.step_plan));
  if (!stated.requests.empty()) passes_.plan(std::move(stated.requests));
  if (stated.cache_bytes > 0) cache_bytes_ = stated.cache_bytes;
  trace::run_facts ceilings;
  ceilings.arithmetic = std::move(stated.arithmetic);
  trace::merge(ceilings_, std::move(ceilings));
  conditions_.take_absent(stated.absent_conditions);
  return {};
}

result<void> investigator::records(std::span<const assay_record> records) {
  for (const assay_record& record : records) take(record);
  return {};
}

void investigator::take(const assay_record& record) {
  switch (record.kind) {
    case ASSAY_THREAD:
      // What was recorded before the reading belongs before it.
      passes_.flush();
      passes_.take(record);
      return threads_.take(record);
    case ASSAY_LINK_SAMPLE:
      return links_.take(record);
    case ASSAY_CONDITION:
      return conditions_.take(record, passes_.is_in_pass());
    case ASSAY_SUBMISSION:
      threads_.take(record);
      return passes_.take(record);
    case ASSAY_OBSERVATION:
      return deviations_.take_observation(record);
    case ASSAY_WINDOW_BEGIN:
    case ASSAY_WINDOW_END:
      // First the passes: they join what the window that ends holds.
      passes_.take(record);
      return deviations_.take_window(record);
    default:
      return passes_.take(record);
  }
}

model::investigation investigator::finish(model::audit_report audit) {
  passes_.finish();
  model::investigation out;
  out.audit = std::move(audit);
  out.decode = passes_.decode();
  out.prefill = passes_.prefill();
  sort_launches(out.decode);
  sort_launches(out.prefill);
  out.launch_classes = passes_.launch_classes();
  out.steps = passes_.steps();
  out.latencies.push_back(
      latency_of("TTFT", passes_.first_token_ns(), "the trace holds no prefill within a request"));
  out.latencies.push_back(
      latency_of("ITL", passes_.inter_token_ns(), "the trace holds no two tokens of one request"));
  out.planned_launches = passes_.planned_launches();
  out.cache_bytes = cache_bytes_;
  out.tokens_per_s = tokens_per_s(passes_.inter_token_ns());
  out.threads = threads_.lines();
  out.links = links_.lines();
  out.levels = levels_.lines();
  out.flows = deviations_.flows();
  out.deviations = deviations_.deviations();
  out.bandwidths = bandwidths_of(passes_.copies(), passes_.reads(), contract_, out.audit);
  out.roof = roofline_of(out, ceilings_.arithmetic, passes_.prefills());
  out.conditions = conditions_.lines();
  out.blind_spots = blind_spots_of(out, passes_, threads_.broken());
  return out;
}

}  // namespace assay::attribution
