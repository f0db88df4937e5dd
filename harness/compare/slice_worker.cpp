// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/slice_worker.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "harness/compare/child_process.h"
#include "harness/compare/median.h"
#include "runtime/telemetry/check.h"
#include "runtime/telemetry/clock.h"

namespace assay::compare {
namespace {

constexpr std::string_view ready_words = "ready";
constexpr int poll_ms = 100;
constexpr std::size_t most_answer_bytes = std::size_t{1} << 16;
constexpr std::size_t most_error_bytes = 4096;

template <class T>
bool take_number(std::string_view& text, T& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

class worker {
 public:
  static result<worker> start(const std::vector<std::string>& command, const slice_plan& plan) {
    const host_time from = host_now();
    ASSAY_TRY_ASSIGN(started_child started, start_child(command, child_input::connected));
    return worker(std::move(started), plan, from);
  }

  bool is_usable() const { return is_usable_; }
  worker_ending take() { return std::move(left_); }

  void wait_until_ready() {
    const auto line = answer();
    if (line && *line != ready_words)
      give_up(fmt::format("said '{}' and not that it is ready", *line));
  }

  void run_slice(bool counts) {
    if (!is_usable_) return;
    const std::string request = fmt::format("slice {}\n", plan_->slice_ns);
    if (::send(started_.in.fd(), request.data(), request.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(request.size())) {
      is_usable_ = false;
      has_ended_early_ = true;
      return;
    }
    const auto line = answer();
    if (!line) return;
    const auto ns = slice_ns_of(*line);
    if (!ns) return give_up(fmt::format("answered '{}'", *line));
    if (counts) left_.slices_ns.push_back(*ns);
  }

  // The end of its input is the end of its work.
  void finish() {
    started_.in.close();
    await_end();
    left_.ending.wall_ns = host_now() - start_;
    const bool ended_by_itself = started_.process.is_over();
    started_.process.kill_group();
    // What it said last; nobody is waited for who might hold its stream open.
    pollfd last_words{is_error_over_ ? -1 : started_.err.fd(), POLLIN, 0};
    while (::poll(&last_words, 1, 0) > 0 && drain(started_.err.fd(), left_.ending.error_tail)) {
    }
    note_end(started_.process.reap(), left_.ending);
    trim_error();
    if (complaint_.empty() && !ended_by_itself) complaint_ = "did not end when its input did";
    if (complaint_.empty() && has_ended_early_) complaint_ = "ended before it had answered";
    if (left_.ending.is_good() && !complaint_.empty()) fail_with(complaint_);
    // Killed by us, for what it said or did not say: not for anybody's signal.
    if (left_.ending.how == process_end::signalled && !ended_by_itself) fail_with(complaint_);
  }

 private:
  worker(started_child started, const slice_plan& plan, host_time from)
      : started_(std::move(started)), plan_(&plan), start_(from) {}

  // One that has said its last is given time to end by itself: how it ends is what is told of it.
  void await_end() {
    constexpr int most_looks = 25'000;
    constexpr auto look = std::chrono::microseconds(200);
    for (int i = 0; i < most_looks && !started_.process.is_over(); ++i) {
      if (plan_->is_interrupted && plan_->is_interrupted())
        left_.ending.how = process_end::interrupted;
      if (left_.ending.how != process_end::exited || !complaint_.empty()) return;
      std::this_thread::sleep_for(look);
    }
  }

  // What it said up to a line's end; none where it has ended, hangs or is to be stopped.
  std::optional<std::string> answer() {
    for (;;) {
      const std::size_t end = said_.find('\n');
      if (end != std::string::npos) {
        std::string line = said_.substr(0, end);
        said_.erase(0, end + 1);
        return line;
      }
      if (said_.size() > most_answer_bytes) {
        give_up("writes, and no line of it ends");
        return std::nullopt;
      }
      if (!listen()) return std::nullopt;
    }
  }

  // Reads what comes within a poll's time; false once nothing more will.
  bool listen() {
    if (!is_usable_) return false;
    if (plan_->is_interrupted && plan_->is_interrupted())
      left_.ending.how = process_end::interrupted;
    else if (plan_->process_ns > 0 && host_now() - start_ > plan_->process_ns)
      left_.ending.how = process_end::out_of_time;
    if (left_.ending.how != process_end::exited) {
      left_.ending.wall_ns = host_now() - start_;
      is_usable_ = false;
      return false;
    }
    if (!poll_once(poll_ms)) return true;
    // The end of its output: whatever else it does, it answers no more.
    if (!drain(started_.out.fd(), said_)) {
      is_usable_ = false;
      has_ended_early_ = true;
    }
    return is_usable_;
  }

  // Whether there is something to read; errors are read at once.
  bool poll_once(int patience_ms) {
    std::array<pollfd, 2> ends{{{started_.out.fd(), POLLIN, 0}, {started_.err.fd(), POLLIN, 0}}};
    if (is_error_over_) ends[1].fd = -1;
    if (::poll(ends.data(), ends.size(), patience_ms) <= 0) return false;
    if (ends[1].revents != 0) {
      is_error_over_ = !drain(started_.err.fd(), left_.ending.error_tail);
      trim_error();
    }
    return ends[0].revents != 0;
  }

  void trim_error() {
    std::string& tail = left_.ending.error_tail;
    if (tail.size() > most_error_bytes) tail.erase(0, tail.size() - most_error_bytes);
  }

  void fail_with(const std::string& complaint) {
    left_.ending.how = process_end::exited;
    left_.ending.code = 1;
    left_.ending.error_tail = complaint;
  }

  void give_up(std::string complaint) {
    is_usable_ = false;
    complaint_ = std::move(complaint);
  }

  started_child started_;
  const slice_plan* plan_;
  host_time start_;
  std::string said_;
  std::string complaint_;
  worker_ending left_;
  bool is_usable_ = true;
  bool has_ended_early_ = false;
  bool is_error_over_ = false;
};

}  // namespace

std::optional<double> slice_ns_of(std::string_view line) {
  constexpr std::string_view word = "slice ";
  std::int64_t calls = 0;
  std::int64_t ns = 0;
  if (!line.starts_with(word)) return std::nullopt;
  line.remove_prefix(word.size());
  if (!take_number(line, calls) || !line.starts_with(' ')) return std::nullopt;
  line.remove_prefix(1);
  if (!take_number(line, ns) || !line.empty() || calls < 1 || ns < 1) return std::nullopt;
  return static_cast<double>(ns) / static_cast<double>(calls);
}

double median_log_ratio(const std::vector<double>& base_ns, const std::vector<double>& head_ns) {
  ASSAY_CHECK(base_ns.size() == head_ns.size(), "slices that have no other half");
  std::vector<double> ratios;
  for (std::size_t i = 0; i < base_ns.size(); ++i)
    ratios.push_back(std::log(head_ns[i] / base_ns[i]));
  return median_of(std::move(ratios));
}

result<worker_pair> run_worker_pair(const std::vector<std::string>& first,
                                    const std::vector<std::string>& second,
                                    const slice_plan& plan) {
  ASSAY_TRY_ASSIGN(worker one, worker::start(first, plan));
  ASSAY_TRY_ASSIGN(worker other, worker::start(second, plan));
  one.wait_until_ready();
  other.wait_until_ready();
  for (std::size_t turn = 0; turn <= plan.slices; ++turn) {
    // Where one has failed, the other's slices would have nothing to be held against.
    if (!one.is_usable() || !other.is_usable()) break;
    const bool is_first_first = turn % 2 == 0;
    (is_first_first ? one : other).run_slice(turn > 0);
    (is_first_first ? other : one).run_slice(turn > 0);
  }
  one.finish();
  other.finish();
  return worker_pair{one.take(), other.take()};
}

}  // namespace assay::compare
