// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a viewer would drop or cut events without a word: kernels that overlap on their
// stream, arrows that share an id, streams that it takes for one track.
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "probes/trace/assay_trace.h"
#include "reports/perfetto/timeline_writer.h"
#include "tests/reports/trace_event_rules.h"

namespace assay::reports {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

assay_record launch_from(std::int64_t start_ns, std::int64_t end_ns, std::uint32_t stream) {
  assay_record work{};
  work.kind = ASSAY_ACTIVITY;
  work.op = ASSAY_OP_LAUNCH;
  work.stream = stream;
  work.start_ns = start_ns;
  work.end_ns = end_ns;
  return work;
}

assay_record launch_of(std::uint64_t correlation, std::int64_t start_ns, std::int64_t end_ns) {
  assay_record work = launch_from(start_ns, end_ns, 1);
  work.correlation = correlation;
  return work;
}

assay_record call_of(std::uint64_t correlation, std::int64_t start_ns) {
  assay_record call = launch_of(correlation, start_ns, start_ns + 10);
  call.kind = ASSAY_SUBMISSION;
  call.tid = 7;
  return call;
}

assay_record window_edge(bool is_begin, std::uint64_t index, std::int64_t at_ns) {
  assay_record edge{};
  edge.kind = is_begin ? ASSAY_WINDOW_BEGIN : ASSAY_WINDOW_END;
  edge.op = ASSAY_WINDOW_DECODE_STEP;
  edge.correlation = index;
  (is_begin ? edge.start_ns : edge.end_ns) = at_ns;
  return edge;
}

nlohmann::json timeline_of(const std::vector<assay_record>& records) {
  std::string text;
  timeline_writer writer([&](std::string_view part) -> result<void> {
    text += part;
    return {};
  });
  EXPECT_TRUE(writer.records(records) && writer.finish({}));
  return nlohmann::json::parse(text);
}

std::vector<std::string> breaches_of(const nlohmann::json& timeline) {
  return trace_event_rules::breaches(timeline);
}

/// Of each track its slices' number, by the track's name.
std::map<std::string, std::size_t> slices_by_track(const nlohmann::json& timeline) {
  std::map<std::pair<int, std::uint64_t>, std::string> names;
  std::map<std::string, std::size_t> slices;
  for (const auto& each : timeline["traceEvents"]) {
    if (each["ph"] == "M" && each["name"] == "thread_name")
      names[{each["pid"], each["tid"]}] = each["args"]["name"];
    if (each["ph"] == "X") ++slices[names[{each["pid"], each["tid"]}]];
  }
  return slices;
}

std::size_t arrows_in(const nlohmann::json& timeline) {
  std::size_t ends = 0;
  for (const auto& each : timeline["traceEvents"]) ends += each["ph"] == "f" ? 1 : 0;
  return ends;
}

TEST(Timeline, work_that_overlaps_on_its_stream_stands_on_tracks_where_it_does_not) {
  const auto timeline = timeline_of({launch_from(1'000, 5'000, 1), launch_from(4'000, 8'000, 1),
                                     launch_from(5'000, 9'000, 1), launch_from(8'000, 9'500, 1),
                                     launch_from(8'500, 9'900, 1), launch_from(4'500, 4'600, 2)});
  EXPECT_THAT(breaches_of(timeline), IsEmpty());
  EXPECT_EQ(slices_by_track(timeline),
            (std::map<std::string, std::size_t>{{"stream 1", 2},
                                                {"stream 1.1, begun before the last had ended", 2},
                                                {"stream 1.2, begun before the last had ended", 1},
                                                {"stream 2", 1}}))
      << "another stream overlaps nothing";
}

TEST(Timeline, streams_that_a_viewer_could_take_for_one_stand_apart) {
  // The group of streams is process 3, and 0 is Perfetto's word for a process' first thread.
  const auto timeline = timeline_of({launch_from(1'000, 5'000, 0), launch_from(4'000, 8'000, 3)});
  EXPECT_THAT(breaches_of(timeline), IsEmpty());
  EXPECT_EQ(slices_by_track(timeline).size(), 2u);
}

TEST(Timeline, each_kernel_of_a_launch_has_an_arrow_of_its_own_whichever_comes_first) {
  const auto graph = timeline_of({call_of(5, 100), launch_of(5, 1'000, 2'000),
                                  launch_of(5, 2'000, 3'000), launch_of(5, 3'000, 4'000)});
  EXPECT_THAT(breaches_of(graph), IsEmpty());
  EXPECT_EQ(arrows_in(graph), 3u);
  const auto turned = timeline_of({launch_of(5, 1'000, 2'000), call_of(5, 100)});
  EXPECT_THAT(breaches_of(turned), IsEmpty());
  EXPECT_EQ(arrows_in(turned), 1u);
}

TEST(Timeline, a_call_without_work_and_work_without_a_call_have_no_arrow) {
  assay_record refused = call_of(5, 100);
  refused.flags = ASSAY_REFUSED;
  const std::uint64_t far = 6 + timeline_writer::joined_calls_max;
  const auto timeline =
      timeline_of({refused, launch_of(5, 200, 300), call_of(6, 300), call_of(far, 400),
                   launch_of(6, 500, 600), launch_of(9, 700, 800)});
  EXPECT_THAT(breaches_of(timeline), IsEmpty());
  EXPECT_EQ(arrows_in(timeline), 0u);
}

TEST(Timeline, an_end_that_ends_nothing_is_left_out) {
  const auto timeline =
      timeline_of({window_edge(false, 1, 50), window_edge(true, 2, 100), window_edge(false, 3, 150),
                   window_edge(false, 2, 200), window_edge(false, 2, 250)});
  EXPECT_THAT(breaches_of(timeline), IsEmpty());
}

// The rules themselves: of a sound timeline, each broken in turn.
using plants_by_breach = std::map<std::string, std::function<void(nlohmann::json&)>>;

plants_by_breach all_plants() {
  using event = nlohmann::json;
  return {{"two tracks are named 'stream 1'",
           [](event& one) {
             if (one["name"] == "thread_name" && one["pid"] == 3) one["args"]["name"] = "stream 1";
           }},
          {"stands on track 0",
           [](event& one) {
             if (one["ph"] == "X") one["tid"] = 0;
           }},
          {"has no name",
           [](event& one) {
             if (one["ph"] == "M") one["name"] = "sort";
           }},
          {"overlaps what it lies in",
           [](event& one) {
             if (one["ph"] == "X" && one["pid"] == 3) one["tid"] = 2;
           }},
          {"ends another range",
           [](event& one) {
             if (one["ph"] == "E") one["name"] = "other";
           }},
          {"has no end",
           [](event& one) {
             if (one["ph"] == "E") one["ph"] = "i";
           }},
          {"goes back in time",
           [](event& one) {
             if (one["ph"] == "E") one["ts"] = 0.005;
           }},
          {"1 starts and 0 ends",
           [](event& one) {
             if (one["ph"] == "f") one["ph"] = "i";
           }},
          {"has no start",
           [](event& one) {
             if (one["ph"] == "s") one["id"] = 99;
           }},
          {"ends in no slice",
           [](event& one) {
             if (one["ph"] == "f") one["ts"] = 9.0;
           }},
          {"starts in no slice",
           [](event& one) {
             if (one["ph"] == "s") one["ts"] = 0.05;
           }},
          {"is of phase t",
           [](event& one) {
             if (one["ph"] == "f") one["ph"] = "t";
           }},
          {"is no number", [](event& one) {
             if (one["ph"] != "X") return;
             one["ph"] = "C";
             one["args"] = {{"value", "7"}};
           }}};
}

TEST(Timeline, what_a_viewer_would_drop_is_a_breach) {
  const auto sound =
      timeline_of({window_edge(true, 2, 10), call_of(5, 100), launch_of(5, 1'000, 2'000),
                   launch_of(6, 1'200, 2'500), window_edge(false, 2, 3'000)});
  ASSERT_THAT(breaches_of(sound), IsEmpty());
  for (const auto& [said, plant] : all_plants()) {
    nlohmann::json broken = sound;
    for (nlohmann::json& one : broken["traceEvents"]) plant(one);
    EXPECT_THAT(breaches_of(broken), Contains(HasSubstr(said)));
  }
}

}  // namespace
}  // namespace assay::reports
