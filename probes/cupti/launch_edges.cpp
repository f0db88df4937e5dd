// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cupti/launch_edges.h"

#include <algorithm>
#include <exception>

namespace assay::probes {
namespace {

// Calls of the runtime that this thread is inside of: one may make another, and when that returns
// the outer one still has the driver's part ahead of it.
thread_local int open_runtime_calls = 0;

bool asks(const cudaLaunchConfig_t* config) {
  if (config == nullptr || config->attrs == nullptr) return false;
  return std::any_of(config->attrs, config->attrs + config->numAttrs,
                     [](const cudaLaunchAttribute& each) {
                       return each.id == cudaLaunchAttributeProgrammaticStreamSerialization &&
                              each.val.programmaticStreamSerializationAllowed != 0;
                     });
}

bool asks(const CUlaunchConfig* config) {
  if (config == nullptr || config->attrs == nullptr) return false;
  return std::any_of(config->attrs, config->attrs + config->numAttrs,
                     [](const CUlaunchAttribute& each) {
                       return each.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION &&
                              each.value.programmaticStreamSerializationAllowed != 0;
                     });
}

bool asks_of_runtime(CUpti_CallbackId id, const void* arguments) {
  switch (id) {
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060:
      return asks(static_cast<const cudaLaunchKernelExC_v11060_params*>(arguments)->config);
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_ptsz_v11060:
      return asks(static_cast<const cudaLaunchKernelExC_ptsz_v11060_params*>(arguments)->config);
    default:
      return false;
  }
}

bool asks_of_driver(CUpti_CallbackId id, const void* arguments) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
      return asks(static_cast<const cuLaunchKernelEx_params*>(arguments)->config);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
      return asks(static_cast<const cuLaunchKernelEx_ptsz_params*>(arguments)->config);
    default:
      return false;
  }
}

}  // namespace

void launch_edges::on_call(CUpti_CallbackDomain domain, CUpti_CallbackId id,
                           const CUpti_CallbackData& call) noexcept {
  const bool is_runtime = domain == CUPTI_CB_DOMAIN_RUNTIME_API;
  const bool is_entry = call.callbackSite == CUPTI_API_ENTER;
  // Of a call that was under way when the callbacks were enabled, only the end is seen.
  if (is_runtime) open_runtime_calls = std::max(open_runtime_calls + (is_entry ? 1 : -1), 0);
  if (!is_entry || call.functionParams == nullptr) return;
  if (!is_runtime && open_runtime_calls > 0) return;
  if (!(is_runtime ? asks_of_runtime(id, call.functionParams)
                   : asks_of_driver(id, call.functionParams)))
    return;
  try {
    const std::lock_guard lock(mutex_);
    open_.insert(call.correlationId);
  } catch (const std::exception&) {
    // Without the note its kernel counts as one that must wait: an overlap is then reported, which
    // is the side to err on.
  }
}

bool launch_edges::take(std::uint32_t correlation) {
  const std::lock_guard lock(mutex_);
  return open_.erase(correlation) != 0;
}

}  // namespace assay::probes
