// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the benchmarks of this folder share: events around work on a stream, and a JSON file.
#pragma once

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/device/cuda/cuda_try.h"
#include "runtime/telemetry/result.h"

namespace assay::bench {

using json = nlohmann::ordered_json;

/// Seconds between two events of a stream of its own.
struct timer {
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;

  result<void> open() {
    ASSAY_CUDA_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ASSAY_CUDA_TRY(cudaEventCreate(&begin));
    ASSAY_CUDA_TRY(cudaEventCreate(&end));
    return {};
  }
  result<void> start() const {
    ASSAY_CUDA_TRY(cudaEventRecord(begin, stream));
    return {};
  }
  result<double> stop_s() const {
    ASSAY_CUDA_TRY(cudaEventRecord(end, stream));
    ASSAY_CUDA_TRY(cudaEventSynchronize(end));
    float milliseconds = 0.0F;
    ASSAY_CUDA_TRY(cudaEventElapsedTime(&milliseconds, begin, end));
    return static_cast<double>(milliseconds) * 1e-3;
  }
};

/// Written after each entry: a run that ends early leaves what it measured.
class report {
 public:
  explicit report(std::string path) : path_(std::move(path)) {}
  void add(const char* section, json entry) {
    all_[section].push_back(std::move(entry));
    std::ofstream(path_) << all_.dump(2) << '\n';
  }

 private:
  std::string path_;
  json all_;
};

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace assay::bench
