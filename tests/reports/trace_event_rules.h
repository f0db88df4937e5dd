// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What viewers of the Trace Event Format rely on and do not tell of: Perfetto drops what overlaps
// on its track and turns arrows round, chrome://tracing drops the second end of an arrow, both put
// track 0 of a process on another.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace assay::reports {

class trace_event_rules {
 public:
  /// Each breach in one line; empty where a viewer shows every event as it stands.
  static std::vector<std::string> breaches(const nlohmann::json& document) {
    trace_event_rules rules;
    for (const auto& event : document["traceEvents"]) rules.take(event);
    rules.judge_tracks();
    rules.judge_arrows();
    return rules.breaches_;
  }

 private:
  using track = std::pair<int, std::uint64_t>;
  struct slice {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
    std::string name;
  };
  struct arrow_end {
    track on;
    std::int64_t at_ns = 0;
  };

  static std::int64_t ns_of(const nlohmann::json& micros) {
    return std::llround(micros.get<double>() * 1000);
  }

  void take(const nlohmann::json& event) {
    const std::string phase = event["ph"], name = event["name"];
    const int process = event["pid"];
    if (phase == "M") return take_name(name, process, event);
    if (!processes_.contains(process)) breach("process {} has no name", process);
    if (!event["ts"].is_number()) return breach("{} has no time", name);
    if (phase == "C") {
      for (const auto& value : event["args"])
        if (!value.is_number()) breach("counter {} is no number", name);
      return;
    }
    if (phase == "i") return;
    const track on{process, event["tid"].get<std::uint64_t>()};
    if (on.second == 0) breach("{} stands on track 0", name);
    used_.insert(on);
    const std::int64_t at_ns = ns_of(event["ts"]);
    if (phase == "X")
      slices_[on].push_back({at_ns, at_ns + ns_of(event["dur"]), name});
    else if (phase == "B" || phase == "E")
      take_range(phase == "B", on, {at_ns, at_ns, name});
    else if (phase == "s" || phase == "f")
      (phase == "s" ? starts_ : ends_)[event["id"].get<std::uint64_t>()].push_back({on, at_ns});
    else
      breach("{} is of phase {}", name, phase);
  }

  void take_name(const std::string& name, int process, const nlohmann::json& event) {
    if (name == "process_name") processes_.insert(process);
    if (name != "thread_name") return;
    const track on{process, event["tid"].get<std::uint64_t>()};
    if (!named_.insert(on).second) breach("track {} has two names", on.second);
    const std::string given = event["args"]["name"];
    if (given.empty() || !names_.emplace(process, given).second)
      breach("two tracks are named '{}'", given);
  }

  void take_range(bool is_begin, const track& on, const slice& at) {
    auto& open = open_[on];
    if (at.start_ns < last_ns_[on]) breach("{} goes back in time", at.name);
    last_ns_[on] = at.start_ns;
    if (is_begin) return open.push_back(at);
    if (open.empty() || open.back().name != at.name)
      return breach("an end of {} ends another range", at.name);
    slices_[on].push_back({open.back().start_ns, at.start_ns, at.name});
    open.pop_back();
  }

  void judge_tracks() {
    for (const track& on : used_)
      if (!named_.contains(on)) breach("track {} of process {} has no name", on.second, on.first);
    for (const auto& [on, open] : open_)
      for (const slice& each : open) breach("{} has no end", each.name);
    for (auto& [on, slices] : slices_) {
      std::stable_sort(slices.begin(), slices.end(), [](const slice& a, const slice& b) {
        return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
      });
      std::vector<std::int64_t> around_ns;
      for (const slice& each : slices) {
        if (each.end_ns < each.start_ns) breach("{} ends before it begins", each.name);
        while (!around_ns.empty() && around_ns.back() <= each.start_ns) around_ns.pop_back();
        if (!around_ns.empty() && around_ns.back() < each.end_ns)
          breach("{} at {} ns overlaps what it lies in", each.name, each.start_ns);
        around_ns.push_back(each.end_ns);
      }
    }
  }

  const slice* slice_at(const arrow_end& end) const {
    const auto found = slices_.find(end.on);
    if (found == slices_.end()) return nullptr;
    // Slices lie in order: the last that begins there or before is the innermost, or beside it.
    auto after =
        std::upper_bound(found->second.begin(), found->second.end(), end.at_ns,
                         [](std::int64_t ns, const slice& each) { return ns < each.start_ns; });
    return after != found->second.begin() && (--after)->end_ns >= end.at_ns ? &*after : nullptr;
  }

  void judge_arrows() {
    for (const auto& [id, all] : starts_)
      if (all.size() != 1 || ends_[id].size() != 1)
        breach("arrow {} has {} starts and {} ends", id, all.size(), ends_[id].size());
    for (const auto& [id, all] : ends_) {
      if (!starts_.contains(id)) breach("arrow {} has no start", id);
      for (const arrow_end& end : all) {
        const slice* last = slice_at(end);
        if (last == nullptr) breach("arrow {} ends in no slice", id);
        for (const arrow_end& start : starts_[id]) {
          const slice* first = slice_at(start);
          if (first == nullptr) breach("arrow {} starts in no slice", id);
          // Perfetto turns it round: its start is in whichever slice begins first.
          if (first != nullptr && last != nullptr && first->start_ns > last->start_ns)
            breach("arrow {} ends in a slice that begins before that of its start", id);
          if (start.at_ns > end.at_ns) breach("arrow {} ends before it starts", id);
        }
      }
    }
  }

  template <typename... Words>
  void breach(fmt::format_string<Words...> form, Words&&... words) {
    if (breaches_.size() < 20)
      breaches_.push_back(fmt::format(form, std::forward<Words>(words)...));
  }

  std::vector<std::string> breaches_;
  std::set<int> processes_;
  std::set<track> used_, named_;
  std::set<std::pair<int, std::string>> names_;
  std::map<track, std::vector<slice>> slices_, open_;
  std::map<track, std::int64_t> last_ns_;
  std::map<std::uint64_t, std::vector<arrow_end>> starts_, ends_;
};

}  // namespace assay::reports
