// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/gpu_planter.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "runtime/device/cuda/cuda_try.h"

namespace assay::test {

using device::copy_direction;
using selftest_test::own_now_ns;
using selftest_test::planted;
using selftest_test::stamps;

namespace {

// About 300 us on a link of 55 GB/s: what it takes, the events tell.
constexpr std::uint64_t copied = std::uint64_t{16} << 20;

// Behind a kernel of this length everything that belongs to a copy is queued when it begins: the
// event before it would else be stamped while the caller is still on its way to ask for the copy.
constexpr std::int64_t held_back_ns = 80'000;

constexpr std::int64_t longest_wait_ns = 2'000'000'000;

void CUDART_CB hold_stream(void* length_ns) {
  (void)selftest_test::spin(*static_cast<const std::int64_t*>(length_ns));
}

gpu_planter::planted_length slept(gpu_planter::planted_length made, std::int64_t length_ns) {
  const stamps at = selftest_test::sleep_for(length_ns);
  made.length_ns = at.length_ns();
  made.begin_ns = at.begin_ns;
  made.end_ns = at.end_ns;
  return made;
}

}  // namespace

result<void> gpu_planter::window_sink::records(std::span<const assay_record> records) {
  for (const assay_record& each : records) {
    const bool is_pass = each.op == ASSAY_WINDOW_DECODE_STEP || each.op == ASSAY_WINDOW_PREFILL;
    if (each.kind == ASSAY_WINDOW_BEGIN && is_pass) {
      of_.open_window_ = each.op;
      of_.open_step_ = each.correlation;
      of_.is_planted_ = false;
    }
    if (each.kind != ASSAY_WINDOW_END || !is_pass) continue;
    if (each.op == ASSAY_WINDOW_DECODE_STEP && !of_.is_planted_)
      of_.undisturbed_ns_.push_back(each.end_ns - each.start_ns);
    of_.open_window_ = 0;
  }
  return {};
}

void gpu_planter::on_call(const selftest::device_call& call, device::device& real) noexcept {
  if (call.kind != device::operation_kind::synchronize || open_window_ == 0 || !outcome_) return;
  if (open_window_ == ASSAY_WINDOW_PREFILL) {
    if (!memory_) outcome_ = warm_up(real);
    return;
  }
  const auto wanted = std::find_if(plan_.begin(), plan_.end(),
                                   [&](const auto& each) { return each.step == open_step_; });
  if (is_planted_ || wanted == plan_.end()) return;
  is_planted_ = true;
  const device::range_label before = real.set_range(0);
  const std::int64_t begin_ns = own_now_ns();
  auto made = plant_now(real, *wanted);
  const std::int64_t end_ns = own_now_ns();
  real.set_range(before);
  if (!made) {
    outcome_ = failure(std::move(made).error());
    return;
  }
  if (made->place != attribution_test::unclaimed_place) {
    made->begin_ns = begin_ns;
    made->end_ns = end_ns;
  }
  plants_.push_back(*made);
}

result<void> gpu_planter::open(device::device& real) {
  ASSAY_TRY_ASSIGN(auto memory, device::pinned_buffer::create(copied_at + copied));
  memory_.emplace(std::move(memory));
  std::memset(memory_->data(), 1, memory_->bytes());
  ASSAY_TRY_ASSIGN(own_, real.create_stream());
  ASSAY_TRY_ASSIGN(before_, real.create_event());
  ASSAY_TRY_ASSIGN(after_, real.create_event());
  allocation_.begin_ns = own_now_ns();
  ASSAY_TRY_ASSIGN(there_, real.allocate(copied));
  allocation_.end_ns = own_now_ns();
  return {};
}

// A kernel's first launch loads it, and a stream's first function of the host starts a thread.
result<void> gpu_planter::warm_up(device::device& real) {
  ASSAY_TRY(open(real));
  for (std::size_t kind = 0; kind < selftest_test::planted_count; ++kind)
    for (int i = 0; i < 2; ++i) ASSAY_TRY(plant_now(real, {0, static_cast<planted>(kind), 20'000}));
  return {};
}

result<gpu_planter::planted_length> gpu_planter::plant_now(device::device& real,
                                                           const selftest_test::plant& what) {
  planted_length made;
  made.step = what.step;
  made.what = to_string(what.what);
  made.place = selftest_test::place_of(what.what);
  switch (what.what) {
    case planted::launch:
      return plant_launch(real, made, what.length_ns);
    case planted::h2d:
    case planted::d2h:
      return plant_copy(real, made, what.what == planted::h2d);
    case planted::gap:
      return plant_gap(real, made, what.length_ns);
    case planted::submission:
      return plant_submission(real, made, what.length_ns);
    case planted::wait:
      return plant_wait(real, made, what.length_ns);
    case planted::unclaimed:
      return slept(made, what.length_ns);
    case planted::fifth:
      return slept(made, fifth_ns());
  }
  return made;
}

// One call of the device, in which `enqueue` says what went wrong.
template <class Enqueue>
result<void> gpu_planter::submit(device::device& real, Enqueue enqueue) {
  return real.submit_kernels(own_, 1, [&](void* stream) -> result<void> {
    return device::cuda_try(enqueue(static_cast<cudaStream_t>(stream)), "a plant's call", __FILE__,
                            __LINE__);
  });
}

result<void> gpu_planter::spin_on_gpu(device::device& real, std::int64_t length_ns) {
  return submit(real, [&](cudaStream_t on) { return launch_spin(on, length_ns, &shared().spun); });
}

result<gpu_planter::planted_length> gpu_planter::plant_launch(device::device& real,
                                                              planted_length made,
                                                              std::int64_t length_ns) {
  ASSAY_TRY(spin_on_gpu(real, length_ns));
  ASSAY_TRY(real.synchronize(own_));
  made.length_ns = shared().spun.end_ns - shared().spun.begin_ns;
  return made;
}

result<gpu_planter::planted_length> gpu_planter::plant_copy(device::device& real,
                                                            planted_length made, bool goes_in) {
  ASSAY_TRY(spin_on_gpu(real, held_back_ns));
  ASSAY_TRY(real.record_event(own_, before_));
  ASSAY_TRY(
      goes_in ? real.copy_async(own_, there_.address, copied_bytes(), copied, copy_direction::h2d)
              : real.copy_async(own_, copied_bytes(), there_.address, copied, copy_direction::d2h));
  ASSAY_TRY(real.record_event(own_, after_));
  ASSAY_TRY(real.synchronize(own_));
  ASSAY_TRY_ASSIGN(made.length_ns, real.elapsed_ns(before_, after_));
  made.kernels_ns = shared().spun.end_ns - shared().spun.begin_ns;
  return made;
}

result<gpu_planter::planted_length> gpu_planter::plant_gap(device::device& real,
                                                           planted_length made,
                                                           std::int64_t length_ns) {
  shared().held_ns = length_ns;
  const std::uint32_t wanted = shared().flag + 1;
  ASSAY_TRY(submit(real, [&](cudaStream_t on) {
    const cudaError_t code = cudaLaunchHostFunc(on, hold_stream, &shared().held_ns);
    return code == cudaSuccess ? launch_flag(on, wanted, &shared().flag) : code;
  }));
  const std::int64_t returned_ns = own_now_ns();
  const volatile std::uint32_t& flag = shared().flag;
  do {
    made.length_ns = own_now_ns() - returned_ns;
    if (made.length_ns > longest_wait_ns)
      return ASSAY_FAIL(unavailable, "a planted kernel did not begin within two seconds");
  } while (flag != wanted);
  ASSAY_TRY(real.synchronize(own_));
  return made;
}

result<gpu_planter::planted_length> gpu_planter::plant_submission(device::device& real,
                                                                  planted_length made,
                                                                  std::int64_t length_ns) {
  const std::int64_t asked_ns = own_now_ns();
  ASSAY_TRY(submit(real, [&](cudaStream_t on) {
    (void)selftest_test::spin(length_ns);
    return launch_flag(on, 0, &shared().flag);
  }));
  made.length_ns = own_now_ns() - asked_ns;
  ASSAY_TRY(real.synchronize(own_));
  return made;
}

result<gpu_planter::planted_length> gpu_planter::plant_wait(device::device& real,
                                                            planted_length made,
                                                            std::int64_t length_ns) {
  shared().held_ns = length_ns;
  ASSAY_TRY(submit(real, [&](cudaStream_t on) {
    const cudaError_t code = launch_flag(on, 0, &shared().flag);
    return code == cudaSuccess ? cudaLaunchHostFunc(on, hold_stream, &shared().held_ns) : code;
  }));
  const std::int64_t asked_ns = own_now_ns();
  ASSAY_TRY(real.synchronize(own_));
  made.length_ns = own_now_ns() - asked_ns;
  return made;
}

std::int64_t gpu_planter::fifth_ns() const {
  constexpr std::size_t recent = 15;
  const auto from = static_cast<std::ptrdiff_t>(undisturbed_ns_.size() -
                                                std::min(recent, undisturbed_ns_.size()));
  std::vector<std::int64_t> walls(undisturbed_ns_.begin() + from, undisturbed_ns_.end());
  if (walls.empty()) return 0;
  std::sort(walls.begin(), walls.end());
  return walls[walls.size() / 2] / 4;
}

}  // namespace assay::test
