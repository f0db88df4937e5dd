// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Random tensors that a GPU and a reference in double see alike.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "runtime/ops/cuda/decode_kernels.h"

namespace assay::test {

using ops::cuda::element;

/// Device memory of a test; throws, which fails the test, where CUDA refuses.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t count) : device_array(count, no_fill{}) {
    // What nobody writes must not look like an answer.
    check(cudaMemset(data_, 0xff, bytes()));
  }
  explicit device_array(const std::vector<T>& from) : device_array(from.size()) { set(from); }
  /// As it comes: initcheck tells of whoever reads of it what nobody wrote.
  static device_array unwritten(std::size_t count) { return {count, no_fill{}}; }
  ~device_array() { (void)cudaFree(data_); }
  device_array(device_array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(other.count_) {}
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return count_; }
  void set(const std::vector<T>& from) {
    check(cudaMemcpy(data_, from.data(), bytes(), cudaMemcpyHostToDevice));
  }
  std::vector<T> host() const {
    std::vector<T> copy(count_);
    check(cudaMemcpy(copy.data(), data_, bytes(), cudaMemcpyDeviceToHost));
    return copy;
  }

 private:
  struct no_fill {};
  device_array(std::size_t count, no_fill) : count_(count) {
    check(cudaMalloc(reinterpret_cast<void**>(&data_), bytes()));
  }
  std::size_t bytes() const { return count_ * sizeof(T); }
  static void check(cudaError_t code) {
    if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
  }

  T* data_ = nullptr;
  std::size_t count_;
};

/// One value as `type` keeps it.
double rounded(element type, double value);
/// The bytes of `values`, each of which `type` can hold.
std::vector<std::byte> packed(element type, const std::vector<double>& values);
std::vector<double> unpacked(element type, const std::vector<std::byte>& bytes);

/// Values that `type` can hold, on both sides.
struct tensor {
  std::vector<double> values;
  device_array<std::byte> device;

  tensor(element type, std::vector<double> from)
      : values(std::move(from)), device(packed(type, values)) {}
};

/// Uniform in [low, high), rounded to `type`.
tensor random_tensor(element type, std::size_t count, double low, double high,
                     std::mt19937_64& random);
std::vector<float> random_floats(std::size_t count, double scale, std::mt19937_64& random);

/// ‖got - wanted‖ / ‖wanted‖; infinite where one is not a number.
double relative_error(const std::vector<float>& got, const std::vector<double>& wanted);

}  // namespace assay::test
