// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/nvtx/nvtx_ranges.h"

#include <nvtx3/nvToolsExt.h>

namespace assay::probes {

nvtx_ranges::nvtx_ranges(const char* domain) : domain_(nvtxDomainCreateA(domain)) {}

nvtx_ranges::~nvtx_ranges() {
  nvtxDomainDestroy(static_cast<nvtxDomainHandle_t>(domain_));
}

void nvtx_ranges::push(const std::string& message, std::uint64_t payload) noexcept {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = message.c_str();
  attributes.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
  attributes.payload.ullValue = payload;
  nvtxDomainRangePushEx(static_cast<nvtxDomainHandle_t>(domain_), &attributes);
}

void nvtx_ranges::pop() noexcept {
  nvtxDomainRangePop(static_cast<nvtxDomainHandle_t>(domain_));
}

}  // namespace assay::probes
