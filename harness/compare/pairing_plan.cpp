// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/pairing_plan.h"

#include "harness/compare/counter_rng.h"

namespace assay::compare {

std::vector<planned_process> pairing_plan(std::uint64_t seed, compare::stage stage,
                                          const std::vector<std::uint32_t>& subjects,
                                          std::size_t pairs) {
  counter_rng rng(seed, rng_stream::pairing_plan, static_cast<std::uint64_t>(stage));
  const std::size_t blocks = (pairs + pairs_a_block - 1) / pairs_a_block;
  std::vector<planned_process> plan;
  plan.reserve(blocks * subjects.size() * 2 * pairs_a_block);
  for (std::uint32_t block = 0; block < blocks; ++block) {
    std::vector<std::uint32_t> order = subjects;
    rng.shuffle(order);
    for (const std::uint32_t subject : order) {
      const side first = rng.below(2) == 0 ? side::base : side::head;
      const side second = other(first);
      plan.push_back({subject, first, block, 0});
      plan.push_back({subject, second, block, 1});
      plan.push_back({subject, second, block, 2});
      plan.push_back({subject, first, block, 3});
    }
  }
  return plan;
}

}  // namespace assay::compare
