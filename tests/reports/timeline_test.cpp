// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, kernels that overlap on their stream would lie across each other on one track, and
// a viewer would drop or cut them without a word.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "probes/trace/assay_trace.h"
#include "reports/perfetto/timeline_writer.h"

namespace assay::reports {
namespace {

assay_record launch_from(std::int64_t start_ns, std::int64_t end_ns, std::uint32_t stream) {
  assay_record work{};
  work.kind = ASSAY_ACTIVITY;
  work.op = ASSAY_OP_LAUNCH;
  work.stream = stream;
  work.start_ns = start_ns;
  work.end_ns = end_ns;
  return work;
}

TEST(Timeline, work_that_overlaps_on_its_stream_stands_on_tracks_where_it_does_not) {
  std::string text;
  timeline_writer writer([&](std::string_view part) -> result<void> {
    text += part;
    return {};
  });
  const std::vector<assay_record> work{launch_from(1'000, 5'000, 1), launch_from(4'000, 8'000, 1),
                                       launch_from(5'000, 9'000, 1), launch_from(8'000, 9'500, 1),
                                       launch_from(8'500, 9'900, 1), launch_from(4'500, 4'600, 2)};
  ASSERT_TRUE(writer.records(work) && writer.finish({}));
  std::map<std::uint32_t, std::vector<std::pair<double, double>>> tracks;
  std::map<std::uint32_t, std::string> names;
  std::size_t arrows = 0;
  const auto document = nlohmann::json::parse(text);
  for (const auto& each : document["traceEvents"]) {
    const std::string phase = each["ph"];
    if (phase == "M" && each["name"] == "thread_name") names[each["tid"]] = each["args"]["name"];
    if (phase == "X") tracks[each["tid"]].emplace_back(each["ts"], each["dur"]);
    if (phase == "f") arrows += tracks.contains(each["tid"]) ? 1 : 0;
  }
  EXPECT_EQ(arrows, work.size()) << "an arrow ends where its work stands";
  std::size_t seen = 0;
  for (const auto& [track, events] : tracks) {
    EXPECT_FALSE(names[track].empty()) << track;
    double until_us = 0;
    for (const auto& [start_us, length_us] : events) {
      EXPECT_GE(start_us, until_us) << names[track];
      until_us = start_us + length_us;
      ++seen;
    }
  }
  EXPECT_EQ(seen, work.size());
  EXPECT_EQ(names[1], "stream 1");
  EXPECT_EQ(tracks[1].size(), 2u);
  EXPECT_EQ(tracks[2].size(), 1u) << "another stream overlaps nothing";
}

}  // namespace
}  // namespace assay::reports
