// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// One side of the comparison that tokenizer_speed.mjs drives. Lines on standard input:
//   text FILE     takes the file as the text
//   encode CALLS  encodes it so often; answers "WALL_NS CPU_NS IDS", of all calls and of the last
#include "runtime/telemetry/counter_writer.h"
#include "runtime/tokenizer/tokenizer.h"

#include <fmt/format.h>

#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>

namespace {

std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void answer_encode(const assay::tokenizer::tokenizer& subject, const std::string& text, int calls) {
  std::size_t ids = 0;
  const std::int64_t cpu_before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  const std::int64_t before = clock_ns(CLOCK_MONOTONIC);
  for (int i = 0; i < calls; ++i) ids = subject.encode(text).size();
  const std::int64_t wall_ns = clock_ns(CLOCK_MONOTONIC) - before;
  fmt::print("{} {} {}\n", wall_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_before, ids);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  assay::telemetry::null_writer no_counters;
  if (argc != 2) return 2;
  const std::int64_t before = clock_ns(CLOCK_MONOTONIC);
  const auto subject = assay::tokenizer::tokenizer::load(argv[1], no_counters);
  if (!subject) {
    fmt::print(stderr, "{}\n", subject.error().message);
    return 2;
  }
  fmt::print("{}\n", clock_ns(CLOCK_MONOTONIC) - before);
  std::fflush(stdout);
  std::string text;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string verb;
    std::string rest;
    words >> verb >> rest;
    if (verb == "text") {
      std::ifstream in(rest, std::ios::binary);
      text.assign(std::istreambuf_iterator<char>(in), {});
    } else if (verb == "encode") {
      answer_encode(*subject, text, std::stoi(rest));
    }
  }
}
