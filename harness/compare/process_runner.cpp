// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/process_runner.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include <fmt/format.h>

#include "harness/compare/child_process.h"
#include "runtime/telemetry/clock.h"

namespace assay::compare {
namespace {

constexpr std::size_t most_out_bytes = std::size_t{256} << 20;
constexpr std::size_t most_error_bytes = 4096;
constexpr int poll_ms = 100;

class conversation {
 public:
  conversation(const process_request& request, const child& process, process_ending& ending,
               host_time start)
      : request_(request), process_(process), ending_(ending), start_(start) {}

  // Until the process has ended and both streams were read to where they are empty. A grandchild
  // may hold the streams open for ever: what counts is the process.
  void hold(int out, int err) {
    const descriptor exit_notice(static_cast<int>(::syscall(SYS_pidfd_open, process_.pid(), 0)));
    // Without the notice (a kernel before 5.3) the end is looked for each millisecond.
    const int patience_ms = exit_notice.fd() >= 0 ? poll_ms : 1;
    std::array<pollfd, 3> ends{{{out, POLLIN, 0}, {err, POLLIN, 0}, {exit_notice.fd(), POLLIN, 0}}};
    for (;;) {
      if (ending_.wall_ns == 0 && process_.is_over()) {
        ending_.wall_ns = host_now() - start_;
        ends[2].fd = -1;
      }
      const bool is_over = ending_.wall_ns != 0;
      const int ready = ::poll(ends.data(), ends.size(), is_over ? 0 : patience_ms);
      if (ready > 0) {
        if (ends[0].revents != 0 && !drain(out, ending_.out)) ends[0].fd = -1;
        if (ends[1].revents != 0 && !drain(err, ending_.error_tail)) ends[1].fd = -1;
        if (ending_.error_tail.size() > most_error_bytes)
          ending_.error_tail.erase(0, ending_.error_tail.size() - most_error_bytes);
      }
      if (is_over && ready <= 0) return;
      if (is_to_be_stopped()) return;
    }
  }

 private:
  bool is_to_be_stopped() {
    if (request_.is_interrupted && request_.is_interrupted())
      ending_.how = process_end::interrupted;
    else if (request_.limit_ns > 0 && host_now() - start_ > request_.limit_ns)
      ending_.how = process_end::out_of_time;
    else if (ending_.out.size() > most_out_bytes)
      ending_.how = process_end::flooded;
    return ending_.how != process_end::exited;
  }

  const process_request& request_;
  const child& process_;
  process_ending& ending_;
  host_time start_;
};

}  // namespace

result<process_ending> run_process(const process_request& request) {
  process_ending ending;
  const host_time start = host_now();
  ASSAY_TRY_ASSIGN(started_child started, start_child(request.command, child_input::none));
  child& process = started.process;
  conversation(request, process, ending, start).hold(started.out.fd(), started.err.fd());
  if (ending.wall_ns == 0) ending.wall_ns = host_now() - start;
  process.kill_group();
  note_end(process.reap(), ending);
  return ending;
}

void note_end(const child_end& end, process_ending& ending) {
  ending.cpu_ns = end.cpu_ns;
  ending.code = end.code;
  if (ending.how == process_end::exited && end.is_signalled) ending.how = process_end::signalled;
}

std::string failure_words(const process_ending& ending) {
  switch (ending.how) {
    case process_end::signalled:
      return fmt::format("killed by signal {}", ending.code);
    case process_end::out_of_time:
      return fmt::format("still running after {:.1f} s, and killed",
                         static_cast<double>(ending.wall_ns) * 1e-9);
    case process_end::interrupted:
      return "interrupted";
    case process_end::flooded:
      return "wrote more than can be kept, and was killed";
    case process_end::exited:
      break;
  }
  if (ending.code == 0) return {};
  std::string tail = ending.error_tail;
  while (!tail.empty() && (tail.back() == '\n' || tail.back() == '\r')) tail.pop_back();
  const std::size_t line = tail.rfind('\n');
  if (line != std::string::npos) tail.erase(0, line + 1);
  return fmt::format("exit status {}{}{}", ending.code, tail.empty() ? "" : ": ", tail);
}

}  // namespace assay::compare
