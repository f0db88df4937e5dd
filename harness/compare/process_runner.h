// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One process from start to end, and nothing of it left behind.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/telemetry/result.h"

namespace assay::compare {

struct process_request {
  std::vector<std::string> command;      ///< program, looked up in PATH, and its arguments
  std::int64_t limit_ns = 0;             ///< killed after that long; 0 for never
  std::function<bool()> is_interrupted;  ///< asked ten times a second; may be empty
};

enum class process_end : std::uint8_t { exited, signalled, out_of_time, interrupted, flooded };

struct process_ending {
  process_end how = process_end::exited;
  int code = 0;              ///< exit status, or the signal
  std::int64_t wall_ns = 0;  ///< from before the start to after the end
  std::int64_t cpu_ns = 0;   ///< user and system time of the process and the children it waited for
  std::string out{};         ///< standard output
  std::string error_tail{};  ///< the end of standard error, at most 4 KiB

  bool is_good() const { return how == process_end::exited && code == 0; }
};

/// Runs the command in a process group of its own, its standard input empty. Whatever is left of
/// the group when the process has ended, its time is over, it is interrupted, or writes more than
/// 256 MiB, is killed, and what had left the group (setsid) once no other process of ours runs.
/// Where this process dies itself, the command is killed, and not what it had started. Errors: io
/// where no process can be started; unavailable where there is no such program. Threads: from one
/// thread at a time.
result<process_ending> run_process(const process_request& request);

struct child_end;
/// What a child's end says of the process. Something that was noted before, as its time being over,
/// stays.
void note_end(const child_end& end, process_ending& ending);

/// "exit status 3: last line of stderr", "killed by signal 11", "still running after 10 s".
std::string failure_words(const process_ending& ending);

}  // namespace assay::compare
