// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/selftest/planting_device.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "runtime/device/host_runner.h"
#include "runtime/telemetry/range.h"

namespace assay::selftest_test {

using assay::device::copy_direction;
using assay::device::event;
using assay::device::operation_kind;
using assay::device::stream;
using telemetry::range;

std::string_view to_string(planted what) {
  constexpr std::array<std::string_view, planted_count> words{
      "launch",     "h2d copy", "d2h copy",       "launch gap",
      "submission", "wait",     "unclaimed wait", "unclaimed fifth"};
  return words[static_cast<std::size_t>(what)];
}

/// What the front tells the runner. An operation's slot is written before it is submitted, and read
/// behind that: the queue orders the two.
struct planting_desk {
  struct hold {
    plant what;
    bool is_before = false;
    bool is_behind = false;
    bool is_copy = false;      ///< the operation itself is what was planted
    stamps* kernel = nullptr;  ///< likewise: where it wrote when it ran
  };
  static constexpr std::uint64_t slots = 4096;  // more than a queue holds

  hold& of(std::uint64_t sequence) { return holds[sequence % slots]; }

  explicit planting_desk(std::shared_ptr<witness> into) : seen(std::move(into)), holds(slots) {
    constexpr std::size_t many = 1 << 16;
    seen->calls.reserve(many);
    seen->works.reserve(many);
    worked.reserve(many);
  }

  std::shared_ptr<witness> seen;
  std::vector<hold> holds;
  /// The stream that the inputs go to: plants and stamps are of this one.
  static constexpr std::uint32_t unknown = 0xffff'ffff;
  std::atomic<std::uint32_t> stream{unknown};
  // Operations of each stream: the front's count, and the workers', each of its own stream.
  std::array<std::uint64_t, assay::device::host_device::stream_capacity> submitted{};
  std::array<std::uint64_t, assay::device::host_device::stream_capacity> begun{};
  std::vector<planted_stamp> worked;  // the runner's, until the device is gone
  stamps ran;                         // the planted kernel's, until its step ends
};

namespace {

struct spin_arguments {
  std::int64_t length_ns;
  stamps* at;
};
void spin_here(const spin_arguments& wanted, assay::device::block_context&) {
  *wanted.at = spin(wanted.length_ns);
}

class planting_runner final : public assay::device::operation_runner {
 public:
  explicit planting_runner(std::shared_ptr<planting_desk> desk) : desk_(std::move(desk)) {}

  void run(const assay::device::operation& what, const assay::device::worker_site& site) override {
    const std::uint64_t sequence = ++desk_->begun[site.stream];
    if (site.stream != desk_->stream.load(std::memory_order_acquire))
      return honest_.run(what, site);
    planting_desk::hold& hold = desk_->of(sequence);
    if (hold.is_before) desk_->worked.push_back({hold.what, spin(hold.what.length_ns)});
    witnessed_work made{sequence, {own_now_ns(), 0}};
    honest_.run(what, site);
    made.at.end_ns = own_now_ns();
    if (hold.kernel != nullptr) made.at = *hold.kernel;
    desk_->seen->works.push_back(made);
    if (hold.is_copy || hold.kernel != nullptr) desk_->worked.push_back({hold.what, made.at});
    if (hold.is_behind) desk_->worked.push_back({hold.what, spin(hold.what.length_ns)});
    hold = {};
  }

