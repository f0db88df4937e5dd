// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, the attribution of what a GPU recorded would be tested where there is a GPU alone.
// The fixture is a run on an H200 in which things of known length happened
// (tests/gpu/planted_gpu_test.cpp makes it).
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

#include <gtest/gtest.h>

#include "probes/trace/trace_reader.h"
#include "tests/attribution/planted_records.h"

namespace assay::attribution_test {
namespace {

struct recorded_run {
  std::vector<assay_record> records;
  std::vector<planted_length> plants;
};

recorded_run recorded_on_an_h200() {
  const std::string path = ASSAY_FIXTURES "/traces/h200-planted";
  recorded_run run;
  trace::trace_reader reader = trace::trace_reader::open(path + ".assay").value();
  trace::block block;
  while (reader.next(block).value()) {
    if (block.type != ASSAY_BLOCK_RECORDS) continue;
    const std::size_t before = run.records.size();
    run.records.resize(before + block.payload.size() / sizeof(assay_record));
    std::memcpy(&run.records[before], block.payload.data(), block.payload.size());
  }
  EXPECT_TRUE(reader.is_complete()) << reader.incompleteness();
  std::ifstream plants(path + ".json");
  run.plants = planted_lengths_of({std::istreambuf_iterator<char>(plants), {}}).value();
  return run;
}

TEST(RecordedPlants, lengths_are_in_their_part_and_in_no_other) {
  const recorded_run run = recorded_on_an_h200();
  const auto with = accounts_of(run.records);
  const auto without = accounts_of(as_if_not_planted(run.records, run.plants));
  ASSERT_EQ(without.size(), with.size());
  std::set<std::size_t> places;
  for (const planted_length& each : run.plants) {
    SCOPED_TRACE(each.what + " in step " + std::to_string(each.step));
    ASSERT_LT(each.step, with.size());
    const step_account more = less(with[each.step], without[each.step]);
    EXPECT_LE(largest_miss(more, expected_of(each)), 1.0);
    EXPECT_LE(std::abs(more[each.place] - expected_of(each)[each.place]),
              allowed_ns(each.length_ns));
    places.insert(each.place);
  }
  EXPECT_EQ(places.size(), 7u) << "compute, h2d, d2h, gaps, submission, waits and the residual";
}

// Of all steps, planted in or not: a constant that is moved stands in a step and in its neighbours.
TEST(RecordedPlants, each_step_is_what_its_nanoseconds_say) {
  const recorded_run run = recorded_on_an_h200();
  const auto accounts = accounts_of(run.records);
  ASSERT_GT(accounts.size(), 70u);
  for (std::uint64_t step = 0; step < accounts.size(); ++step)
    EXPECT_EQ(accounts[step], painted_account_of(run.records, step)) << "step " << step;
}

}  // namespace
}  // namespace assay::attribution_test
