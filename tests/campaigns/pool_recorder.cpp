// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Records a pool: numbers of many processes, block after block. Needs nothing but itself, so that
// it runs where nothing of ours is installed.
//   pool_recorder record FILE SECONDS SEED   adds blocks to the file; resumable, each written whole
//   pool_recorder once ROW PERCENT           the best of eight short runs of a row, as one number
//   pool_recorder list                       rows, and which are planted
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/telemetry/clock.h"
#include "tests/campaigns/pool_rows.h"

extern char** environ;

namespace assay::campaigns {
namespace {

constexpr int runs = 8;
constexpr double run_ns = 300'000.0;
// 5 % of it is a whole call: what is planted is in every run, and the best of eight has it too.
constexpr std::uint64_t calls_step = 20;
constexpr std::array<unsigned, 2> planted_percents{5, 10};

double timed(scenarios::kernel_run& run, std::uint64_t calls) {
  const host_time start = host_now();
  run.call(calls);
  return static_cast<double>(std::max<std::int64_t>(host_now() - start, 1)) /
         static_cast<double>(calls);
}

// `percent` of all calls are made twice, and are not counted.
std::optional<double> best_of(std::size_t row, unsigned percent) {
  const auto list = pool_rows(0);
  if (row >= list.rows.size()) return std::nullopt;
  const auto run = list.rows[row].make();
  if (!run) return std::nullopt;
  const double guess = std::min(timed(**run, 1), timed(**run, 4));
  const auto steps = static_cast<std::uint64_t>(run_ns / (guess * double{calls_step}));
  const std::uint64_t calls = calls_step * std::clamp<std::uint64_t>(steps, 1, 1'000'000);
  const std::uint64_t made = calls + calls * percent / 100;
  double best = timed(**run, made);
  for (int i = 1; i < runs; ++i) best = std::min(best, timed(**run, made));
  return best * static_cast<double>(made) / static_cast<double>(calls);
}

// What a process of our own prints. A process that fails has no number, and ends the recording.
std::optional<double> number_of_process(std::size_t row, unsigned percent) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::array<std::string, 4> words{"pool_recorder", "once", std::to_string(row),
                                   std::to_string(percent)};
  std::array<char*, 5> arguments{words[0].data(), words[1].data(), words[2].data(), words[3].data(),
                                 nullptr};
  pid_t child = 0;
  const int spawned =
      ::posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::array<char, 64> said{};
  std::size_t length = 0;
  for (ssize_t got = 1; spawned == 0 && got > 0 && length + 1 < said.size();
       length += static_cast<std::size_t>(std::max<ssize_t>(got, 0)))
    got = ::read(ends[0], said.data() + length, said.size() - 1 - length);
  ::close(ends[0]);
  int status = -1;
  if (spawned != 0 || ::waitpid(child, &status, 0) != child || status != 0) return std::nullopt;
  const double number = std::strtod(said.data(), nullptr);
  return number > 0 ? std::optional(number) : std::nullopt;
}

class recorder {
 public:
  recorder(std::string path, std::uint64_t seed) : path_(std::move(path)), random_(seed) {
    const auto list = pool_rows(0);
    for (const auto& row : list.rows) names_.push_back(row.name);
  }

  bool record(double seconds) {
    const std::uint64_t before = lines_before();
    random_.discard(before);
    if (before == 0 && !append(head())) return false;
    const host_time start = host_now();
    for (std::uint64_t block = before == 0 ? 0 : before - 1;
         static_cast<double>(host_now() - start) < seconds * 1e9; ++block) {
      const auto line = recorded(block, start);
      if (!line || !append(*line)) return false;
    }
    return true;
  }

 private:
  std::uint64_t lines_before() const {
    std::ifstream in(path_);
    std::uint64_t lines = 0;
    for (std::string line; std::getline(in, line);) ++lines;
    return lines;
  }

