// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/history/store.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

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

// A folder moves from runner to runner; its last name says which checkpoint it is.
std::string last_name(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path.substr(path.rfind('/') + 1);
}

// Of each result what was run and on what, as far as the results of this history differ in it.
result<std::map<std::string, std::string>> subjects_of_all(database& in) {
  constexpr std::array names{"device",   "processor",      "checkpoint",
                             "scenario", "max new tokens", "knobs"};
  std::map<std::string, std::array<std::string, names.size()>> told;
  ASSAY_TRY_ASSIGN(const auto results, in.run("SELECT key FROM results", {}));
  for (const row& each : results) told[as<std::string>(each[0])];
  ASSAY_TRY_ASSIGN(const auto facts,
                   in.run("SELECT result_key, name, value FROM facts WHERE name IN ('device', "
                          "'processor', 'checkpoint', 'scenario', 'max new tokens', 'knobs')",
                          {}));
  for (const row& each : facts) {
    const auto at = std::find(names.begin(), names.end(), as<std::string>(each[1]));
    if (at == names.end()) continue;
    const std::string value = as<std::string>(each[2]);
    told[as<std::string>(each[0])].at(static_cast<std::size_t>(at - names.begin())) =
        *at == std::string_view("checkpoint") ? last_name(value) : value;
  }
  std::map<std::string, std::string> subjects;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool is_shared = std::all_of(told.begin(), told.end(), [&](const auto& each) {
      return each.second.at(i) == told.begin()->second.at(i);
    });
    if (is_shared) continue;
    for (const auto& [key, values] : told) {
      std::string& subject = subjects[key];
      subject += (subject.empty() ? "" : ", ") +
                 (values.at(i).empty() ? fmt::format("{} not told", names.at(i)) : values.at(i));
    }
  }
  return subjects;
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
  ASSAY_TRY_ASSIGN(const auto subjects, subjects_of_all(in));
  ASSAY_TRY_ASSIGN(
      const auto rows,
      in.run("SELECT r.verb, m.name, m.metric, m.unit, m.value, r.commit_id, r.recorded_at_ns, "
             "r.key FROM measures m JOIN results r ON r.key = m.result_key "
             "ORDER BY r.recorded_at_ns, r.key, m.place"));
  std::map<std::array<std::string, 5>, series> all;
  for (const row& each : rows) {
    const auto subject = subjects.find(as<std::string>(each[7]));
    std::array<std::string, 5> which{as<std::string>(each[0]), as<std::string>(each[1]),
                                     as<std::string>(each[2]), as<std::string>(each[3]),
                                     subject == subjects.end() ? std::string() : subject->second};
    series& into = all[which];
    if (const double* value = std::get_if<double>(&each[4]))
      into.points.push_back({as<std::string>(each[5]), as<std::int64_t>(each[6]), *value});
    else
      ++into.absent_count;
  }
  std::vector<series> made;
  for (auto& [which, each] : all) {
    if (each.points.empty()) continue;
    made.push_back({which[0], which[1], which[2], which[3], std::move(each.points),
                    each.absent_count, which[4]});
  }
  return made;
}

}  // namespace assay::history