 private:
  std::shared_ptr<planting_desk> desk_;
  assay::device::host_runner honest_;
};

bool is_of(assay::device::range_label open, range which) {
  return open == static_cast<assay::device::range_label>(which);
}

// A copy of about as long as is wanted: what it took, its stamps tell.
constexpr std::int64_t copied_bytes_per_us = 8'000;
constexpr std::uint64_t most_copied_bytes = std::uint64_t{48} << 20;

}  // namespace

result<std::unique_ptr<planting_device>> planting_device::create(
    const assay::device::host_device_options& options, std::vector<plant> plan,
    std::shared_ptr<witness> seen) {
  auto desk = std::make_shared<planting_desk>(std::move(seen));
  ASSAY_TRY_ASSIGN(auto inner, assay::device::host_device::create(
                                   options, std::make_unique<planting_runner>(desk)));
  std::unique_ptr<planting_device> made(
      new planting_device(std::move(desk), std::move(inner), std::move(plan)));
  // While nobody observes: what is planted with is no buffer of the run's.
  ASSAY_TRY_ASSIGN(made->there_, made->inner_->allocate(most_copied_bytes));
  made->here_.assign(most_copied_bytes, std::byte{1});
  std::fill_n(made->there_.address, most_copied_bytes, std::byte{2});
  return made;
}

planting_device::planting_device(std::shared_ptr<planting_desk> desk,
                                 std::unique_ptr<assay::device::host_device> inner,
                                 std::vector<plant> plan)
    : desk_(std::move(desk)), inner_(std::move(inner)), plan_(std::move(plan)) {
  stopping_.emplace();
}

planting_device::~planting_device() {
  inner_.reset();
  auto& all = desk_->seen->plants;
  all.insert(all.end(), desk_->worked.begin(), desk_->worked.end());
  std::sort(all.begin(), all.end(), [](const planted_stamp& a, const planted_stamp& b) {
    return a.wanted.step < b.wanted.step;
  });
}

template <class Call>
result<void> planting_device::seen(stream on, operation_kind kind, copy_direction direction,
                                   Call call) {
  std::uint64_t& submitted = desk_->submitted.at(on.index);
  const bool waits = kind == operation_kind::synchronize;
  witnessed_call made{waits ? 0 : submitted + 1, kind, direction, {own_now_ns(), 0}};
  ASSAY_TRY(call());
  made.at.end_ns = own_now_ns();
  if (!waits) ++submitted;
  const std::uint32_t known = desk_->stream.load(std::memory_order_relaxed);
  if (on.index == known)
    desk_->seen->calls.push_back(made);
  else if (known != planting_desk::unknown)
    ++desk_->seen->elsewhere;
  return {};
}

result<void> planting_device::copy_async(stream on, void* destination, const void* source,
                                         std::uint64_t bytes, copy_direction direction) {
  return seen(on, operation_kind::copy, direction,
              [&] { return inner_->copy_async(on, destination, source, bytes, direction); });
}

result<void> planting_device::launch(stream on, const assay::device::kernel& what) {
  return seen(on, operation_kind::launch, {}, [&] { return inner_->launch(on, what); });
}

result<void> planting_device::wait_event(stream on, event what) {
  return seen(on, operation_kind::event_wait, {}, [&] { return inner_->wait_event(on, what); });
}

result<void> planting_device::synchronize(stream on) {
  ASSAY_TRY(seen(on, operation_kind::synchronize, {}, [&] { return inner_->synchronize(on); }));
  if (!held_back_ || held_back_->what != planted::fifth) return {};
  // The wall that the step will have ends some microseconds behind this.
  const std::int64_t until_now_ns = own_now_ns() - pass_begin_ns_;
  desk_->seen->plants.push_back({*held_back_, sleep_for(until_now_ns / 4)});
  held_back_.reset();
  return {};
}

result<void> planting_device::record_event(stream on, event what) {
  // The logits' second event is a step's last operation; the one before it stamps the copy's start
  // and holds nothing up that is waited for.
  if (held_back_ && held_back_->what == planted::wait && is_of(range_, range::logits) &&
      !desk_->seen->calls.empty() && desk_->seen->calls.back().kind == operation_kind::copy) {
    planting_desk::hold& last = desk_->of(desk_->submitted.at(on.index) + 1);
    last.what = *held_back_;
    last.is_behind = true;
    held_back_.reset();
  }
  if (is_of(range_, range::inputs)) {
    desk_->stream.store(on.index, std::memory_order_release);
    if (input_events_ % 2 == 0) pass_begin_ns_ = own_now_ns();
  }
  ASSAY_TRY(
      seen(on, operation_kind::event_record, {}, [&] { return inner_->record_event(on, what); }));
  // A pass has two events of its inputs, and begins with the second.
  const bool begins = is_of(range_, range::inputs) && ++input_events_ % 2 == 0;
  return begins ? begin_step(on, what) : result<void>{};
}

result<void> planting_device::begin_step(stream on, event inputs_done) {
  const std::uint64_t passes = input_events_ / 2;
  if (passes < 2) return {};  // the prefill
  const auto wanted = std::find_if(plan_.begin(), plan_.end(),
                                   [&](const plant& each) { return each.step == passes - 2; });
  if (wanted == plan_.end()) return {};
  for (bool is_idle = false; !is_idle;) {
    ASSAY_TRY_ASSIGN(is_idle, inner_->is_reached(inputs_done));
  }
  const assay::device::range_label before = inner_->set_range(0);
  auto done = plant_now(on, *wanted);
  inner_->set_range(before);
  return done;
}

result<void> planting_device::plant_now(stream on, const plant& what) {
  std::vector<planted_stamp>& plants = desk_->seen->plants;
  planting_desk::hold& next = desk_->of(desk_->submitted.at(on.index) + 1);
  switch (what.what) {
    case planted::launch:
      next.what = what;
      next.kernel = &desk_->ran;
      return launch(on, assay::device::kernel::bind<spin_arguments, spin_here>(
                            "planted", {what.length_ns, &desk_->ran}, 1));
    case planted::h2d:
    case planted::d2h:
      next.what = what;
      next.is_copy = true;
      return copy_of(on, what);
    case planted::gap:
      next.what = what;
      next.is_before = true;
      return {};
    case planted::submission:
      ASSAY_TRY(launch(on, stopping_->armed(what.length_ns)));
      plants.push_back({what, stopping_->stopped()});
      return {};
    case planted::wait:
    case planted::fifth:
      held_back_ = what;
      return {};
    case planted::unclaimed:
      plants.push_back({what, sleep_for(what.length_ns)});
      return {};
  }
  return {};
}

result<void> planting_device::copy_of(stream on, const plant& what) {
  const auto bytes = std::min<std::uint64_t>(
      most_copied_bytes, static_cast<std::uint64_t>(what.length_ns * copied_bytes_per_us / 1000));
  return what.what == planted::h2d
             ? copy_async(on, there_.address, here_.data(), bytes, copy_direction::h2d)
             : copy_async(on, here_.data(), there_.address, bytes, copy_direction::d2h);
}

}  // namespace assay::selftest_test
