// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file threads that wait could ask for nothing, or without end, or for the same lines
// again at each launch that lies before the one they are for: slower, and nothing would fail.
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/device/host_queue.h"
#include "runtime/device/read_ahead.h"

namespace assay::device {
namespace {

struct reading_arguments {
  const std::byte* first;
  std::uint64_t bytes;
};
void read_nothing(const reading_arguments&, block_context&) {}
first_reads reads_at(const reading_arguments& a, std::uint32_t block) {
  return {{a.first + block * std::uint64_t{1024}, nullptr, nullptr, nullptr}, a.bytes};
}

kernel silent() {
  return kernel::bind<reading_arguments, read_nothing>("silent", {nullptr, 0}, 4);
}
kernel reader(const std::byte* first, std::uint64_t bytes) {
  return kernel::bind<reading_arguments, read_nothing>("reader", {first, bytes}, 4)
      .reading<reading_arguments, reads_at>();
}

std::uint64_t calls_until_nothing_is_left(read_ahead& ahead, std::uint32_t thread) {
  std::uint64_t calls = 0;
  while (calls < 1'000'000 && ahead.ask_some(thread)) ++calls;
  return calls;
}

TEST(ReadAhead, asks_once_for_what_is_announced_and_no_further_than_it_reaches) {
  const std::vector<std::byte> memory(8192);
  read_ahead ahead(2);
  EXPECT_FALSE(ahead.ask_some(0));
  ahead.announce(nullptr);
  EXPECT_FALSE(ahead.ask_some(0));

  const kernel next = reader(memory.data(), 4096);
  ahead.announce(&next);
  EXPECT_EQ(calls_until_nothing_is_left(ahead, 0), 8U);
  ahead.announce(&next);
  ahead.announce(nullptr);
  EXPECT_FALSE(ahead.ask_some(0)) << "the same launch again";
  EXPECT_TRUE(ahead.ask_some(1)) << "each thread asks for its own";

  const kernel after = reader(memory.data() + 4096, 100 * read_ahead::bytes_a_place);
  ahead.announce(&after);
  EXPECT_EQ(calls_until_nothing_is_left(ahead, 1), read_ahead::bytes_a_place / 512);
}

TEST(ReadAhead, of_a_launch_that_reads_nowhere_asks_nothing) {
  read_ahead ahead(1);
  const kernel nowhere = reader(nullptr, 0);
  ahead.announce(&nowhere);
  EXPECT_FALSE(ahead.ask_some(0));
}

// One thread submits and runs here, so nothing waits.
void submit(host_queue& to, const decltype(operation::work)& what) {
  to.claim().work = what;
  to.commit();
}

TEST(Queue, shows_the_next_launch_that_says_what_it_reads) {
  host_queue queue(0);
  const std::byte first{};
  submit(queue, reader(&first, 64));
  queue.front();
  EXPECT_EQ(queue.launch_ahead(), nullptr) << "the front itself is not ahead";
  submit(queue, silent());
  submit(queue, copy_work{});
  EXPECT_EQ(queue.launch_ahead(), nullptr);
  submit(queue, reader(&first, 128));
  submit(queue, reader(&first, 256));
  const kernel* ahead = queue.launch_ahead();
  ASSERT_NE(ahead, nullptr);
  EXPECT_EQ(ahead->reads(ahead->arguments.data(), 0).bytes, 128U);
}

TEST(Queue, looks_at_no_more_than_a_few_operations_ahead) {
  host_queue queue(0);
  submit(queue, silent());
  queue.front();
  for (std::uint64_t i = 1; i < host_queue::looked_ahead; ++i) submit(queue, copy_work{});
  submit(queue, reader(nullptr, 64));
  EXPECT_NE(queue.launch_ahead(), nullptr);
  queue.pop();

  host_queue longer(0);
  submit(longer, silent());
  longer.front();
  for (std::uint64_t i = 0; i < host_queue::looked_ahead; ++i) submit(longer, copy_work{});
  submit(longer, reader(nullptr, 64));
  EXPECT_EQ(longer.launch_ahead(), nullptr);
}

}  // namespace
}  // namespace assay::device