  std::string head() const {
    std::string line = R"({"assay_pool":2,"percents":[5,10],"rows":[)";
    for (const std::string& name : names_) line += (line.back() == '[' ? "\"" : ",\"") + name + '"';
    line += R"(],"planted":[)";
    for (std::size_t row = 0; row < names_.size(); ++row)
      if (is_planted(names_[row])) line += (line.back() == '[' ? "" : ",") + std::to_string(row);
    return line + "]}\n";
  }

  // Four processes of one row, one after the other: base head head base, or the other way round.
  bool add_four(std::size_t row, unsigned percent, bool is_base_first, std::string& to) {
    for (const bool is_outer : {true, false, false, true}) {
      const auto ns = number_of_process(row, is_outer == is_base_first ? 0 : percent);
      if (!ns) return false;
      std::array<char, 32> text{};
      std::snprintf(text.data(), text.size(), "%s%.5g", to.empty() ? "" : ",", *ns);
      to += text.data();
    }
    return true;
  }

  std::optional<std::string> recorded(std::uint64_t block, host_time start) {
    std::vector<std::size_t> order(names_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random_);
    std::vector<std::string> plain(names_.size());
    std::array<std::vector<std::string>, planted_percents.size()> planted;
    for (auto& each : planted) each.resize(names_.size());
    for (const std::size_t row : order) {
      if (!add_four(row, 0, true, plain[row])) return std::nullopt;
      if (!is_planted(names_[row])) continue;
      for (std::size_t i = 0; i < planted_percents.size(); ++i) {
        const bool is_base_first = random_() % 2 == 0;
        std::string four;
        if (!add_four(row, planted_percents[i], is_base_first, four)) return std::nullopt;
        planted[i][row] = (is_base_first ? "1," : "0,") + four;
      }
    }
    std::string line = "{\"block\":" + std::to_string(block) +
                       ",\"at_ms\":" + std::to_string((host_now() - start) / 1'000'000) +
                       ",\"ns\":" + listed(plain);
    for (std::size_t i = 0; i < planted_percents.size(); ++i)
      line += ",\"plus" + std::to_string(planted_percents[i]) + "\":" + listed(planted[i]);
    return line + "}\n";
  }

  static std::string listed(const std::vector<std::string>& of_rows) {
    std::string list = "[";
    for (const std::string& each : of_rows)
      if (!each.empty()) list += (list.size() == 1 ? "[" : ",[") + each + "]";
    return list + "]";
  }

  bool append(const std::string& line) {
    std::ofstream out(path_, std::ios::app);
    out << line;
    return static_cast<bool>(out.flush());
  }

  std::string path_;
  std::mt19937_64 random_;
  std::vector<std::string> names_;
};

int main_of(const std::vector<std::string>& words) {
  if (words.size() == 3 && words[0] == "once") {
    const auto best = best_of(std::strtoul(words[1].c_str(), nullptr, 10),
                              static_cast<unsigned>(std::atoi(words[2].c_str())));
    if (best) std::printf("%.9g\n", *best);
    return best ? 0 : 1;
  }
  if (words.size() == 4 && words[0] == "record") {
    recorder into(words[1], std::strtoull(words[3].c_str(), nullptr, 10));
    if (into.record(std::atof(words[2].c_str()))) return 0;
    std::fprintf(stderr, "%s: a process failed or the file cannot be written\n", words[1].c_str());
    return 3;
  }
  if (words.size() == 1 && words[0] == "list") {
    for (const auto& row : pool_rows(0).rows)
      std::printf("%s%s\n", row.name.c_str(), is_planted(row.name) ? "  planted" : "");
    return 0;
  }
  std::fputs("usage: pool_recorder record FILE SECONDS SEED | once ROW PERCENT | list\n", stderr);
  return 2;
}

}  // namespace
}  // namespace assay::campaigns

int main(int argc, char** argv) {
  return assay::campaigns::main_of({argv + 1, argv + argc});
}
