// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/host_worker.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>

namespace assay::device {

host_worker::host_worker(std::uint32_t stream, std::int64_t spin_ns, const host_arena& arena,
                         host_pool& pool, operation_runner& runner,
                         const std::atomic<observer*>& reports_to)
    : site_{stream, 0, spin_ns, &arena, nullptr, &pool},
      runner_(runner),
      reports_to_(reports_to),
      queue_(spin_ns),
      thread_([this] { run_until_end(); }) {
  tid_.wait(0);
}

host_worker::~host_worker() {
  join();
}

void host_worker::end() {
  if (is_ended_) return;
  is_ended_ = true;
  operation& slot = queue_.claim();
  slot.work = stream_end{};
  queue_.commit();
}

void host_worker::join() {
  end();
  if (thread_.joinable()) thread_.join();
}

void host_worker::run_until_end() {
  // The kernel keeps 15 characters of a thread's name: "assay-stream-" and two digits.
  pthread_setname_np(pthread_self(), ("assay-stream-" + std::to_string(site_.stream)).c_str());
  site_.worker_tid = static_cast<std::uint32_t>(syscall(SYS_gettid));
  tid_.store(site_.worker_tid, std::memory_order_release);
  tid_.notify_all();
  for (;;) {
    const operation& next = queue_.front();
    if (std::holds_alternative<stream_end>(next.work)) break;
    // Others have nobody who waits for the end of blocks.
    const bool is_shared = site_.pool->has_helpers() && std::holds_alternative<kernel>(next.work);
    site_.ahead = is_shared ? queue_.launch_ahead() : nullptr;
    site_.reports_to = reports_to_.load(std::memory_order_acquire);
    runner_.run(next, site_);
    queue_.pop();
  }
  queue_.pop();
}

}  // namespace assay::device
