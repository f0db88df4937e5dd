// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/process_runner.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "runtime/telemetry/clock.h"

namespace assay::compare {
namespace {

constexpr std::size_t most_out_bytes = std::size_t{256} << 20;
constexpr std::size_t most_error_bytes = 4096;
constexpr int poll_ms = 100;

class descriptor {
 public:
  explicit descriptor(int fd = -1) : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~descriptor() { close(); }
  int fd() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

struct pipe_ends {
  descriptor read;
  descriptor write;
};

result<pipe_ends> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return ASSAY_FAIL(io, fmt::format("no pipe to a benchmark can be made: {}; close some files",
                                      std::strerror(errno)));
  return pipe_ends{descriptor(ends[0]), descriptor(ends[1])};
}

std::int64_t ns_of(const timeval& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::int64_t>(time.tv_usec) * 1000;
}

// Between fork and exec: nothing but calls that are safe there.
[[noreturn]] void become(char* const* words, int out, int err, int refusal, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = ::open("/dev/null", O_RDONLY);
  // Whoever started us may have died before prctl: nobody would kill this process then.
  if (::getppid() != parent || nothing < 0 || ::dup2(nothing, 0) < 0 || ::dup2(out, 1) < 0 ||
      ::dup2(err, 2) < 0)
    ::_exit(127);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGXFSZ, SIG_DFL);
  ::execvp(words[0], words);
  const int why = errno;
  static_cast<void>(!::write(refusal, &why, sizeof why));
  ::_exit(127);
}

// A started process; its group is gone with this object.
class child {
 public:
  explicit child(pid_t pid) : pid_(pid) {}
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  ~child() {
    if (is_reaped_) return;
    kill_group();
    ::waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

  void kill_group() const { ::kill(-pid_, SIGKILL); }

  /// Waits for the end; afterwards what the process left running is killed.
  void reap(process_ending& ending) {
    int status = 0;
    rusage used{};
    while (::wait4(pid_, &status, 0, &used) < 0 && errno == EINTR) {
    }
    is_reaped_ = true;
    ending.cpu_ns = ns_of(used.ru_utime) + ns_of(used.ru_stime);
    if (ending.how == process_end::exited && WIFSIGNALED(status))
      ending.how = process_end::signalled;
    ending.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  }

  /// Whether the process itself has ended; it is not reaped, so that its group stays its own.
  bool is_over() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == pid_;
  }

 private:
  pid_t pid_;
  bool is_reaped_ = false;
};

// Appends what is there; false at the end of the stream.
bool drain(int fd, std::string& into) {
  std::array<char, 1 << 16> buffer;
  const ssize_t got = ::read(fd, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  into.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0;
}

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

failure no_such_program(const std::string& program, int why) {
  return ASSAY_FAIL(unavailable, fmt::format("{}: cannot be run: {}; check the path and its "
                                             "permissions",
                                             program, std::strerror(why)));
}

}  // namespace

result<process_ending> run_process(const process_request& request) {
  std::vector<std::string> words = request.command;
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ASSAY_TRY_ASSIGN(pipe_ends out, make_pipe());
  ASSAY_TRY_ASSIGN(pipe_ends err, make_pipe());
  ASSAY_TRY_ASSIGN(pipe_ends refusal, make_pipe());
  process_ending ending;
  const pid_t parent = ::getpid();
  const host_time start = host_now();
  const pid_t pid = ::fork();
  if (pid < 0)
    return ASSAY_FAIL(io, fmt::format("no process can be started: {}; raise the limit (ulimit -u)",
                                      std::strerror(errno)));
  if (pid == 0) become(pointers.data(), out.write.fd(), err.write.fd(), refusal.write.fd(), parent);
  ::setpgid(pid, pid);  // here too: whichever of the two comes first
  child process(pid);
  out.write.close();
  err.write.close();
  refusal.write.close();
  int why = 0;
  if (::read(refusal.read.fd(), &why, sizeof why) == sizeof why)
    return no_such_program(words.front(), why);
  conversation(request, process, ending, start).hold(out.read.fd(), err.read.fd());
  if (ending.wall_ns == 0) ending.wall_ns = host_now() - start;
  process.kill_group();
  process.reap(ending);
  return ending;
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
