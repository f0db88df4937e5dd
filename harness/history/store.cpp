// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/history/store.h"

#include <algorithm>
#include <utility>

#include "harness/history/entry_key.h"

namespace assay::history {
namespace {

// The tables are ours, and each column has one type: another in its place is our own mistake, or
// somebody's who wrote into the database by hand.
template <class T>
T as(const cell& value) {
  const T* held = std::get_if<T>(&value);
  return held == nullptr ? T{} : *held;
}

result<void> add_parts(database& to, const std::string& key, const entry& what) {
  for (std::size_t i = 0; i < what.facts.size(); ++i)
    ASSAY_TRY(to.run("INSERT INTO facts VALUES ($1, $2, $3, $4)",
                     {key, static_cast<std::int64_t>(i), what.facts[i].name, what.facts[i].value}));
  for (std::size_t i = 0; i < what.measures.size(); ++i) {
    const measure& each = what.measures[i];
    ASSAY_TRY(to.run("INSERT INTO measures VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                     {key, static_cast<std::int64_t>(i), each.name, each.metric, each.unit,
                      each.value ? cell(*each.value) : cell(), each.absence, each.state}));
  }
  return {};
}

result<bool> add_within(database& to, const entry& what, std::int64_t recorded_at_ns) {
  const std::string key = key_of(what);
  ASSAY_TRY_ASSIGN(const auto added,
                   to.run("INSERT INTO results VALUES ($1, $2, $3, $4, $5) "
                          "ON CONFLICT (key) DO NOTHING RETURNING key",
                          {key, what.verb, what.outcome, what.commit, recorded_at_ns}));
  if (added.empty()) return false;
  ASSAY_TRY(add_parts(to, key, what));
  return true;
}

}  // namespace

result<bool> add(database& to, const entry& what, std::int64_t recorded_at_ns) {
  ASSAY_TRY(to.begin_writing());
  auto added = add_within(to, what, recorded_at_ns);
  if (!added) {
    to.roll_back();
    return added;
  }
  ASSAY_TRY(to.commit());
  return added;
}

result<std::vector<listed_entry>> list(database& in, std::int64_t limit) {
  ASSAY_TRY_ASSIGN(auto rows,
                   in.run("SELECT r.key, r.verb, r.outcome, r.commit_id, r.recorded_at_ns, "
                          "(SELECT count(*) FROM measures m WHERE m.result_key = r.key) "
                          "FROM results r ORDER BY r.recorded_at_ns DESC, r.key DESC LIMIT $1",
                          {limit}));
  std::reverse(rows.begin(), rows.end());
  std::vector<listed_entry> listed;
  for (const row& each : rows)
    listed.push_back({as<std::string>(each[0]), as<std::string>(each[1]), as<std::string>(each[2]),
                      as<std::string>(each[3]), as<std::int64_t>(each[4]),
                      as<std::int64_t>(each[5])});
  return listed;
}

result<std::optional<kept_entry>> find(database& in, const std::string& key) {
  ASSAY_TRY_ASSIGN(const auto results,
                   in.run("SELECT verb, outcome, commit_id, recorded_at_ns FROM results "
                          "WHERE key = $1",
                          {key}));
  if (results.empty()) return std::nullopt;
  const row& head = results.front();
  kept_entry found{key, as<std::int64_t>(head[3]), {}};
  found.entry.verb = as<std::string>(head[0]);
  found.entry.outcome = as<std::string>(head[1]);
  found.entry.commit = as<std::string>(head[2]);
  ASSAY_TRY_ASSIGN(
      const auto facts,
      in.run("SELECT name, value FROM facts WHERE result_key = $1 ORDER BY place", {key}));
  for (const row& each : facts)
    found.entry.facts.push_back({as<std::string>(each[0]), as<std::string>(each[1])});
  ASSAY_TRY_ASSIGN(const auto measures,
                   in.run("SELECT name, metric, unit, value, absence, state FROM measures "
                          "WHERE result_key = $1 ORDER BY place",
                          {key}));
  for (const row& each : measures) {
    measure one{as<std::string>(each[0]), as<std::string>(each[1]), as<std::string>(each[2]), {},
                as<std::string>(each[4]), as<std::string>(each[5])};
    if (const double* value = std::get_if<double>(&each[3])) one.value = *value;
    found.entry.measures.push_back(std::move(one));
  }
  return found;
}

result<std::vector<series>> all_series(database& in) {
  ASSAY_TRY_ASSIGN(
      const auto rows,
      in.run("SELECT r.verb, m.name, m.metric, m.unit, m.value, r.commit_id, r.recorded_at_ns "
             "FROM measures m JOIN results r ON r.key = m.result_key "
             "ORDER BY r.verb, m.name, m.metric, m.unit, r.recorded_at_ns, r.key"));
  std::vector<series> all;
  for (const row& each : rows) {
    series next{as<std::string>(each[0]),
                as<std::string>(each[1]),
                as<std::string>(each[2]),
                as<std::string>(each[3]),
                {},
                0};
    const bool is_same = !all.empty() && all.back().verb == next.verb &&
                         all.back().name == next.name && all.back().metric == next.metric &&
                         all.back().unit == next.unit;
    if (!is_same) all.push_back(std::move(next));
    if (const double* value = std::get_if<double>(&each[4]))
      all.back().points.push_back({as<std::string>(each[5]), as<std::int64_t>(each[6]), *value});
    else
      ++all.back().absent_count;
  }
  std::erase_if(all, [](const series& each) { return each.points.empty(); });
  return all;
}

}  // namespace assay::history
