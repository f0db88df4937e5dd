// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/safetensors.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "runtime/checkpoint/complaint.h"
#include "runtime/checkpoint/regular_file.h"

namespace assay::checkpoint {
namespace {

using std::filesystem::path;

constexpr std::uint64_t length_bytes = 8;
constexpr std::uint64_t header_limit_bytes = 100'000'000;  // as the reference implementation

result<std::span<const std::byte>> map_whole(const path& file) {
  ASSAY_TRY_ASSIGN(const regular_file opened, regular_file::open(file));
  if (opened.file_bytes() <= length_bytes)
    return ASSAY_FAIL(unusable_input, complaint(file, "header length",
                                                fmt::format("the file has {} bytes and no header",
                                                            opened.file_bytes()),
                                                "fetch the file again"));
  void* const address =
      ::mmap(nullptr, opened.file_bytes(), PROT_READ, MAP_PRIVATE, opened.descriptor(), 0);
  if (address == MAP_FAILED)
    return ASSAY_FAIL(
        io, complaint(file, "", fmt::format("cannot be mapped ({})", std::strerror(errno)),
                      "free address space, or use a local file system"));
  return std::span{static_cast<const std::byte*>(address), opened.file_bytes()};
}

std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < length_bytes; ++i)
    value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  return value;
}

result<std::string_view> header_of(std::span<const std::byte> mapping, const path& file) {
  const std::uint64_t header_bytes = little_endian(mapping);
  const std::uint64_t most = std::min(header_limit_bytes, mapping.size() - length_bytes);
  if (header_bytes > most)
    return ASSAY_FAIL(unusable_input,
                      complaint(file, "header length",
                                fmt::format("is {} bytes, and {} is the most that this file of {} "
                                            "bytes can have",
                                            header_bytes, most, mapping.size()),
                                "fetch the file again"));
  return std::string_view{reinterpret_cast<const char*>(mapping.data() + length_bytes),
                          header_bytes};
}

}  // namespace

result<safetensors_file> safetensors_file::open(const path& file) {
  safetensors_file opened;
  ASSAY_TRY_ASSIGN(opened.mapping_, map_whole(file));
  ASSAY_TRY_ASSIGN(const std::string_view header, header_of(opened.mapping_, file));
  const auto payload = opened.mapping_.subspan(length_bytes + header.size());
  ASSAY_TRY_ASSIGN(std::vector<header_entry> entries, parse_header(header, payload.size(), file));
  opened.tensors_.reserve(entries.size());
  for (header_entry& entry : entries) {
    const auto bytes = payload.subspan(entry.begin, entry.end - entry.begin);
    opened.tensors_.push_back({std::move(entry.name), entry.type, std::move(entry.shape), bytes});
  }
  std::sort(opened.tensors_.begin(), opened.tensors_.end(),
            [](const tensor_view& a, const tensor_view& b) { return a.name < b.name; });
  return opened;
}

safetensors_file::safetensors_file(safetensors_file&& other) noexcept
    : mapping_(std::exchange(other.mapping_, {})), tensors_(std::move(other.tensors_)) {}

safetensors_file& safetensors_file::operator=(safetensors_file&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(tensors_, other.tensors_);
  return *this;
}

safetensors_file::~safetensors_file() {
  if (!mapping_.empty()) ::munmap(const_cast<std::byte*>(mapping_.data()), mapping_.size());
}

const tensor_view* safetensors_file::find(std::string_view name) const {
  const auto found = std::lower_bound(
      tensors_.begin(), tensors_.end(), name,
      [](const tensor_view& tensor, std::string_view wanted) { return tensor.name < wanted; });
  return found != tensors_.end() && found->name == name ? &*found : nullptr;
}

std::uint64_t safetensors_file::tensor_bytes() const {
  std::uint64_t total_bytes = 0;
  for (const tensor_view& tensor : tensors_) total_bytes += tensor.bytes.size();
  return total_bytes;
}

}  // namespace assay::checkpoint
