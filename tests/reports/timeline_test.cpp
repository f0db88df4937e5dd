// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a viewer would drop or cut events without a word: kernels that overlap on their
// stream, arrows that share an id, streams that it takes for one track.
#include <cmath>
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

assay_record call_on(std::uint32_t stream, std::uint8_t op, std::uint64_t correlation,
                     std::uint64_t awaited = 0) {
  const auto start_ns = static_cast<std::int64_t>(100 * correlation);
  assay_record call = call_of(correlation, start_ns);
  call.op = op;
  call.stream = stream;
  call.direction = op == ASSAY_OP_COPY ? ASSAY_H2D : 0;
  call.extra[0] = static_cast<std::int64_t>(awaited);
  return call;
}

assay_record work_of(const assay_record& call, std::int64_t start_ns, std::int64_t end_ns) {
  assay_record work = launch_from(start_ns, end_ns, call.stream);
  work.op = call.op;
  work.direction = call.direction;
  work.correlation = call.correlation;
  return work;
}

assay_record to_host(assay_record copy) {
  copy.direction = ASSAY_D2H;
  return copy;
}

/// The arrows with this name: start and end in ns, in order.
std::vector<std::pair<int, int>> arrows_named(const std::string& name,
                                              const nlohmann::json& timeline) {
  std::map<int, std::pair<int, int>> by_id;
  for (const auto& each : timeline["traceEvents"]) {
    if (each["name"] != name) continue;
    const int at_ns = static_cast<int>(std::lround(each["ts"].get<double>() * 1000));
    auto& ends = by_id[each["id"]];
    (each["ph"] == "s" ? ends.first : ends.second) = at_ns;
  }
  std::vector<std::pair<int, int>> arrows;
  for (const auto& [id, ends] : by_id) arrows.push_back(ends);
  return arrows;
}

using arrows_at = std::vector<std::pair<int, int>>;

TEST(TimelineCopies, lead_to_the_next_launch_of_their_stream_and_to_no_later_one) {
  const auto copy = call_on(1, ASSAY_OP_COPY, 1), second = call_on(1, ASSAY_OP_COPY, 2);
  const auto other = call_on(2, ASSAY_OP_LAUNCH, 3), next = call_on(1, ASSAY_OP_LAUNCH, 4);
  const auto later = call_on(1, ASSAY_OP_LAUNCH, 5);
  // A graph's two kernels, and copies hidden in it before each.
  auto hidden = work_of(copy, 4'500, 4'600), hidden_too = work_of(copy, 5'900, 5'950);
  hidden.correlation = hidden_too.correlation = next.correlation;
  for (const bool is_work_first : {false, true}) {
    std::vector<assay_record> records{copy, second, other, next, later};
    const std::vector<assay_record> works{work_of(copy, 2'000, 2'500),
                                          work_of(copy, 2'500, 3'000),
                                          work_of(other, 2'000, 2'100),
                                          hidden,
                                          work_of(second, 3'000, 4'000),
                                          work_of(next, 5'000, 5'900),
                                          hidden_too,
                                          work_of(next, 6'000, 7'000),
                                          work_of(later, 8'000, 9'000)};
    records.insert(is_work_first ? records.begin() : records.end(), works.begin(), works.end());
    const auto timeline = timeline_of(records);
    EXPECT_THAT(breaches_of(timeline), IsEmpty());
    EXPECT_THAT(arrows_named("first use", timeline),
                testing::UnorderedElementsAre(std::pair{2'999, 5'000}, std::pair{3'999, 5'000}))
        << "from the last moment of the copy, in parts too, to the first kernel";
  }
  const auto late_parts = timeline_of({copy, next, work_of(next, 5'000, 5'900),
                                       work_of(copy, 2'000, 2'500), work_of(copy, 2'500, 3'000)});
  EXPECT_THAT(breaches_of(late_parts), IsEmpty());
  EXPECT_EQ(arrows_named("first use", late_parts).size(), 1u) << "once, whatever comes behind it";
}

