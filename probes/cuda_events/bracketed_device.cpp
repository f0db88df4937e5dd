// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/cuda_events/bracketed_device.h"

namespace assay::probes {

using assay::device::operation_kind;

template <class Call>
result<void> bracketed_device::bracketed(stream on, operation_kind kind, Call call) {
  brackets_.before_call(on.index, kind, range_);
  if (waits_ != nullptr) waits_->before_call(on.index, kind, range_);
  ASSAY_TRY(call());
  brackets_.after_call(on.index, kind, range_);
  if (waits_ != nullptr) waits_->after_call(on.index, kind, range_);
  return {};
}

result<void> bracketed_device::copy_async(stream on, void* destination, const void* source,
                                          std::uint64_t bytes,
                                          assay::device::copy_direction direction) {
  return bracketed(on, operation_kind::copy,
                   [&] { return real_.copy_async(on, destination, source, bytes, direction); });
}

result<void> bracketed_device::launch(stream on, const assay::device::kernel& what) {
  return bracketed(on, operation_kind::launch, [&] { return real_.launch(on, what); });
}

result<void> bracketed_device::submit_kernels(stream on, std::uint32_t kernels,
                                              const assay::device::native_submit& submit) {
  return bracketed(on, operation_kind::launch,
                   [&] { return real_.submit_kernels(on, kernels, submit); });
}

result<void> bracketed_device::record_event(stream on, event what) {
  return bracketed(on, operation_kind::event_record, [&] { return real_.record_event(on, what); });
}

result<void> bracketed_device::wait_event(stream on, event what) {
  return bracketed(on, operation_kind::event_wait, [&] { return real_.wait_event(on, what); });
}

}  // namespace assay::probes
