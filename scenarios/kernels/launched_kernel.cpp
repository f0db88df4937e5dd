// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "scenarios/kernels/launched_kernel.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include <fmt/format.h>

namespace assay::scenarios {
namespace {

// As long as the host device's workers do, by default.
constexpr std::int64_t spin_ns = 20'000;
constexpr int launches_looked_at = 16;

// A kernel whose blocks first say on which thread they are. It outlives its launch.
struct witnessed_launch {
  const device::kernel* what = nullptr;
  std::atomic<std::uint32_t>* seen_threads = nullptr;
  std::uint32_t launch = 0;
};

void witnessed_body(const witnessed_launch& of, device::block_context& context) {
  // The number of the launch that this thread was last counted in; 0 is none.
  thread_local std::uint32_t counted_in = 0;
  if (counted_in != of.launch) of.seen_threads->fetch_add(1, std::memory_order_relaxed);
  counted_in = of.launch;
  of.what->body(of.what->arguments.data(), context);
}

class pooled_kernel final : public kernel_run {
 public:
  pooled_kernel(bound_kernel bound, std::uint32_t threads)
      : bound_(std::move(bound)), threads_(threads), pool_(threads - 1, spin_ns) {}

  void call(std::uint64_t times) override {
    for (std::uint64_t i = 0; i < times; ++i) static_cast<void>(pool_.run(bound_.what, false));
  }

  std::uint64_t tallied_weight_bytes() override {
    return pool_.run(bound_.what, false).weight_bytes;
  }

  std::uint32_t realised_threads() override {
    // Numbers are not used twice in a process: a thread of another row's launch would look counted.
    static std::atomic<std::uint32_t> launches{0};
    std::uint32_t most = 0;
    for (int i = 0; i < launches_looked_at && most < threads_; ++i) {
      std::atomic<std::uint32_t> seen{0};
      const witnessed_launch of{&bound_.what, &seen, ++launches};
      const auto what = device::kernel::bind<witnessed_launch, witnessed_body>("witnessed", of,
                                                                               bound_.what.blocks);
      static_cast<void>(pool_.run(what, false));
      most = std::max(most, seen.load());
    }
    return most;
  }

 private:
  bound_kernel bound_;
  std::uint32_t threads_;
  device::host_pool pool_;
};

void add_row(const row_of_widths& row, const thread_choice& width, kernel_list& to) {
  kernel_row made;
  made.name = fmt::format("{}/{}/width:{}", row.family, row.shape, width.name);
  made.family = fmt::format("{}/width:{}", row.family, width.name);
  made.work = row.work;
  made.asked_threads = width.count;
  made.make = [bind = row.bind, threads = width.count]() -> result<std::unique_ptr<kernel_run>> {
    ASSAY_TRY_ASSIGN(bound_kernel bound, bind());
    return launched(std::move(bound), threads);
  };
  to.rows.push_back(std::move(made));
}

}  // namespace

std::unique_ptr<kernel_run> launched(bound_kernel bound, std::uint32_t threads) {
  return std::make_unique<pooled_kernel>(std::move(bound), threads);
}

void add_single(const row_of_widths& row, kernel_list& to) {
  add_row(row, {"1", 1}, to);
}

void add_widths(const row_of_widths& row, std::uint32_t cores, kernel_list& to) {
  constexpr std::uint32_t wide = 8;
  const auto skip = [&](const std::string& width, std::string reason) {
    to.skipped.push_back(
        {fmt::format("{}/{}/width:{}", row.family, row.shape, width), std::move(reason)});
  };
  add_single(row, to);
  if (cores >= wide)
    add_row(row, {fmt::format("{}", wide), wide}, to);
  else
    skip(fmt::format("{}", wide), fmt::format("this process may use {} cores", cores));
  if (cores > 1)
    add_row(row, {"all", cores}, to);
  else
    skip("all", "this process may use one core: that is width:1");
}

}  // namespace assay::scenarios
