// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a runner that is killed while it writes could take a result with it, leave half
// of one, or block the others.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <random>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/history/entry_json.h"
#include "harness/history/entry_key.h"
#include "harness/history/store.h"
#include "tests/history/places.h"

namespace assay::history {
namespace {

using history_test::numbered_entry;
using history_test::place;

constexpr int writers = 8;

// More of them in the campaign: ASSAY_TEST_RESULTS=1000.
int results_each() {
  const char* wanted = std::getenv("ASSAY_TEST_RESULTS");
  return wanted == nullptr ? 20 : std::atoi(wanted);
}

// Adds all of a writer's entries, those that are there already too, and tells of each one that was
// taken: from then on it may not be lost.
[[noreturn]] void write_all(const std::string& where, int writer, int acknowledged) {
  auto opened = open_database(where);
  if (!opened) ::_exit(1);
  for (int i = 0; i < results_each(); ++i) {
    if (!add(**opened, numbered_entry(writer, i), 1000 * writer + i)) ::_exit(2);
    if (::write(acknowledged, &i, sizeof i) != sizeof i) ::_exit(3);
  }
  ::_exit(0);
}

struct child {
  pid_t pid = -1;
  int acknowledged = -1;
};

child started(const std::string& where, int writer) {
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(ends[0]);
    write_all(where, writer, ends[1]);
  }
  ::close(ends[1]);
  return {pid, ends[0]};
}

// Kills all of them in the middle of their work: after one has told of up to a quarter of its
// results, and a little later.
void kill_at_work(const std::vector<child>& children, std::mt19937& random, std::set<int>& taken) {
  int number = 0;
  const int told = static_cast<int>(random() % static_cast<unsigned>(results_each() / 4)) + 1;
  for (int i = 0; i < told; ++i)
    if (::read(children[0].acknowledged, &number, sizeof number) == sizeof number)
      taken.insert(number);
  ::usleep(static_cast<useconds_t>(random() % (100u * static_cast<unsigned>(results_each()))));
  for (const child& each : children) ::kill(each.pid, SIGKILL);
}

// What the child told before it ended, in its own words.
int ended(const child& of, std::set<int>& taken) {
  for (int number = 0; ::read(of.acknowledged, &number, sizeof number) == sizeof number;)
    taken.insert(number);
  ::close(of.acknowledged);
  int status = 0;
  ::waitpid(of.pid, &status, 0);
  return status;
}

class Writers : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, Writers, testing::Values("file", "postgres"),
                         [](const auto& of) { return std::string(of.param); });

TEST_P(Writers, killed_at_random_lose_nothing_and_double_nothing) {
  const place here(GetParam());
  if (!here.absence().empty()) GTEST_SKIP() << here.absence();
  std::mt19937 random(7);
  constexpr int rounds = 6;
  int killed = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<child> children;
    for (int w = 0; w < writers; ++w) children.push_back(started(here.where(), w));
    const bool is_last = round == rounds - 1;
    std::vector<std::set<int>> taken(writers);
    if (!is_last) kill_at_work(children, random, taken[0]);
    auto kept = open_database(here.where());
    ASSERT_TRUE(kept) << kept.error().message;
    for (int w = 0; w < writers; ++w) {
      std::set<int>& told_of = taken[static_cast<std::size_t>(w)];
      const int status = ended(children[static_cast<std::size_t>(w)], told_of);
      if (WIFSIGNALED(status)) ++killed;
      EXPECT_TRUE(!is_last || status == 0) << "writer " << w;
      for (const int number : told_of) {
        const entry told = numbered_entry(w, number);
        const auto found = find(**kept, key_of(told));
        ASSERT_TRUE(found && *found) << "writer " << w << " result " << number;
        EXPECT_EQ(as_json_line(**found), as_json_line({key_of(told), 1000 * w + number, told}));
      }
    }
  }
  EXPECT_GE(killed, writers) << "too few were killed in time";
  auto kept = open_to_read(here.where());
  ASSERT_TRUE(kept) << kept.error().message;
  const auto count_of = [&](const char* table) {
    return (*(*kept)->run(fmt::format("SELECT count(*) FROM {}", table)))[0][0];
  };
  const std::int64_t all = std::int64_t{writers} * results_each();
  EXPECT_EQ(count_of("results"), cell(all));
  EXPECT_EQ(count_of("facts"), cell(all));
  EXPECT_EQ(count_of("measures"), cell(3 * all));
}

}  // namespace
}  // namespace assay::history
