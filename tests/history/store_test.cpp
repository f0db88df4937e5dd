// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a result could be lost, doubled, kept in part, or read back as another.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "harness/history/entry_json.h"
#include "harness/history/entry_key.h"
#include "harness/history/migrations.h"
#include "harness/history/sqlite_database.h"
#include "harness/history/store.h"
#include "tests/history/places.h"

namespace assay::history {
namespace {

using history_test::numbered_entry;
using history_test::place;

class Store : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!place_.absence().empty()) GTEST_SKIP() << place_.absence();
    auto opened = open_database(place_.where());
    ASSERT_TRUE(opened) << opened.error().message;
    kept_ = std::move(*opened);
  }

  bool add_one(const entry& what, std::int64_t at_ns) {
    const auto added = add(*kept_, what, at_ns);
    EXPECT_TRUE(added) << added.error().message;
    return added.value_or(false);
  }

  std::string read_back(const std::string& key) {
    const auto found = find(*kept_, key);
    EXPECT_TRUE(found);
    return found && *found ? as_json_line(**found) : "";
  }

  place place_{GetParam()};
  std::unique_ptr<database> kept_;
};

INSTANTIATE_TEST_SUITE_P(, Store, testing::Values("file", "postgres"),
                         [](const auto& of) { return std::string(of.param); });

TEST_P(Store, gives_back_what_it_was_given) {
  const entry given = numbered_entry(3, 4);
  EXPECT_TRUE(add_one(given, 17));
  EXPECT_EQ(read_back(key_of(given)), as_json_line({key_of(given), 17, given}));
}

TEST_P(Store, adds_the_same_result_once) {
  EXPECT_TRUE(add_one(numbered_entry(1, 1), 10));
  EXPECT_FALSE(add_one(numbered_entry(1, 1), 20));
  EXPECT_TRUE(add_one(numbered_entry(1, 2), 30));
  const auto listed = list(*kept_, 10);
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 2U);
  EXPECT_EQ((*listed)[0].recorded_at_ns, 10);
  EXPECT_EQ((*listed)[1].measures_count, 3);
}

TEST_P(Store, lists_the_newest_and_those_oldest_first) {
  for (int i = 0; i < 5; ++i) add_one(numbered_entry(1, i), 100 - i);
  const auto listed = list(*kept_, 2);
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 2U);
  EXPECT_EQ((*listed)[0].commit, "commit-1");
  EXPECT_EQ((*listed)[1].commit, "commit-0");
}

TEST_P(Store, text_that_looks_like_a_statement_stays_text) {
  entry hostile = numbered_entry(1, 1);
  hostile.commit = "'); DROP TABLE results; --";
  hostile.measures[0].name = "$1 \" ' \\ \xe2\x82\xac";
  EXPECT_TRUE(add_one(hostile, 1));
  EXPECT_EQ(read_back(key_of(hostile)), as_json_line({key_of(hostile), 1, hostile}));
}

TEST_P(Store, a_series_lies_in_the_order_of_recording_and_counts_what_is_absent) {
  add_one(numbered_entry(1, 9), 1);
  add_one(numbered_entry(1, 5), 2);
  const auto all = all_series(*kept_);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2U);
  const series& times = (*all)[0].metric == "real_time" ? (*all)[0] : (*all)[1];
  ASSERT_EQ(times.points.size(), 2U);
  EXPECT_EQ(times.points[0].value, 13.5);
  EXPECT_EQ(times.points[1].commit, "commit-5");
  EXPECT_EQ(times.absent_count, 0);
}

TEST_P(Store, what_was_run_and_on_what_keeps_series_apart) {
  const auto entry_of = [](int number, const char* device, const char* checkpoint) {
    entry made = numbered_entry(1, number);
    made.facts = {{"device", device},
                  {"checkpoint", checkpoint},
                  {"scenario", "embedded"},
                  {"load average before", std::to_string(number)}};
    return made;
  };
  add_one(entry_of(1, "host", "/a/micro"), 1);
  add_one(entry_of(2, "gpu", "/a/micro"), 2);
  add_one(entry_of(3, "host", "/b/micro/"), 3);
  auto all = all_series(*kept_);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 4U) << "two values of two devices; a folder moves";
  EXPECT_EQ((*all)[0].subject, "gpu");
  EXPECT_EQ((*all)[1].subject, "host");
  ASSERT_EQ((*all)[1].points.size(), 2U);
  EXPECT_EQ((*all)[1].points[1].commit, "commit-3");
  add_one(entry_of(4, "host", "/b/large"), 4);
  all = all_series(*kept_);
  ASSERT_EQ(all->size(), 6U);
  EXPECT_EQ((*all)[0].subject, "gpu, micro");
  add_one(numbered_entry(1, 5), 5);
  EXPECT_EQ(all_series(*kept_)->size(), 8U) << "of nobody knows what";
}

