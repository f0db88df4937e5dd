// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "harness/cli/command_line.h"
#include "harness/cli/cut_file.h"
#include "harness/cli/process_limits.h"
#include "harness/cli/verbs.h"

namespace {

// A caller that closed one of the three would have the next file opened take its number, and the
// text meant for stdout land in the trace. Read-only, so that writing to it fails and is reported.
void hold_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) < 0) static_cast<void>(::open("/dev/null", O_RDONLY));
}

int internal_error(const std::exception& e) {
  std::fprintf(stderr, "assay: internal error: %s\n", e.what());
  return static_cast<int>(assay::cli::exit_code::internal);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace assay::cli;
  hold_standard_descriptors();
  // A limit on file sizes is then an error of write() like a full disk, and reported like one.
  std::signal(SIGXFSZ, SIG_IGN);
  tell_of_cut_files();
  if (const std::string limit = crippling_limit(); !limit.empty()) {
    std::fprintf(stderr, "assay: %s\n", limit.c_str());
    return static_cast<int>(exit_code::could_not_measure);
  }
  try {
    CLI::App app{
        "Assay: is that performance number true? Audits the counters of a decode run, and "
        "compares a change with its base."};
    app.name("assay");
    app.require_subcommand(1);
    app.set_help_all_flag("--help-all", "Help for every verb");
    verb_action action;
    add_audit_verb(app, action);
    add_compare_verb(app, action);
    add_guard_verb(app, action);
    add_report_verb(app, action);
    add_selftest_verb(app, action);
    add_decode_verb(app, action);
    add_plan_verb(app, action);
    add_list_verb(app, action);
    add_doctor_verb(app, action);
    add_history_verb(app, action);
    add_checkpoint_verb(app, action);
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
      return static_cast<int>(end_without_verb(app, e));
    }
    return static_cast<int>(action());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "assay: out of memory; free some, or raise the limit (ulimit -v)\n");
    return static_cast<int>(exit_code::could_not_measure);
  } catch (const std::system_error& e) {
    // The standard library's only way to say that the system starts no more threads.
    if (e.code() != std::errc::resource_unavailable_try_again) return internal_error(e);
    std::fprintf(stderr,
                 "assay: no thread can be started: %s; raise the limits (ulimit -u, ulimit -s), or "
                 "lower ASSAY_HOST_THREADS\n",
                 e.code().message().c_str());
    return static_cast<int>(exit_code::could_not_measure);
  } catch (const std::exception& e) {
    return internal_error(e);
  }
}
