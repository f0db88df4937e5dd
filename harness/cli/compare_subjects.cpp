// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare_subjects.h"

#include <regex.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "harness/cli/loaded_image.h"
#include "harness/cli/loaded_objects.h"
#include "harness/cli/moved_code.h"
#include "harness/compare/merged_run.h"
#include "harness/compare/slice_worker.h"
#include "harness/ingest/assay_counts.h"
#include "harness/ingest/complaint.h"
#include "harness/ingest/file_text.h"
#include "harness/ingest/google_benchmark.h"
#include "harness/ingest/json_text.h"
#include "harness/ingest/metric_unit.h"

namespace assay::cli {
namespace {

constexpr std::string_view control_name = "control kernel of assay";

// ECMAScript's and POSIX's operators alike: the name has to match as it stands.
std::string escaped(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string line = text.substr(start, end - start);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) lines.push_back(std::move(line));
    start = end + 1;
  }
  return lines;
}

result<std::vector<std::string>> listed_by(const std::string& path, const binary_flags& flags,
                                           std::int64_t limit_ns,
                                           const std::function<bool()>& is_interrupted) {
  std::vector<std::string> command{path, "--benchmark_list_tests=true",
                                   "--benchmark_format=console"};
  command.insert(command.end(), flags.arguments.begin(), flags.arguments.end());
  const auto ending = compare::run_process({command, limit_ns, is_interrupted});
  if (!ending) return ASSAY_FAIL(unusable_input, ending.error().message);
  if (ending->how == compare::process_end::interrupted)
    return ASSAY_FAIL(interrupted, "interrupted before anything was measured");
  if (!ending->is_good())
    return ASSAY_FAIL(unusable_input,
                      fmt::format("{}: --benchmark_list_tests: {}; give a Google Benchmark binary",
                                  path, ingest::printable(compare::failure_words(*ending), 200)));
  std::vector<std::string> names = lines_of(ending->out);
  if (names.empty())
    return ASSAY_FAIL(unusable_input,
                      fmt::format("{}: lists no benchmark; look at --benchmark_list_tests", path));
  return names;
}

// A foreign binary either lists its benchmarks once more or complains of a flag: both are a no.
result<bool> serves_slices(const std::string& path, std::int64_t limit_ns,
                           const std::function<bool()>& is_interrupted) {
  ASSAY_TRY_ASSIGN(const auto ending,
                   compare::run_process({{path, "--benchmark_list_tests=true",
                                          std::string(compare::slice_protocol_flag)},
                                         limit_ns,
                                         is_interrupted}));
  // No answer is no no: whether its processes take turns must not depend on a machine that is slow.
  if (ending.how == compare::process_end::out_of_time)
    return ASSAY_FAIL(unavailable,
                      fmt::format("{}: asked for its benchmarks, it was {}; raise --process-limit",
                                  path, compare::failure_words(ending)));
  return ending.is_good() && ending.out.starts_with(compare::slice_protocol_words);
}

enum class code_relation : std::uint8_t { other, moved, same };

result<code_relation> relation_of(const std::string& one, const std::string& other) {
  ASSAY_TRY_ASSIGN(const auto a, ingest::file_text::open(one));
  ASSAY_TRY_ASSIGN(const auto b, ingest::file_text::open(other));
  if (is_same_image(a.view(), b.view())) return code_relation::same;
  return is_moved_code(a.view(), b.view()) ? code_relation::moved : code_relation::other;
}

// What a build may write into a program of the place where it was made: its own folder and those
// above it, the longest first; not those that hold everything.
std::vector<std::string> folders_above(const std::string& path) {
  std::error_code code;
  const std::filesystem::path whole = std::filesystem::canonical(path, code);
  std::vector<std::string> folders;
  for (auto each = whole.parent_path(); each.has_relative_path() && !code;
       each = each.parent_path())
    folders.push_back(each.string());
  return folders;
}

std::vector<std::string> worker_command(const std::string& path, const std::string& name) {
  return {path, fmt::format("{}{}", compare::slice_row_flag, name)};
}

// Eight short repetitions, of which the best is the process's number.
std::vector<std::string> one_row_command(const std::string& path, const std::string& name,
                                         const binary_flags& flags) {
  std::vector<std::string> command{path, fmt::format("--benchmark_filter=^{}$", escaped(name)),
                                   "--benchmark_format=json", "--benchmark_repetitions=8",
                                   "--benchmark_min_time=0.01"};
  command.insert(command.end(), flags.arguments.begin(), flags.arguments.end());
  return command;
}

