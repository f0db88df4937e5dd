// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What `assay compare` starts: two commands, or the benchmarks of two binaries.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/cli/measured_files.h"
#include "harness/compare/paired_run.h"
#include "harness/compare/run_record.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

/// How the output of a command becomes a number.
enum class output_format : std::uint8_t { wall, number, google_benchmark };

result<output_format> parse_output_format(const std::string& text);

/// One subject: both lines go through /bin/sh -c.
compare::run_subject command_subject(const std::string& base, const std::string& head,
                                     output_format format);

struct binary_flags {
  std::string base;
  std::string head;
  std::vector<std::string> arguments;  ///< added to every run of either
  std::string scenarios;               ///< POSIX extended; empty for all
  bool is_process_grain = false;       ///< one process after the other, also of those that could
                                       ///< take turns
};

/// One subject for each benchmark that either binary lists. Where the two differ in nothing that is
/// loaded (loaded_image.h) each subject is of the same code; where it was only moved
/// (moved_code.h), of moved code. Where both binaries say that they
/// serve slices, and no arguments are given that a worker would not know, subjects are workers that
/// take turns. Errors: unusable_input where a file is no program, fails, or lists nothing; usage
/// for a bad expression.
result<std::vector<compare::run_subject>> binary_subjects(
    const binary_flags& flags, std::int64_t limit_ns, const std::function<bool()>& is_interrupted);

/// Which bytes are measured on each side, and what of them is loaded, as facts by which shards of
/// one run know each other. The binaries as they are now, and the libraries that they bring along.
/// Errors: unusable_input where a file cannot be read.
result<measured_files> note_binaries(const binary_flags& flags, std::int64_t limit_ns,
                                     const std::function<bool()>& is_interrupted,
                                     std::vector<model::fact>& facts);

/// The programs that a command line names, and the libraries that they bring along. Errors: as
/// note_binaries.
result<void> watch_line(const std::string& shell_line, std::int64_t limit_ns,
                        const std::function<bool()>& is_interrupted, measured_files& files);

/// Two command lines that print exact counts, as `assay decode --counts` does; read by the same
/// reader whatever the format of the rest.
compare::run_subject counts_subject(std::vector<std::string> base, std::vector<std::string> head);

/// The control kernel of this very program on both sides.
compare::run_subject control_subject();

/// Reads what a process of these subjects printed.
compare::output_reader reader_of(output_format format, const std::string& metric);

/// Whether a name matches a POSIX extended expression. Errors: usage, naming the flag.
result<std::function<bool(const std::string&)>> name_filter(const std::string& flag,
                                                            const std::string& expression);

}  // namespace assay::cli