TEST(TimelineCopies, lead_over_the_event_that_a_wait_names) {
  const auto copy = call_on(1, ASSAY_OP_COPY, 1);
  const auto behind = call_on(1, ASSAY_OP_EVENT, 2);
  const auto late = call_on(1, ASSAY_OP_COPY, 3);
  const auto early = call_on(2, ASSAY_OP_LAUNCH, 4);
  const auto user = call_on(2, ASSAY_OP_LAUNCH, 6);
  const auto over_third = call_on(3, ASSAY_OP_LAUNCH, 9);
  const auto timeline_with = [&](std::uint64_t awaited) {
    return timeline_of({copy, behind, late, early, call_on(2, ASSAY_OP_WAIT, 5, awaited), user,
                        call_on(2, ASSAY_OP_EVENT, 7), call_on(3, ASSAY_OP_WAIT, 8, 7), over_third,
                        work_of(copy, 1'000, 2'000), work_of(late, 2'000, 2'500),
                        work_of(early, 600, 700), work_of(user, 3'000, 4'000),
                        work_of(over_third, 5'000, 6'000)});
  };
  const auto told = timeline_with(2);
  EXPECT_THAT(breaches_of(told), IsEmpty());
  EXPECT_EQ(arrows_named("first use", told), (arrows_at{{1'999, 3'000}}));
  for (const std::uint64_t not_a_recording :
       {std::size_t{0}, std::size_t{77}, std::size_t{3}, 2 + copy_order::recordings_max})
    EXPECT_EQ(arrows_named("first use", timeline_with(not_a_recording)), arrows_at{});
}