model::sample_row single(std::string name, std::string metric, double ns) {
  model::sample_row row;
  row.name = std::move(name);
  row.metric = std::move(metric);
  row.unit = "ns";
  row.better = model::direction::lower_is_better;
  row.process_values = {ns};
  row.iteration_count = 1;
  return row;
}

// "12.5 ms" in the last line that is not empty.
result<std::vector<model::sample_row>> printed_number(const std::string& out,
                                                      const compare::run_subject& subject) {
  const std::vector<std::string> lines = lines_of(out);
  const std::string last = lines.empty() ? std::string() : lines.back();
  const std::size_t space = last.find(' ');
  const auto value = ingest::number_in(std::string_view(last).substr(0, space));
  const auto unit = space == std::string::npos
                        ? std::nullopt
                        : ingest::known_unit(std::string_view(last).substr(space + 1));
  if (!value || !unit || !(*value > 0))
    return ASSAY_FAIL(unusable_input,
                      fmt::format("its last line is '{}'; print a number above 0 and a unit, such "
                                  "as 12.5 ms",
                                  ingest::printable(last)));
  model::sample_row row = single(subject.name, subject.metric, *value * unit->factor);
  row.unit = unit->base;
  row.better = unit->better;
  return std::vector{row};
}

// A benchmark may print before its JSON begins.
std::string_view json_part(std::string_view out) {
  const std::size_t start = out.find("{\n");
  return start == std::string_view::npos ? out : out.substr(start);
}

}  // namespace

result<output_format> parse_output_format(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, output_format>, 3> formats{
      {{"wall", output_format::wall},
       {"number", output_format::number},
       {"google-benchmark", output_format::google_benchmark}}};
  for (const auto& [name, format] : formats)
    if (text == name) return format;
  return ASSAY_FAIL(
      usage, fmt::format("--format: '{}' is none; use wall, number or google-benchmark", text));
}

compare::run_subject command_subject(const std::string& base, const std::string& head,
                                     output_format format) {
  compare::run_subject subject;
  subject.name = base == head ? base : fmt::format("{} → {}", base, head);
  subject.metric = format == output_format::wall ? "wall_time" : "printed";
  subject.base_command = {"/bin/sh", "-c", base};
  subject.head_command = {"/bin/sh", "-c", head};
  return subject;
}

result<std::vector<compare::run_subject>> binary_subjects(
    const binary_flags& flags, std::int64_t limit_ns, const std::function<bool()>& is_interrupted) {
  ASSAY_TRY_ASSIGN(const auto is_wanted, name_filter("--scenarios", flags.scenarios));
  ASSAY_TRY_ASSIGN(const auto in_base, listed_by(flags.base, flags, limit_ns, is_interrupted));
  ASSAY_TRY_ASSIGN(const auto in_head, listed_by(flags.head, flags, limit_ns, is_interrupted));
  ASSAY_TRY_ASSIGN(const code_relation relation, relation_of(flags.base, flags.head));
  bool is_sliced = flags.arguments.empty() && !flags.is_process_grain;
  for (const std::string* path : {&flags.base, &flags.head}) {
    if (!is_sliced) break;
    ASSAY_TRY_ASSIGN(is_sliced, serves_slices(*path, limit_ns, is_interrupted));
  }
  const auto command = [&](const std::string& path, const std::string& name) {
    return is_sliced ? worker_command(path, name) : one_row_command(path, name, flags);
  };
  const std::set<std::string> base_names(in_base.begin(), in_base.end());
  const std::set<std::string> head_names(in_head.begin(), in_head.end());
  std::vector<std::string> order = in_base;
  order.insert(order.end(), in_head.begin(), in_head.end());
  std::set<std::string> seen;
  std::vector<compare::run_subject> subjects;
  for (const std::string& name : order) {
    if (!is_wanted(name) || !seen.insert(name).second) continue;
    compare::run_subject subject;
    subject.name = name;
    subject.metric = "real_time";
    subject.is_same_code = relation == code_relation::same;
    subject.is_moved_code = relation == code_relation::moved;
    subject.is_sliced = is_sliced;
    if (base_names.count(name) > 0) subject.base_command = command(flags.base, name);
    if (head_names.count(name) > 0) subject.head_command = command(flags.head, name);
    subjects.push_back(std::move(subject));
  }
  if (subjects.empty())
    return ASSAY_FAIL(usage,
                      fmt::format("--scenarios: '{}' matches none of {} benchmarks; see what "
                                  "the binary lists",
                                  flags.scenarios, base_names.size() + head_names.size()));
  return subjects;
}

