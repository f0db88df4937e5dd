// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/tensors.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace assay::test {

double rounded(element type, double value) {
  const auto single = static_cast<float>(value);
  switch (type) {
    case element::bf16:
      return __bfloat162float(__float2bfloat16_rn(single));
    case element::f16:
      return __half2float(__float2half_rn(single));
    case element::f32:
      return single;
  }
  return value;
}

std::vector<std::byte> packed(element type, const std::vector<double>& values) {
  const std::size_t width = ops::cuda::bytes_of(type);
  std::vector<std::byte> bytes(values.size() * width);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto single = static_cast<float>(values[i]);
    const __nv_bfloat16 brain = __float2bfloat16_rn(single);
    const __half half = __float2half_rn(single);
    const void* from = type == element::bf16  ? static_cast<const void*>(&brain)
                       : type == element::f16 ? static_cast<const void*>(&half)
                                              : &single;
    std::memcpy(bytes.data() + i * width, from, width);
  }
  return bytes;
}

std::vector<double> unpacked(element type, const std::vector<std::byte>& bytes) {
  const std::size_t width = ops::cuda::bytes_of(type);
  std::vector<double> values(bytes.size() / width);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::byte* at = bytes.data() + i * width;
    __nv_bfloat16 brain;
    __half half;
    float single = 0.0F;
    if (type == element::bf16) {
      std::memcpy(&brain, at, width);
      single = __bfloat162float(brain);
    } else if (type == element::f16) {
      std::memcpy(&half, at, width);
      single = __half2float(half);
    } else {
      std::memcpy(&single, at, width);
    }
    values[i] = single;
  }
  return values;
}

tensor random_tensor(element type, std::size_t count, double low, double high,
                     std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(low, high);
  std::vector<double> values(count);
  for (double& value : values) value = rounded(type, uniform(random));
  return {type, std::move(values)};
}

std::vector<float> random_floats(std::size_t count, double scale, std::mt19937_64& random) {
  std::normal_distribution<float> normal(0.0F, static_cast<float>(scale));
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

double relative_error(const std::vector<float>& got, const std::vector<double>& wanted) {
  if (got.size() != wanted.size()) return std::numeric_limits<double>::infinity();
  double difference = 0.0;
  double norm = 0.0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double delta = static_cast<double>(got[i]) - wanted[i];
    difference += delta * delta;
    norm += wanted[i] * wanted[i];
  }
  const double error = std::sqrt(difference / norm);
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

}  // namespace assay::test
