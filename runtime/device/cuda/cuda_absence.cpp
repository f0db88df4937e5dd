// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda/cuda_absence.h"

#include <string>

#include "runtime/device/cuda/cuda_try.h"

namespace assay::device {
namespace {

std::string version_words(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

error absent(std::string sentence) {
  return {error_kind::unavailable, std::move(sentence), __FILE__, __LINE__};
}

}  // namespace

std::optional<error> cuda_absence(const cuda_look& seen) {
  if (seen.code == cudaSuccess && seen.count > 0) return std::nullopt;
  if (seen.driver_version == 0)
    return absent(
        "no GPU can be used: no NVIDIA driver is loaded; install driver 580 or later, or use "
        "--device host");
  // A driver of the same major version runs the runtime's later minor ones.
  if (seen.driver_version / 1000 < seen.runtime_version / 1000)
    return absent("no GPU can be used: the NVIDIA driver goes up to CUDA " +
                  version_words(seen.driver_version) + ", and this program was built with " +
                  version_words(seen.runtime_version) +
                  "; install driver 580 or later, or use --device host");
  if (seen.code == cudaSuccess || seen.code == cudaErrorNoDevice)
    return absent(
        "the NVIDIA driver shows this process no GPU; look at CUDA_VISIBLE_DEVICES, or use "
        "--device host");
  return cuda_error(seen.code, "looking for a GPU", __FILE__, __LINE__);
}

}  // namespace assay::device
