// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/selftest/tapped_device.h"

#include "runtime/telemetry/clock.h"

namespace assay::selftest {

namespace dev = assay::device;

template <class Call>
result<void> tapped_device::shown(dev::operation_kind kind, dev::copy_direction direction,
                                  dev::event event, Call call) {
  const std::int64_t start_ns = host_now().ns;
  auto outcome = call();
  const device_call seen{kind, direction, range_, event, start_ns, host_now().ns};
  for (instrument* each : instruments_) each->on_call(seen, real_);
  return outcome;
}

result<dev::buffer> tapped_device::allocate(std::uint64_t bytes) {
  return real_.allocate(bytes);
}
result<void> tapped_device::free(dev::buffer what) {
  return real_.free(what);
}
std::uint64_t tapped_device::memory_limit_bytes() const {
  return real_.memory_limit_bytes();
}
result<dev::stream> tapped_device::create_stream() {
  return real_.create_stream();
}
result<dev::event> tapped_device::create_event() {
  return real_.create_event();
}

result<void> tapped_device::copy_async(dev::stream on, void* destination, const void* source,
                                       std::uint64_t bytes, dev::copy_direction direction) {
  return shown(dev::operation_kind::copy, direction, {},
               [&] { return real_.copy_async(on, destination, source, bytes, direction); });
}

result<void> tapped_device::launch(dev::stream on, const dev::kernel& what) {
  return shown(dev::operation_kind::launch, {}, {}, [&] { return real_.launch(on, what); });
}

result<void> tapped_device::submit_kernels(dev::stream on, std::uint32_t kernels,
                                           const dev::native_submit& submit) {
  return shown(dev::operation_kind::launch, {}, {},
               [&] { return real_.submit_kernels(on, kernels, submit); });
}

result<void> tapped_device::record_event(dev::stream on, dev::event what) {
  return shown(dev::operation_kind::event_record, {}, what,
               [&] { return real_.record_event(on, what); });
}

result<void> tapped_device::wait_event(dev::stream on, dev::event what) {
  return shown(dev::operation_kind::event_wait, {}, what,
               [&] { return real_.wait_event(on, what); });
}

result<bool> tapped_device::is_reached(dev::event what) {
  return real_.is_reached(what);
}

result<void> tapped_device::synchronize(dev::stream on) {
  return shown(dev::operation_kind::synchronize, {}, {}, [&] { return real_.synchronize(on); });
}

result<std::int64_t> tapped_device::elapsed_ns(dev::event from, dev::event to) {
  return real_.elapsed_ns(from, to);
}

dev::range_label tapped_device::set_range(dev::range_label label) noexcept {
  range_ = label;
  return real_.set_range(label);
}

void tapped_device::set_observer(dev::observer* who) noexcept {
  real_.set_observer(who);
}

}  // namespace assay::selftest