TEST(TimelineCopies, lead_on_through_waits_in_a_row_and_through_a_sync) {
  const auto copy = call_on(1, ASSAY_OP_COPY, 1), second = call_on(1, ASSAY_OP_COPY, 7);
  const auto over_two = call_on(3, ASSAY_OP_LAUNCH, 6), synced = call_on(2, ASSAY_OP_LAUNCH, 9);
  const auto timeline = timeline_of(
      {copy, call_on(1, ASSAY_OP_EVENT, 2), call_on(2, ASSAY_OP_WAIT, 3, 2),
       call_on(2, ASSAY_OP_EVENT, 4), call_on(3, ASSAY_OP_WAIT, 5, 4), over_two, second,
       call_on(1, ASSAY_OP_SYNC, 8), synced, work_of(copy, 200, 300), work_of(over_two, 900, 1'000),
       work_of(second, 700, 705), work_of(synced, 1'500, 1'600)});
  EXPECT_THAT(breaches_of(timeline), IsEmpty());
  EXPECT_EQ(arrows_named("first use", timeline), (arrows_at{{299, 900}, {704, 1'500}}));
}

TEST(TimelineCopies, lead_through_a_sync_to_what_was_submitted_when_it_had_returned) {
  const auto copy = call_on(1, ASSAY_OP_COPY, 1);
  auto sync = call_on(1, ASSAY_OP_SYNC, 2);
  sync.end_ns = 1'000;
  const auto meanwhile = call_on(2, ASSAY_OP_LAUNCH, 5), behind = call_on(2, ASSAY_OP_LAUNCH, 11);
  const auto timeline =
      timeline_of({copy, sync, meanwhile, behind, work_of(copy, 300, 900),
                   work_of(meanwhile, 1'200, 1'300), work_of(behind, 1'400, 1'500)});
  EXPECT_EQ(arrows_named("first use", timeline), (arrows_at{{899, 1'400}}))
      << "another thread's launch had not waited";
}

TEST(TimelineCopies, to_the_host_lead_to_the_sync_that_waits_for_them) {
  const auto copy = to_host(call_on(1, ASSAY_OP_COPY, 1));
  const auto unawaited = to_host(call_on(2, ASSAY_OP_COPY, 2));
  auto sync = call_on(1, ASSAY_OP_SYNC, 4);
  sync.end_ns = 2'000;
  const auto launch = call_on(1, ASSAY_OP_LAUNCH, 3);
  const auto timeline = timeline_of({copy, unawaited, launch, sync, call_on(1, ASSAY_OP_SYNC, 30),
                                     work_of(copy, 500, 1'000), work_of(unawaited, 600, 5'000),
                                     work_of(launch, 1'100, 1'900)});
  EXPECT_THAT(breaches_of(timeline), IsEmpty());
  EXPECT_EQ(arrows_named("waited for", timeline), (arrows_at{{999, 1'000}}));
  EXPECT_EQ(arrows_named("first use", timeline), arrows_at{}) << "no kernel reads the host's copy";
}

TEST(Timeline, work_without_a_number_is_nobodys) {
  const auto timeline = timeline_of({call_of(0, 100), launch_of(0, 200, 300)});
  EXPECT_EQ(arrows_in(timeline), 0u) << "0 is no correlation";
}

TEST(TimelineCopies, of_another_thread_lead_to_no_call_that_was_made_meanwhile) {
  // Each thread's calls stand in the file one after the other: not in the order of the two threads.
  const auto copy = call_on(1, ASSAY_OP_COPY, 6), copy_back = to_host(call_on(1, ASSAY_OP_COPY, 7));
  const auto event = call_on(1, ASSAY_OP_EVENT, 3), launch = call_on(1, ASSAY_OP_LAUNCH, 4);
  auto sync = call_on(1, ASSAY_OP_SYNC, 5);
  sync.end_ns = 9'000;
  const auto wait = call_on(2, ASSAY_OP_WAIT, 8, 3), user = call_on(2, ASSAY_OP_LAUNCH, 9);
  const auto next = call_on(1, ASSAY_OP_LAUNCH, 10);
  const auto timeline = timeline_of({copy, copy_back, event, launch, sync, wait, user, next,
                                     work_of(copy, 1'100, 1'200), work_of(copy_back, 1'200, 1'300),
                                     work_of(launch, 1'300, 1'350), work_of(user, 1'400, 1'500),
                                     work_of(next, 1'600, 1'700)});
  EXPECT_EQ(arrows_named("first use", timeline), (arrows_at{{1'199, 1'600}}))
      << "event and launch were submitted before it";
  EXPECT_EQ(arrows_named("waited for", timeline), arrows_at{})
      << "the sync may have looked before the copy was submitted";
}

TEST(TimelineCopies, have_no_arrow_where_times_contradict_the_order) {
  const auto copy = call_on(1, ASSAY_OP_COPY, 1), copy_back = to_host(call_on(1, ASSAY_OP_COPY, 2));
  const auto launch = call_on(1, ASSAY_OP_LAUNCH, 3);
  auto sync = call_on(1, ASSAY_OP_SYNC, 4);
  sync.end_ns = 2'000;
  for (const int late_ns : {0, 1}) {
    const auto timeline =
        timeline_of({copy, copy_back, launch, sync, work_of(copy, 500, 1'000 + late_ns),
                     work_of(copy_back, 1'500, 2'000 + late_ns), work_of(launch, 1'000, 1'400)});
    EXPECT_EQ(arrows_named("first use", timeline).size(), late_ns == 0 ? 1u : 0u)
        << "a kernel that begins while the copy runs does not stand behind it";
    EXPECT_EQ(arrows_named("waited for", timeline).size(), late_ns == 0 ? 1u : 0u)
        << "a sync that returns while the copy runs did not wait for it";
  }
}

TEST(TimelineCopies, of_a_number_that_is_given_anew_have_no_arrow_of_the_old_one) {
  const auto old_copy = call_on(1, ASSAY_OP_COPY, 1);
  auto copy = old_copy, launch = call_on(1, ASSAY_OP_LAUNCH, 2);
  copy.start_ns = 5'000;
  copy.end_ns = 5'010;
  launch.start_ns = 5'100;
  launch.end_ns = 5'110;
  const auto timeline = timeline_of(
      {old_copy, work_of(old_copy, 200, 300), copy, launch, work_of(launch, 6'000, 6'100)});
  EXPECT_EQ(arrows_named("first use", timeline), arrows_at{}) << "the copy itself is not recorded";
}

TEST(TimelineCopies, without_a_slice_at_either_end_have_no_arrow) {
  const auto copy = call_on(1, ASSAY_OP_COPY, 1), lost = call_on(1, ASSAY_OP_COPY, 2);
  auto refused = call_on(1, ASSAY_OP_LAUNCH, 3);
  refused.flags = ASSAY_REFUSED;
  const auto backward = call_on(1, ASSAY_OP_LAUNCH, 4);
  const auto unseen = call_on(1, ASSAY_OP_COPY, 5), unrun = call_on(1, ASSAY_OP_LAUNCH, 6);
  const auto timeline =
      timeline_of({copy, lost, refused, backward, unseen, unrun, work_of(copy, 2'000, 3'000),
                   work_of(backward, 1'000, 1'500), work_of(unseen, 5'000, 6'000)});
  EXPECT_THAT(breaches_of(timeline), IsEmpty());
  EXPECT_EQ(arrows_named("first use", timeline), arrows_at{});
}

TEST(Timeline, an_end_that_ends_nothing_is_left_out) {
  const auto timeline =
      timeline_of({window_edge(false, 1, 50), window_edge(true, 2, 100), window_edge(false, 3, 150),
                   window_edge(false, 2, 200), window_edge(false, 2, 250)});
  EXPECT_THAT(breaches_of(timeline), IsEmpty());
}

// The rules themselves: of a sound timeline, each broken in turn.
using plants_by_breach = std::map<std::string, std::function<void(nlohmann::json&)>>;

void turn_round(nlohmann::json& one) {
  if (one["ph"] == "X" && one["name"] == "launch" && one["pid"] == 2) {
    one["ts"] = 1.5;
    one["dur"] = 9.0;
  }
  if (one["ph"] == "s") one["ts"] = 1.6;
  if (one["ph"] == "f") one["ts"] = 1.7;
}

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
          {"begins before that of its start", turn_round},
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
