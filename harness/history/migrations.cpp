// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/history/migrations.h"

#include <array>
#include <vector>

#include <fmt/format.h>

namespace assay::history {
namespace {

// SQLite and PostgreSQL read all of this alike. A step that was released never changes.
const std::array<std::vector<std::string_view>, 2> steps{{
    {
        "CREATE TABLE results (key TEXT PRIMARY KEY, verb TEXT NOT NULL, outcome TEXT NOT NULL, "
        "commit_id TEXT NOT NULL, recorded_at_ns BIGINT NOT NULL)",
        "CREATE TABLE facts (result_key TEXT NOT NULL REFERENCES results (key), "
        "place BIGINT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, "
        "PRIMARY KEY (result_key, place))",
        "CREATE TABLE measures (result_key TEXT NOT NULL REFERENCES results (key), "
        "place BIGINT NOT NULL, name TEXT NOT NULL, metric TEXT NOT NULL, unit TEXT NOT NULL, "
        "value DOUBLE PRECISION, absence TEXT NOT NULL, state TEXT NOT NULL, "
        "PRIMARY KEY (result_key, place))",
    },
    {
        "CREATE INDEX measures_by_name ON measures (name, metric)",
        "CREATE INDEX results_by_time ON results (recorded_at_ns, key)",
    },
}};

result<void> climb(database& in, std::int64_t to) {
  ASSAY_TRY_ASSIGN(std::int64_t version, version_of(in));
  if (version == 0) {
    ASSAY_TRY(in.run("CREATE TABLE assay_history (version BIGINT NOT NULL)"));
    ASSAY_TRY(in.run("INSERT INTO assay_history (version) VALUES (0)"));
  }
  for (; version < to; ++version)
    for (const std::string_view statement : steps.at(static_cast<std::size_t>(version)))
      ASSAY_TRY(in.run(statement));
  ASSAY_TRY(in.run("UPDATE assay_history SET version = $1", {version}));
  return {};
}

}  // namespace

std::int64_t newest_version() {
  return static_cast<std::int64_t>(steps.size());
}

result<std::int64_t> version_of(database& in) {
  ASSAY_TRY_ASSIGN(const bool is_there, in.has_table("assay_history"));
  if (!is_there) return 0;
  ASSAY_TRY_ASSIGN(const auto rows, in.run("SELECT version FROM assay_history"));
  const auto* version = rows.empty() ? nullptr : std::get_if<std::int64_t>(&rows[0][0]);
  return version == nullptr ? 0 : *version;
}

result<void> check_readable(std::int64_t version) {
  if (version == newest_version()) return {};
  if (version == 0)
    return ASSAY_FAIL(unusable_input,
                      "--history: the database holds no history yet; add a result first, with "
                      "assay audit --history or assay compare --history");
  if (version > newest_version())
    return ASSAY_FAIL(unusable_input,
                      fmt::format("--history: the database is of version {}, this assay knows {}; "
                                  "use the newer assay, or another database",
                                  version, newest_version()));
  return ASSAY_FAIL(unusable_input,
                    fmt::format("--history: the database is of version {}, this assay reads {}; "
                                "add a result to it, which brings it up to date",
                                version, newest_version()));
}

result<void> migrate(database& in, std::int64_t to) {
  ASSAY_TRY_ASSIGN(const std::int64_t found, version_of(in));
  if (found > newest_version()) return check_readable(found);
  if (found >= to) return {};
  ASSAY_TRY(in.begin_writing());
  if (auto done = climb(in, to); !done) {
    in.roll_back();
    return done;
  }
  return in.commit();
}

}  // namespace assay::history
