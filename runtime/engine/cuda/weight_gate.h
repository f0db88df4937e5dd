// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Brings a GPU's operators their weights, by the paging that knows no GPU.
#pragma once

#include <vector>

#include "runtime/engine/resident_model.h"
#include "runtime/engine/submitter.h"
#include "runtime/engine/weight_paging.h"
#include "runtime/graph/decode_step.h"
#include "runtime/graph/operator_gate.h"

namespace assay::engine {

/// Asks the paging for each operator's weights, and writes where they came to into the plans that
/// read them. Ownership: none; all that it is made of outlives it. Threads: one.
class weight_gate final : public graph::operator_gate {
 public:
  weight_gate(weight_paging& paging, submitter& compute, const resident_model& model)
      : paging_(paging), compute_(compute), model_(model) {}

  /// A plan whose addresses follow the weights.
  void follow(graph::decode_weights& plan) { plans_.push_back(&plan); }
  /// Writes every address anew: after the residents have moved.
  void point_all();

  result<bool> before(graph::weight_operator what, std::uint32_t layer) override;
  result<void> after(graph::weight_operator what, std::uint32_t layer) override;

 private:
  bool has(graph::weight_operator what) const;

  weight_paging& paging_;
  submitter& compute_;
  const resident_model& model_;
  std::vector<graph::decode_weights*> plans_;
};

}  // namespace assay::engine