namespace {

result<void> watch_libraries_of(const std::string& program, std::int64_t limit_ns,
                                const std::function<bool()>& is_interrupted,
                                measured_files& files) {
  ASSAY_TRY_ASSIGN(const auto objects, loaded_objects(program, limit_ns, is_interrupted));
  for (const std::string& each : objects) ASSAY_TRY(files.watch_library(each));
  return {};
}

}  // namespace

result<void> watch_line(const std::string& shell_line, std::int64_t limit_ns,
                        const std::function<bool()>& is_interrupted, measured_files& files) {
  ASSAY_TRY_ASSIGN(const auto programs, files.watch_programs_of(shell_line));
  for (const std::string& each : programs)
    ASSAY_TRY(watch_libraries_of(each, limit_ns, is_interrupted, files));
  return {};
}

result<measured_files> note_binaries(const binary_flags& flags, std::int64_t limit_ns,
                                     const std::function<bool()>& is_interrupted,
                                     std::vector<model::fact>& facts) {
  measured_files programs;
  const auto note = [&](const std::string& path, const char* bytes_name,
                        const char* code_name) -> result<void> {
    ASSAY_TRY_ASSIGN(const file_digest bytes, programs.watch(path));
    facts.push_back({bytes_name, bytes.words()});
    ASSAY_TRY_ASSIGN(const auto file, ingest::file_text::open(path));
    if (const auto code = loaded_digest(file.view(), folders_above(path)))
      facts.push_back({code_name, fmt::format("{:016x}, as loaded", *code)});
    ASSAY_TRY(watch_libraries_of(path, limit_ns, is_interrupted, programs));
    return {};
  };
  ASSAY_TRY(note(flags.base, compare::base_digest_name, compare::base_code_name));
  ASSAY_TRY(note(flags.head, compare::head_digest_name, compare::head_code_name));
  return programs;
}

compare::run_subject counts_subject(std::vector<std::string> base, std::vector<std::string> head) {
  compare::run_subject subject;
  subject.name = "exact counts";
  subject.metric = "count";
  subject.base_command = std::move(base);
  subject.head_command = std::move(head);
  subject.is_exact = true;
  return subject;
}

compare::run_subject control_subject() {
  // Not by its path: a build may have put another program there.
  const std::string self = "/proc/self/exe";
  compare::run_subject subject;
  subject.name = control_name;
  subject.metric = "printed";
  subject.base_command = {self, "compare", "--run-control-kernel"};
  subject.head_command = subject.base_command;
  subject.is_control = true;
  return subject;
}

compare::output_reader reader_of(output_format format, const std::string& metric) {
  return [format, metric](
             const compare::process_ending& ending,
             const compare::run_subject& subject) -> result<std::vector<model::sample_row>> {
    if (subject.is_exact) {
      ASSAY_TRY_ASSIGN(auto counts, ingest::parse_assay_counts(ending.out, "the output", "count"));
      return std::move(counts.rows);
    }
    if (subject.is_control || format == output_format::number)
      return printed_number(ending.out, subject);
    if (format == output_format::wall)
      return std::vector{single(subject.name, subject.metric, static_cast<double>(ending.wall_ns))};
    ASSAY_TRY_ASSIGN(auto set,
                     ingest::parse_google_benchmark(json_part(ending.out), "the output", metric));
    return std::move(set.rows);
  };
}

result<std::function<bool(const std::string&)>> name_filter(const std::string& flag,
                                                            const std::string& expression) {
  if (expression.empty())
    return std::function<bool(const std::string&)>([](const std::string&) { return true; });
  const std::shared_ptr<regex_t> compiled(new regex_t{}, [](regex_t* r) {
    ::regfree(r);
    delete r;
  });
  if (const int code = ::regcomp(compiled.get(), expression.c_str(), REG_EXTENDED | REG_NOSUB);
      code != 0) {
    std::array<char, 200> why{};
    ::regerror(code, compiled.get(), why.data(), why.size());
    return ASSAY_FAIL(usage, fmt::format("{}: '{}' is no regular expression: {}; see regex(7)",
                                         flag, expression, why.data()));
  }
  return std::function<bool(const std::string&)>([compiled](const std::string& name) {
    return ::regexec(compiled.get(), name.c_str(), 0, nullptr, 0) == 0;
  });
}

}  // namespace assay::cli