// A failure in the middle: the second insert of the same place is refused by the table's key.
TEST_P(Store, what_fails_half_way_has_not_happened) {
  const entry given = numbered_entry(1, 1);
  const std::string key = key_of(given);
  ASSERT_TRUE(kept_->begin_writing());
  ASSERT_TRUE(kept_->run("INSERT INTO results VALUES ($1, 'x', 'x', 'x', 1)", {key}));
  ASSERT_TRUE(kept_->run("INSERT INTO facts VALUES ($1, 0, 'x', 'x')", {key}));
  ASSERT_FALSE(kept_->run("INSERT INTO facts VALUES ($1, 0, 'x', 'x')", {key}));
  kept_->roll_back();
  EXPECT_EQ(read_back(key), "");
  EXPECT_TRUE(add_one(given, 1));
}

// The file is deleted, or the server ends the connection, after the opening.
void take_away(const place& where) {
  if (where.where().rfind("postgresql:", 0) != 0) {
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(where.where() + end);
    return;
  }
  auto other = open_database(where.where());
  ASSERT_TRUE(other) << other.error().message;
  ASSERT_TRUE(
      (*other)->run("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
                    "WHERE pid <> pg_backend_pid() AND datname = current_database()"));
}

TEST_P(Store, that_goes_away_takes_no_result_and_says_so_in_one_line) {
  take_away(place_);
  const auto added = add(*kept_, numbered_entry(1, 1), 5);
  ASSERT_FALSE(added) << "taken by a database that nobody can open";
  EXPECT_EQ(added.error().kind, error_kind::io);
  EXPECT_EQ(added.error().message.find('\n'), std::string::npos) << added.error().message;
  auto opened = open_database(place_.where());
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_TRUE(list(**opened, 10)->empty());
  EXPECT_TRUE(add(**opened, numbered_entry(1, 1), 5).value_or(false));
}

TEST_P(Store, that_goes_away_within_a_result_keeps_no_part_of_it) {
  const std::string key = key_of(numbered_entry(1, 1));
  ASSERT_TRUE(kept_->begin_writing());
  ASSERT_TRUE(kept_->run("INSERT INTO results VALUES ($1, 'x', 'x', 'x', 1)", {key}));
  take_away(place_);
  EXPECT_FALSE(kept_->run("INSERT INTO facts VALUES ($1, 0, 'x', 'x')", {key}) && kept_->commit());
  kept_->roll_back();
  auto opened = open_database(place_.where());
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_TRUE(list(**opened, 10)->empty());
}

TEST_P(Store, of_a_newer_assay_is_refused_and_left_alone) {
  ASSERT_TRUE(kept_->run("UPDATE assay_history SET version = 99"));
  const auto opened = open_database(place_.where());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, error_kind::unusable_input);
  EXPECT_NE(opened.error().message.find("version 99"), std::string::npos);
  EXPECT_FALSE(open_to_read(place_.where()));
}

TEST(File, of_an_older_assay_keeps_its_results) {
  const place here("file");
  {
    auto old = open_sqlite(here.where(), access::write);
    ASSERT_TRUE(old);
    ASSERT_TRUE(migrate(**old, 1));
    ASSERT_TRUE(add(**old, numbered_entry(1, 1), 5));
  }
  const auto too_old = open_to_read(here.where());
  ASSERT_FALSE(too_old);
  EXPECT_NE(too_old.error().message.find("version 1"), std::string::npos);
  auto opened = open_database(here.where());
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(version_of(**opened), newest_version());
  EXPECT_TRUE((*find(**opened, key_of(numbered_entry(1, 1)))).has_value());
  EXPECT_FALSE(
      (*(*opened)->run("SELECT name FROM sqlite_master WHERE name = 'results_by_time'")).empty());
}

std::string complaint_of(const std::string& path) {
  const auto opened = open_database(path);
  return opened ? "" : opened.error().message;
}

TEST(File, that_is_no_history_is_refused_and_left_as_it_was) {
  const place here("file");
  const std::string text(5000, 'x');
  std::ofstream(here.where()) << text;
  EXPECT_NE(complaint_of(here.where()).find("is no history"), std::string::npos);
  std::ifstream read(here.where());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(read), {}), text);
}

TEST(File, that_cannot_be_made_is_named_with_its_path) {
  const std::string complaint = complaint_of("/nowhere/at/all/history.db");
  EXPECT_NE(complaint.find("/nowhere/at/all/history.db"), std::string::npos) << complaint;
}

