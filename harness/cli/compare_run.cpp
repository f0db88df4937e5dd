// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare_run.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "harness/cli/compare_subjects.h"
#include "harness/cli/interrupt.h"
#include "harness/compare/run_file.h"
#include "harness/compare/run_report.h"

namespace assay::cli {
namespace {

// Line by line, each whole before the next process starts: unlike a report, a log that was cut off
// is worth keeping.
class sample_log {
 public:
  static result<sample_log> open(const std::string& path) {
    if (path.empty()) return sample_log(path, -1);
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) return ASSAY_FAIL(io, refusal(path));
    return sample_log(path, fd);
  }
  sample_log(sample_log&& other) noexcept
      : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}
  sample_log& operator=(sample_log&&) = delete;
  ~sample_log() {
    if (fd_ >= 0) ::close(fd_);
  }

  result<void> write(std::string_view line) {
    while (fd_ >= 0 && !line.empty()) {
      const ssize_t written = ::write(fd_, line.data(), line.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return ASSAY_FAIL(io, refusal(path_));
      line.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
  }

 private:
  sample_log(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  static std::string refusal(const std::string& path) {
    return fmt::format(
        "{}: cannot be written: {}; check the path, its permissions and the free space", path,
        std::strerror(errno));
  }
  std::string path_;
  int fd_;
};

std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "unknown: /proc/cpuinfo names none";
}

}  // namespace

std::vector<model::fact> host_facts() {
  utsname system{};
  const bool is_known = ::uname(&system) == 0;
  const auto text = [&](const char* field) {
    return is_known ? std::string(field) : std::string("unknown: uname failed");
  };
  return {{"host", text(system.nodename)},
          {"kernel", text(system.release)},
          {"processor", processor_name()},
          {"cores", fmt::format("{}", std::thread::hardware_concurrency())}};
}

result<model::comparison_report> measure_and_judge(const measured_comparison& what,
                                                   const progress& tell) {
  ASSAY_TRY_ASSIGN(sample_log log_file, sample_log::open(what.samples_path));
  compare::run_log log;
  log.rules = what.rules;
  log.subjects = what.subjects;
  if (what.has_control) log.subjects.push_back(control_subject());
  log.facts = host_facts();
  log.facts.insert(log.facts.end(), what.facts.begin(), what.facts.end());
  ASSAY_TRY(log_file.write(compare::head_line(log)));
  compare::run_hooks hooks;
  hooks.is_interrupted = is_interrupted;
  hooks.progress = tell;
  hooks.on_record = [&](const compare::process_record& record) {
    return log_file.write(compare::record_line(record));
  };
  measured_files programs = what.programs;
  hooks.check_programs = [&programs] { return programs.check(); };
  const std::size_t facts_before = log.facts.size();
  auto ran = compare::run_pairs(log, what.limits, what.reader, hooks);
  tell("");
  if (ran && log.is_complete) {
    ran = programs.check_bytes();
    if (!ran) {
      log.is_complete = false;
      log.incompleteness = ran.error().message;
    }
  }
  const std::vector<model::fact> added(
      log.facts.begin() + static_cast<std::ptrdiff_t>(facts_before), log.facts.end());
  // A log that could not be written stays without an end, which says as much.
  if (ran || ran.error().kind == error_kind::unavailable)
    ASSAY_TRY(log_file.write(compare::end_line(log, added)));
  if (!ran) return failure(ran.error());
  return compare::report_of(log);
}

}  // namespace assay::cli
