// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cuda/cuda_virtual_memory.h"

namespace assay::device {
namespace {

CUdeviceptr as_address(const std::byte* at) {
  return reinterpret_cast<CUdeviceptr>(at);
}

}  // namespace

result<std::shared_ptr<virtual_memory>> cuda_virtual_memory::create(int index,
                                                                    std::uint64_t limit_bytes) {
  ASSAY_TRY_ASSIGN(const driver_calls* calls, driver_calls::load());
  CUmemAllocationProp kind{};
  kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  kind.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  kind.location.id = index;
  std::size_t page_bytes = 0;
  ASSAY_TRY(
      calls->attempt(calls->granularity(&page_bytes, &kind, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
                     "cuMemGetAllocationGranularity"));
  return std::shared_ptr<virtual_memory>(
      new cuda_virtual_memory(*calls, kind, page_bytes, limit_bytes));
}

result<std::byte*> cuda_virtual_memory::reserve(std::uint64_t bytes) {
  CUdeviceptr at = 0;
  ASSAY_TRY(calls_.attempt(calls_.reserve(&at, bytes, 0, 0, 0), "cuMemAddressReserve"));
  return reinterpret_cast<std::byte*>(at);
}

void cuda_virtual_memory::give_back(std::byte* at, std::uint64_t bytes) noexcept {
  (void)calls_.give_back(as_address(at), bytes);
}

result<void> cuda_virtual_memory::map(std::byte* at, const physical_page& what) {
  ASSAY_TRY(
      calls_.attempt(calls_.map(as_address(at), page_bytes(), 0, what.handle(), 0), "cuMemMap"));
  CUmemAccessDesc access{};
  access.location = kind_.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  // A mapping that nobody may touch would fault at its first use, far from here.
  auto allowed =
      calls_.attempt(calls_.set_access(as_address(at), page_bytes(), &access, 1), "cuMemSetAccess");
  if (!allowed) (void)calls_.unmap(as_address(at), page_bytes());
  return allowed;
}

result<void> cuda_virtual_memory::unmap(std::byte* at) {
  return calls_.attempt(calls_.unmap(as_address(at), page_bytes()), "cuMemUnmap");
}

result<std::uint64_t> cuda_virtual_memory::create_handle() {
  CUmemGenericAllocationHandle handle = 0;
  ASSAY_TRY(calls_.attempt(calls_.create(&handle, page_bytes(), &kind_, 0), "cuMemCreate"));
  return handle;
}

void cuda_virtual_memory::destroy_handle(std::uint64_t handle) noexcept {
  (void)calls_.release(handle);
}

}  // namespace assay::device
