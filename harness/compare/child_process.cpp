// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <system_error>
#include <thread>

#include <fmt/format.h>

namespace assay::compare {
namespace {

struct stream_ends {
  descriptor read;
  descriptor write;
};

// Processes whose parent this process is, from /proc: the second word behind the name's last
// bracket.
std::vector<pid_t> children_now() {
  std::vector<pid_t> children;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", code)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream in(entry.path() / "stat");
    std::string stat;
    std::getline(in, stat);
    const std::size_t bracket = stat.rfind(')');
    if (bracket == std::string::npos || bracket + 4 >= stat.size()) continue;
    if (std::atol(stat.c_str() + bracket + 4) == ::getpid())
      children.push_back(static_cast<pid_t>(std::atol(name.c_str())));
  }
  return children;
}

bool has_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

// A process that leaves its group (setsid) and outlives who started it comes to us, who are its
// subreaper. Once no process of ours is left, whatever child we have then and had not before is
// such a one.
class household {
 public:
  // Before a process is started.
  void look_around() {
    const std::lock_guard lock(mutex_);
    if (!own_.empty()) return;
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    others_ = has_children() ? children_now() : std::vector<pid_t>();
  }

  void take_in(pid_t pid) {
    const std::lock_guard lock(mutex_);
    own_.push_back(pid);
  }

  void let_go(pid_t pid) {
    const std::lock_guard lock(mutex_);
    own_.erase(std::remove(own_.begin(), own_.end(), pid), own_.end());
    if (own_.empty() && has_children()) sweep();
  }

 private:
  // Each that is killed may leave children of its own to us. One that the kernel does not let die
  // is not waited for longer than a second.
  void sweep() const {
    constexpr int most_rounds = 1000;
    for (int round = 0; round < most_rounds; ++round) {
      bool is_any = false;
      for (const pid_t pid : children_now()) {
        if (std::find(others_.begin(), others_.end(), pid) != others_.end()) continue;
        is_any = true;
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, WNOHANG);
      }
      if (!is_any) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  std::mutex mutex_;
  std::vector<pid_t> own_;
  std::vector<pid_t> others_;
};

household& our_household() {
  static household all;
  return all;
}

failure no_stream() {
  return ASSAY_FAIL(io, fmt::format("no pipe to a benchmark can be made: {}; close some files",
                                    std::strerror(errno)));
}

result<stream_ends> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return no_stream();
  return stream_ends{descriptor(ends[0]), descriptor(ends[1])};
}

// A socket and no pipe: writing to a process that is gone is then an error and no signal.
result<stream_ends> make_input(child_input input) {
  if (input == child_input::none) return stream_ends{};
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return no_stream();
  return stream_ends{descriptor(ends[0]), descriptor(ends[1])};
}

std::int64_t ns_of(const timeval& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::int64_t>(time.tv_usec) * 1000;
}

struct child_streams {
  int in;
  int out;
  int err;
  int refusal;
};

// Between fork and exec: nothing but calls that are safe there.
[[noreturn]] void become(char* const* words, const child_streams& to, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int in = to.in >= 0 ? to.in : ::open("/dev/null", O_RDONLY);
  // Whoever started us may have died before prctl: nobody would kill this process then.
  if (::getppid() != parent || in < 0 || ::dup2(in, 0) < 0 || ::dup2(to.out, 1) < 0 ||
      ::dup2(to.err, 2) < 0)
    ::_exit(127);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGXFSZ, SIG_DFL);
  ::execvp(words[0], words);
  const int why = errno;
  static_cast<void>(!::write(to.refusal, &why, sizeof why));
  ::_exit(127);
}

failure no_such_program(const std::string& program, int why) {
  return ASSAY_FAIL(unavailable, fmt::format("{}: cannot be run: {}; check the path and its "
                                             "permissions",
                                             program, std::strerror(why)));
}

}  // namespace

void descriptor::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

child::~child() {
  if (pid_ < 0) return;
  kill_group();
  ::waitpid(pid_, nullptr, 0);
  our_household().let_go(pid_);
}

void child::kill_group() const {
  ::kill(-pid_, SIGKILL);
}

child_end child::reap() {
  int status = 0;
  rusage used{};
  while (::wait4(pid_, &status, 0, &used) < 0 && errno == EINTR) {
  }
  our_household().let_go(std::exchange(pid_, -1));
  return {WIFSIGNALED(status), WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
          ns_of(used.ru_utime) + ns_of(used.ru_stime)};
}

bool child::is_over() const {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid_;
}

bool drain(int fd, std::string& into) {
  std::array<char, 1 << 16> buffer;
  const ssize_t got = ::read(fd, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  into.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0;
}

result<started_child> start_child(const std::vector<std::string>& command, child_input input) {
  std::vector<std::string> words = command;
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ASSAY_TRY_ASSIGN(stream_ends in, make_input(input));
  ASSAY_TRY_ASSIGN(stream_ends out, make_pipe());
  ASSAY_TRY_ASSIGN(stream_ends err, make_pipe());
  ASSAY_TRY_ASSIGN(stream_ends refusal, make_pipe());
  our_household().look_around();
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0)
    return ASSAY_FAIL(io, fmt::format("no process can be started: {}; raise the limit (ulimit -u)",
                                      std::strerror(errno)));
  if (pid == 0)
    become(pointers.data(), {in.read.fd(), out.write.fd(), err.write.fd(), refusal.write.fd()},
           parent);
  ::setpgid(pid, pid);  // here too: whichever of the two comes first
  our_household().take_in(pid);
  child process(pid);
  refusal.write.close();
  int why = 0;
  if (::read(refusal.read.fd(), &why, sizeof why) == sizeof why)
    return no_such_program(words.front(), why);
  return started_child{std::move(process), std::move(in.write), std::move(out.read),
                       std::move(err.read)};
}

}  // namespace assay::compare
