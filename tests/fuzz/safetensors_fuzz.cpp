// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as a safetensors file, and as a header beside a payload of any length: both readers
// must answer with tensors that cover the payload exactly, or with one line.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/checkpoint/safetensors.h"
#include "runtime/checkpoint/weight_scan.h"
#include "runtime/telemetry/check.h"
#include "tests/fuzz/check_error.h"

namespace {

using assay::checkpoint::first_non_finite;
using assay::checkpoint::parse_header;
using assay::checkpoint::safetensors_file;

// The first 8 bytes are the payload's length here, so that headers of files far larger than any
// input are reached too.
void try_header(std::string_view input) {
  std::uint64_t payload_bytes = 0;
  for (std::size_t i = 0; i < 8; ++i)
    payload_bytes |= std::uint64_t{static_cast<std::uint8_t>(input[i])} << (8 * i);
  const auto entries = parse_header(input.substr(8), payload_bytes, "model.safetensors");
  if (!entries) return assay::fuzz::check_error(entries.error(), "model.safetensors: ");
  std::uint64_t next = 0;
  for (const auto& entry : *entries) {
    ASSAY_CHECK(entry.begin == next && entry.end >= entry.begin, "spans do not follow each other");
    next = entry.end;
  }
  ASSAY_CHECK(next == payload_bytes, "spans do not cover the payload");
}

void check_tensors(const safetensors_file& opened, std::string_view input) {
  ASSAY_CHECK(opened.file_bytes() == input.size(), "the file has another size than its input");
  std::uint64_t header_bytes = 0;
  for (std::size_t i = 0; i < 8; ++i)
    header_bytes |= std::uint64_t{static_cast<std::uint8_t>(input[i])} << (8 * i);
  ASSAY_CHECK(opened.tensor_bytes() == input.size() - 8 - header_bytes,
              "tensors do not cover the payload");
  for (const auto& tensor : opened.tensors()) {
    ASSAY_CHECK(opened.find(tensor.name) == &tensor, "a tensor is not found by its name");
    const auto found = first_non_finite(tensor.bytes, tensor.type);
    ASSAY_CHECK(!found || *found < tensor.bytes.size() / bytes_of(tensor.type),
                "an element outside of its tensor");
  }
}

void try_file(std::string_view input) {
  const int descriptor = ::memfd_create("input", MFD_CLOEXEC);
  ASSAY_CHECK(descriptor >= 0, "no memory file");
  ASSAY_CHECK(::write(descriptor, input.data(), input.size()) == static_cast<ssize_t>(input.size()),
              "a short write to memory");
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  const auto opened = safetensors_file::open(path);
  if (opened)
    check_tensors(*opened, input);
  else
    assay::fuzz::check_error(opened.error(), path + ": ");
  ::close(descriptor);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  try_file(input);
  if (input.size() >= 8) try_header(input);
  return 0;
}