// What a child that may not write says: the superuser may write anything.
template <class Says>
std::string said_without_rights(Says says) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t nobody = 65'534;
    if (::geteuid() == 0 && ::setresuid(nobody, nobody, nobody) != 0) ::_exit(1);
    const std::string said = says();
    ::_exit(::write(ends[1], said.data(), said.size()) < 0 ? 2 : 0);
  }
  ::close(ends[1]);
  std::string said(4096, '\0');
  said.resize(
      static_cast<std::size_t>(std::max<ssize_t>(::read(ends[0], said.data(), said.size()), 0)));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return said;
}

TEST(File, that_may_not_be_written_is_named_and_left_as_it_was) {
  namespace fs = std::filesystem;
  const place here("file");
  {
    auto opened = open_database(here.where());
    ASSERT_TRUE(opened && add(**opened, numbered_entry(1, 1), 5));
  }
  const fs::path folder = fs::path(here.where()).parent_path();
  fs::permissions(here.where(), static_cast<fs::perms>(0444));
  fs::permissions(folder, static_cast<fs::perms>(0555));
  const std::string complaint = said_without_rights([&] { return complaint_of(here.where()); });
  fs::permissions(folder, static_cast<fs::perms>(0700));
  EXPECT_NE(complaint.find(here.where()), std::string::npos) << complaint;
  EXPECT_NE(complaint.find("make it and its folder writable"), std::string::npos) << complaint;
  EXPECT_EQ(complaint.find('\n'), std::string::npos) << complaint;
  auto opened = open_to_read(here.where());
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(list(**opened, 10)->size(), 1U);
}

// What a reader lists who may not write there: entries, or the complaint.
std::string listed_without_rights(const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(path).parent_path();
  fs::permissions(path, static_cast<fs::perms>(0444));
  fs::permissions(folder, static_cast<fs::perms>(0555));
  const std::string said = said_without_rights([&]() -> std::string {
    const auto opened = open_to_read(path);
    if (!opened) return opened.error().message;
    const auto found = list(**opened, 10);
    return found ? std::to_string(found->size()) + " listed" : found.error().message;
  });
  fs::permissions(folder, static_cast<fs::perms>(0700));
  fs::permissions(path, static_cast<fs::perms>(0644));
  return said;
}

TEST(File, in_a_read_only_folder_is_read_whole_or_not_at_all) {
  const place here("file");
  {
    auto opened = open_database(here.where());
    ASSERT_TRUE(opened && add(**opened, numbered_entry(1, 1), 5));
  }
  EXPECT_EQ(listed_without_rights(here.where()), "1 listed") << "all closed, no log beside it";
  // A writer that died leaves its last result in the log alone.
  const pid_t writer = ::fork();
  if (writer == 0) {
    auto opened = open_database(here.where());
    ::_exit(opened && add(**opened, numbered_entry(1, 2), 6) ? 0 : 1);
  }
  ASSERT_EQ(::waitpid(writer, nullptr, 0), writer);
  std::filesystem::remove(here.where() + "-shm");
  ASSERT_GT(std::filesystem::file_size(here.where() + "-wal"), 0U);
  const std::string said = listed_without_rights(here.where());
  EXPECT_NE(said.find("newest results are still in " + here.where() + "-wal"), std::string::npos)
      << said;
  EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  auto opened = open_to_read(here.where());
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(list(**opened, 10)->size(), 2U);
}

// The reader has opened it; another, who may, touches it before the list is read.
TEST(File, that_is_written_while_it_is_read_without_locks_is_no_list) {
  namespace fs = std::filesystem;
  const place here("file");
  {
    auto opened = open_database(here.where());
    ASSERT_TRUE(opened && add(**opened, numbered_entry(1, 1), 5));
  }
  const fs::path folder = fs::path(here.where()).parent_path();
  fs::permissions(here.where(), static_cast<fs::perms>(0666));
  fs::permissions(folder, static_cast<fs::perms>(0555));
  const std::string said = said_without_rights([&]() -> std::string {
    const auto opened = open_to_read(here.where());
    if (!opened) return opened.error().message;
    std::ofstream(here.where(), std::ios::app) << 'x';
    const auto found = list(**opened, 10);
    return found ? "a list" : found.error().message;
  });
  fs::permissions(folder, static_cast<fs::perms>(0700));
  EXPECT_NE(said.find("was written to while it was read"), std::string::npos) << said;
}

TEST(File, to_read_is_not_made) {
  const place here("file");
  EXPECT_FALSE(open_to_read(here.where()));
  EXPECT_FALSE(std::filesystem::exists(here.where()));
}

}  // namespace
}  // namespace assay::history
