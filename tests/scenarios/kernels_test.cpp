// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a kernel row could declare bytes that its operator does not read, be registered
// twice, or vanish where the machine is too narrow for it.
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include <gmock/gmock.h>

#include "harness/bench/plausibility.h"
#include "harness/bench/worker.h"
#include "scenarios/kernels/kernels.h"

namespace assay::scenarios {
namespace {

using testing::HasSubstr;

const kernel_row& row_named(const kernel_list& list, const std::string& name) {
  const kernel_row* row = bench::find_row(list, name);
  if (row == nullptr) throw std::runtime_error("no row " + name);
  return *row;
}

TEST(Kernels, operators_read_the_weights_that_rows_declare) {
  constexpr std::uint64_t quick_bytes = 8 << 20;  // larger operands take seconds under a sanitizer
  std::size_t tried = 0;
  for (const kernel_row& row : kernel_rows(2).rows) {
    if (row.work.bytes() > quick_bytes || row.name.find("32768") != std::string::npos) continue;
    const auto run = row.make();
    ASSERT_TRUE(run) << row.name;
    EXPECT_EQ((*run)->tallied_weight_bytes(), row.work.weight_bytes) << row.name;
    const std::uint32_t threads = (*run)->realised_threads();
    EXPECT_GE(threads, 1U) << row.name;
    EXPECT_LE(threads, row.asked_threads) << row.name;
    ++tried;
  }
  EXPECT_GT(tried, 50U);
}

TEST(Kernels, names_are_unique_and_a_width_that_is_not_there_says_why) {
  for (const std::uint32_t cores : {1U, 2U, 8U, 64U}) {
    const kernel_list list = kernel_rows(cores);
    std::set<std::string> names;
    for (const kernel_row& row : list.rows) {
      EXPECT_TRUE(names.insert(row.name).second) << row.name;
      EXPECT_LE(row.asked_threads, cores) << row.name;
      EXPECT_GT(row.work.bytes(), 0U) << row.name;
    }
    for (const skipped_row& row : list.skipped) {
      EXPECT_TRUE(names.insert(row.name).second) << row.name;
      EXPECT_THAT(row.reason, HasSubstr("this process may use")) << row.name;
    }
    // The same rows whatever the machine: each runs or is skipped.
    EXPECT_EQ(names.size(), 9U * 3 * 3 + 9 + 2 + 4) << cores;
  }
}

TEST(Kernels, rows_of_a_family_differ_in_work) {
  std::map<std::string, std::set<std::pair<std::uint64_t, std::uint64_t>>> seen;
  for (const kernel_row& row : kernel_rows(8).rows)
    EXPECT_TRUE(seen[row.family].insert({row.work.bytes(), row.work.operations}).second)
        << row.name;
}

bench::timed_kernel timed(const std::string& name, std::uint64_t bytes, std::uint64_t operations,
                          double ns) {
  return {name, "family", {0, bytes, operations}, 1, ns, bench::fewest_repetitions};
}

TEST(Plausibility, rate_above_the_ceiling_is_named) {
  const bench::core_ceiling ceiling{100e9, 50e9};
  EXPECT_FALSE(bench::above_ceiling(timed("a", 1000, 0, 10.1), ceiling));
  EXPECT_THAT(*bench::above_ceiling(timed("a", 1000, 0, 9.9), ceiling),
              HasSubstr("bytes a second"));
  EXPECT_THAT(*bench::above_ceiling(timed("a", 0, 1000, 19.9), ceiling),
              HasSubstr("operations a second"));
  bench::timed_kernel wide = timed("a", 1000, 0, 9.9);
  wide.threads = 2;
  EXPECT_FALSE(bench::above_ceiling(wide, ceiling));
  EXPECT_TRUE(bench::above_ceiling(timed("a", 1000, 0, 0.0), std::nullopt));
  EXPECT_FALSE(bench::above_ceiling(timed("a", 1'000'000, 0, 1.0), std::nullopt));
}

TEST(Plausibility, more_work_in_less_time_is_named) {
  const auto small = timed("small", 100, 100, 50);
  EXPECT_TRUE(bench::order_of({small, timed("large", 200, 200, 46)}).complaints.empty());
  const auto found = bench::order_of({small, timed("large", 200, 200, 44)}).complaints;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0], HasSubstr("large: took 44 ns, and small took 50 ns"));
  // Not much more, or of another family.
  EXPECT_TRUE(bench::order_of({small, timed("large", 199, 300, 10)}).complaints.empty());
  bench::timed_kernel other = timed("large", 200, 200, 10);
  other.family = "other";
  EXPECT_TRUE(bench::order_of({small, other}).complaints.empty());
  // One run may have been interrupted: its time is no evidence, and that is said.
  bench::timed_kernel once = timed("large", 200, 200, 10);
  once.repetitions = 1;
  EXPECT_TRUE(bench::order_of({small, once}).complaints.empty());
  EXPECT_EQ(bench::order_of({small, once}).absence, "1 of 2 rows have fewer than 3 repetitions");
}

TEST(Worker, slices_are_answered_with_calls_and_time) {
  const kernel_list list = kernel_rows(1);
  std::istringstream in("slice 200000\nslice 200000\n");
  std::ostringstream out;
  ASSERT_TRUE(
      bench::serve_slices(row_named(list, "kv_pages/take_give_back/64/real_time"), {}, in, out));
  EXPECT_THAT(out.str(),
              testing::MatchesRegex("ready\nslice [0-9]+ [0-9]+\nslice [0-9]+ [0-9]+\n"));
}

TEST(Worker, wrong_request_and_impossible_pace_end_it) {
  const kernel_list list = kernel_rows(1);
  const kernel_row& row = row_named(list, "kv_pages/take_give_back/64");
  for (const char* request : {"slice\n", "slice x\n", "slice 0\n", "slice -5\n", "run 5\n"}) {
    std::istringstream in(request);
    std::ostringstream out;
    const auto served = bench::serve_slices(row, {}, in, out);
    ASSERT_FALSE(served) << request;
    EXPECT_EQ(served.error().kind, error_kind::usage);
  }
  std::istringstream in("slice 1000\n");
  std::ostringstream out;
  const auto served = bench::serve_slices(row, bench::core_ceiling{1.0, 1.0}, in, out);
  ASSERT_FALSE(served);
  EXPECT_THAT(served.error().message, HasSubstr("it did not do what it declares"));
}

TEST(Worker, calls_fit_the_time_asked_for) {
  EXPECT_EQ(bench::calls_for(1000, 10.0), 100U);
  EXPECT_EQ(bench::calls_for(1000, 5000.0), 1U);
  EXPECT_EQ(bench::calls_for(1000, 0.0), 1'000'000U);
}

}  // namespace
}  // namespace assay::scenarios
