// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/virtual_memory.h"

#include <string>

namespace assay::device {

physical_page::~physical_page() {
  from_->destroy_handle(handle_);
  from_->live_bytes_ -= from_->page_bytes_;
}

result<page_pointer> virtual_memory::create_page() {
  if (page_bytes_ > limit_bytes_ - live_bytes_)
    return ASSAY_FAIL(out_of_memory, "virtual memory: a page of " + std::to_string(page_bytes_) +
                                         " bytes asked, " + std::to_string(live_bytes_) +
                                         " live, limit " + std::to_string(limit_bytes_) +
                                         "; raise the limit or give a page back");
  ASSAY_TRY_ASSIGN(const std::uint64_t handle, create_handle());
  live_bytes_ += page_bytes_;
  return std::make_shared<physical_page>(shared_from_this(), handle);
}

}  // namespace assay::device
