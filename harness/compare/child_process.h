// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A started program and the streams to it. Private to the room: process_runner.h and
// slice_worker.h are what others use.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/telemetry/result.h"

namespace assay::compare {

class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int fd) : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~descriptor() { close(); }
  int fd() const { return fd_; }
  void close();

 private:
  int fd_ = -1;
};

/// How a process ended, once it was waited for.
struct child_end {
  bool is_signalled = false;
  int code = 0;  ///< exit status, or the signal
  std::int64_t cpu_ns = 0;
};

/// A process in a group of its own; the group is gone with this object. With the last object goes
/// also what had left its group: this process makes itself the one to whom such orphans fall.
class child {
 public:
  explicit child(pid_t pid) : pid_(pid) {}
  child(child&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  child& operator=(child&& other) noexcept {
    std::swap(pid_, other.pid_);
    return *this;
  }
  ~child();
  pid_t pid() const { return pid_; }

  void kill_group() const;
  /// Waits for the end. Once.
  child_end reap();
  /// Whether the process itself has ended; it is not reaped, so that its group stays its own.
  bool is_over() const;

 private:
  pid_t pid_;
};

struct started_child {
  child process;
  descriptor in;   ///< to its standard input; none where that is empty
  descriptor out;  ///< its standard output
  descriptor err;
};

enum class child_input : std::uint8_t { none, connected };

/// Starts the program, looked up in PATH. It is killed where this process dies.
/// Errors: io where no process can be started; unavailable where there is no such program.
result<started_child> start_child(const std::vector<std::string>& command, child_input input);

/// Appends what is there; false at the end of the stream.
bool drain(int fd, std::string& into);

}  // namespace assay::compare
