// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/running_engine.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/memory/arena.h"

namespace assay::engine_test {

running_engine::running_engine(const std::filesystem::path& folder, engine::engine_options options)
    : device_(expect(device::host_device::create({}))),
      engine_(expect(engine::engine::load(folder, *device_, counters_, options))) {}

running_engine::running_engine(const std::filesystem::path& folder,
                               const std::function<void(engine::resident_model&)>& alter)
    : device_(expect(device::host_device::create({}))) {
  const auto opened = expect(checkpoint::checkpoint::open(folder));
  auto arena = memory::arena::create(*device_, counters_);
  auto model =
      expect(engine::resident_model::upload(opened, std::move(arena), *device_, counters_));
  alter(model);
  engine_ = expect(engine::engine::start(std::move(model), *device_, counters_, {}));
}

std::vector<std::int32_t> running_engine::generate(std::span<const std::int32_t> prompt,
                                                   const engine::request_options& options) {
  expect(engine_->begin_request(prompt, options));
  std::vector<std::int32_t> tokens;
  engine::step_result step = expect(engine_->prefill());
  tokens.push_back(step.token);
  while (step.stopped == engine::stop_reason::none) {
    step = expect(engine_->decode_step());
    tokens.push_back(step.token);
  }
  expect(engine_->end_request());
  return tokens;
}

double relative_difference(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) throw std::runtime_error("shapes differ");
  double peak = 0.0;
  double difference = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i])) return INFINITY;
    peak = std::max(peak, std::fabs(static_cast<double>(b[i])));
    difference = std::max(difference, std::fabs(static_cast<double>(a[i]) - b[i]));
  }
  return difference / peak;
}

}  // namespace assay::engine_test
