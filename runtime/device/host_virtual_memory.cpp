// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/host_virtual_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace assay::device {
namespace {

error refused(error_kind kind, const char* call, std::uint64_t bytes, const char* remedy) {
  return {kind,
          std::string("virtual memory of the host: ") + call + " of " + std::to_string(bytes) +
              " bytes: " + std::strerror(errno) + "; " + remedy,
          __FILE__, __LINE__};
}

constexpr int reserved = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

}  // namespace

result<std::shared_ptr<virtual_memory>> host_virtual_memory::create(std::uint64_t limit_bytes) {
  const int file = memfd_create("assay-pages", MFD_CLOEXEC);
  if (file < 0)
    return failure(refused(error_kind::unavailable, "memfd_create", 0, "use a kernel with memfd"));
  const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return std::shared_ptr<virtual_memory>(new host_virtual_memory(file, page_bytes, limit_bytes));
}

host_virtual_memory::~host_virtual_memory() {
  close(file_);
}

result<std::byte*> host_virtual_memory::reserve(std::uint64_t bytes) {
  void* const at = mmap(nullptr, bytes, PROT_NONE, reserved, -1, 0);
  if (at == MAP_FAILED)
    return failure(refused(error_kind::out_of_memory, "mmap", bytes, "ask for a shorter range"));
  return static_cast<std::byte*>(at);
}

void host_virtual_memory::give_back(std::byte* at, std::uint64_t bytes) noexcept {
  munmap(at, bytes);
}

result<void> host_virtual_memory::map(std::byte* at, const physical_page& what) {
  const auto offset = static_cast<off_t>(what.handle() * page_bytes());
  if (mmap(at, page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_, offset) ==
      MAP_FAILED)
    return failure(
        refused(error_kind::out_of_memory, "mmap", page_bytes(), "unmap a page, or map fewer"));
  return {};
}

result<void> host_virtual_memory::unmap(std::byte* at) {
  // Not munmap: the addresses stay reserved, and nobody else may get them.
  if (mmap(at, page_bytes(), PROT_NONE, reserved | MAP_FIXED, -1, 0) == MAP_FAILED)
    return failure(refused(error_kind::out_of_memory, "mmap", page_bytes(), "map fewer pages"));
  return {};
}

result<std::uint64_t> host_virtual_memory::create_handle() {
  if (!free_.empty()) {
    const std::uint64_t page = free_.back();
    free_.pop_back();
    return page;
  }
  if (ftruncate(file_, static_cast<off_t>((pages_ + 1) * page_bytes())) != 0)
    return failure(
        refused(error_kind::out_of_memory, "ftruncate", page_bytes(), "give a page back"));
  return pages_++;
}

void host_virtual_memory::destroy_handle(std::uint64_t handle) noexcept {
  // The next owner of the piece reads zeros, and until then it takes no memory.
  (void)fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  static_cast<off_t>(handle * page_bytes()), static_cast<off_t>(page_bytes()));
  free_.push_back(handle);
}

}  // namespace assay::device
