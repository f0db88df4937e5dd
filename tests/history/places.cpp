// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/history/places.h"

#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>

#include "harness/history/postgres_database.h"

namespace assay::history_test {
namespace {

// Every test begins with none of the tables.
std::string emptied(const std::string& url) {
  auto opened = history::open_postgres(url);
  if (!opened) return opened.error().message;
  for (const char* table : {"facts", "measures", "results", "assay_history"})
    if (auto dropped = (*opened)->run(fmt::format("DROP TABLE IF EXISTS {}", table)); !dropped)
      return dropped.error().message;
  return "";
}

}  // namespace

place::place(const std::string& kind) {
  if (kind == "file") {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "assay-history-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    where_ = (folder_ / "history.db").string();
    return;
  }
  const char* url = std::getenv("ASSAY_TEST_POSTGRES");
  if (url == nullptr) {
    absence_ = "no server: History.postgres runs this with one";
    return;
  }
  where_ = url;
  absence_ = emptied(where_);
}

place::~place() {
  if (!folder_.empty()) std::filesystem::remove_all(folder_);
}

history::entry numbered_entry(int writer, int number) {
  history::entry made{"audit", "clean", fmt::format("commit-{}", number), {}, {}};
  made.facts.push_back({"writer", fmt::format("{}", writer)});
  made.measures.push_back({"runtime.step.count", "", "count", number, "", "agree"});
  made.measures.push_back({"row", "real_time", "ns", 1.5 * number, "", "unchanged"});
  made.measures.push_back({"row", "cpu_time", "ns", {}, "not measured", "errored"});
  return made;
}

}  // namespace assay::history_test
