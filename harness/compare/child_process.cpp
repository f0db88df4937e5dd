// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

namespace assay::compare {
namespace {

struct stream_ends {
  descriptor read;
  descriptor write;
};

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
}

void child::kill_group() const {
  ::kill(-pid_, SIGKILL);
}

child_end child::reap() {
  int status = 0;
  rusage used{};
  while (::wait4(pid_, &status, 0, &used) < 0 && errno == EINTR) {
  }
  pid_ = -1;
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
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0)
    return ASSAY_FAIL(io, fmt::format("no process can be started: {}; raise the limit (ulimit -u)",
                                      std::strerror(errno)));
  if (pid == 0)
    become(pointers.data(), {in.read.fd(), out.write.fd(), err.write.fd(), refusal.write.fd()},
           parent);
  ::setpgid(pid, pid);  // here too: whichever of the two comes first
  child process(pid);
  refusal.write.close();
  int why = 0;
  if (::read(refusal.read.fd(), &why, sizeof why) == sizeof why)
    return no_such_program(words.front(), why);
  return started_child{std::move(process), std::move(in.write), std::move(out.read),
                       std::move(err.read)};
}

}  // namespace assay::compare
