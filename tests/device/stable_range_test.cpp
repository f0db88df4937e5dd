// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file an address could go on pointing to memory that was given to somebody else, or a
// page could be taken away under a kernel that still writes to it.
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "runtime/device/host_device.h"
#include "runtime/device/host_virtual_memory.h"
#include "runtime/device/stable_range.h"

namespace assay::device {
namespace {

template <class T>
std::string message_of(const result<T>& got) {
  return got ? std::string() : got.error().message;
}

class StableRange : public testing::Test {
 protected:
  StableRange() {
    device_ = std::move(*host_device::create({std::uint64_t{1} << 20, 5'000, 1}));
    memory_ = *host_virtual_memory::create(8 * page_bytes());
    range_ = std::move(*stable_range::reserve(*device_, memory_, 4 * page_bytes()));
    stream_ = *device_->create_stream();
  }
  static std::uint64_t page_bytes() { return 4096; }
  page_pointer fresh() { return memory_->create_page().value(); }

  std::unique_ptr<host_device> device_;  // outlives the range
  std::shared_ptr<virtual_memory> memory_;
  std::unique_ptr<stable_range> range_;
  stream stream_;
};

struct store_arguments {
  std::byte* to = nullptr;
  unsigned char value = 0;
  std::atomic<bool>* gate = nullptr;  // waited for where it is not null
};

void store(const store_arguments& arguments, block_context&) {
  while (arguments.gate != nullptr && !arguments.gate->load())
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  std::memset(arguments.to, arguments.value, 16);
}

kernel store_kernel(std::byte* to, unsigned char value, std::atomic<bool>* gate = nullptr) {
  return kernel::bind<store_arguments, store>("store", {to, value, gate}, 1);
}

// The kernel reads on our behalf, and says so where it cannot: no fault, no fork.
bool is_readable(const std::byte* at) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const bool is_read = write(ends[1], at, 1) == 1;
  EXPECT_EQ(is_read ? EFAULT : errno, EFAULT);
  close(ends[0]);
  close(ends[1]);
  return is_read;
}

TEST_F(StableRange, a_kernel_with_an_old_address_writes_to_the_page_that_is_mapped_now) {
  ASSERT_TRUE(range_->map(1, fresh()));
  const kernel recorded = store_kernel(range_->address_of(1), 0x5A);
  ASSERT_TRUE(device_->launch(stream_, recorded));
  ASSERT_TRUE(range_->note_use(stream_));
  const auto before = range_->remap(1, fresh());
  ASSERT_TRUE(before) << before.error().message;
  std::memset(range_->address_of(1), 0x77, page_bytes());
  ASSERT_TRUE(device_->launch(stream_, recorded));
  ASSERT_TRUE(device_->synchronize(stream_));
  EXPECT_EQ(range_->address_of(1)[15], std::byte{0x5A});
  EXPECT_EQ(range_->address_of(1)[16], std::byte{0x77});
  // The page that was there before has what was written to it, and none of this.
  ASSERT_TRUE(range_->map(3, *before));
  EXPECT_EQ(range_->address_of(3)[15], std::byte{0x5A});
  EXPECT_EQ(range_->address_of(3)[16], std::byte{0});
}

TEST_F(StableRange, two_addresses_of_one_page_are_one_memory) {
  const page_pointer page = fresh();
  ASSERT_TRUE(range_->map(0, page));
  ASSERT_TRUE(range_->map(2, page));
  EXPECT_EQ(memory_->live_bytes(), page_bytes());
  ASSERT_TRUE(device_->launch(stream_, store_kernel(range_->address_of(0), 0x3C)));
  ASSERT_TRUE(device_->synchronize(stream_));
  EXPECT_EQ(range_->address_of(2)[7], std::byte{0x3C});
  ASSERT_TRUE(range_->unmap(0));
  EXPECT_EQ(range_->address_of(2)[7], std::byte{0x3C});
}

TEST_F(StableRange, growth_leaves_what_is_there) {
  ASSERT_TRUE(range_->grow(1));
  std::memset(range_->address(), 0x11, page_bytes());
  ASSERT_TRUE(range_->grow(2));
  std::memset(range_->address_of(1), 0x22, 2 * page_bytes());
  EXPECT_EQ(range_->address_of(1)[-1], std::byte{0x11});
  EXPECT_EQ(memory_->live_bytes(), 3 * page_bytes());
  EXPECT_NE(message_of(range_->grow(2)).find("1 of 4 are left"), std::string::npos);
}

TEST_F(StableRange, growth_that_the_limit_cuts_short_takes_nothing) {
  const auto other = std::move(*stable_range::reserve(*device_, memory_, 6 * page_bytes()));
  ASSERT_TRUE(other->grow(6));
  const auto refused = range_->grow(3);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, error_kind::out_of_memory);
  EXPECT_EQ(memory_->live_bytes(), 6 * page_bytes());
  EXPECT_EQ(range_->page_at(0), nullptr);
  EXPECT_TRUE(range_->grow(2));
}

TEST_F(StableRange, unmap_waits_for_the_last_use) {
  const page_pointer page = fresh();
  ASSERT_TRUE(range_->map(0, page));
  ASSERT_TRUE(range_->map(1, page));
  std::atomic<bool> gate{false};
  ASSERT_TRUE(device_->launch(stream_, store_kernel(range_->address_of(0), 0x5A, &gate)));
  ASSERT_TRUE(range_->note_use(stream_));
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    gate.store(true);
  });
  const auto gone = range_->unmap(0);
  const bool was_open = gate.load();
  opener.join();
  ASSERT_TRUE(gone);
  EXPECT_TRUE(was_open) << "the page was taken while a kernel held its address";
  EXPECT_EQ(range_->address_of(1)[0], std::byte{0x5A});
  EXPECT_EQ(range_->tally().waits, 1U);
  ASSERT_TRUE(range_->unmap(1));
  EXPECT_EQ(range_->tally().waits, 1U) << "a use that is over is not waited for again";
}

TEST_F(StableRange, an_address_without_a_page_faults) {
  ASSERT_TRUE(range_->map(0, fresh()));
  ASSERT_TRUE(range_->unmap(0));
  EXPECT_FALSE(is_readable(range_->address()));
  EXPECT_FALSE(is_readable(range_->address_of(3)));
  ASSERT_TRUE(range_->map(3, fresh()));
  EXPECT_TRUE(is_readable(range_->address_of(3)));
}

TEST_F(StableRange, pages_go_with_their_last_owner_and_come_back_empty) {
  page_pointer page = fresh();
  ASSERT_TRUE(range_->map(0, page));
  std::memset(range_->address(), 0x44, page_bytes());
  page.reset();
  EXPECT_EQ(memory_->live_bytes(), page_bytes()) << "the mapping owns it";
  ASSERT_TRUE(range_->unmap(0));
  EXPECT_EQ(memory_->live_bytes(), 0U);
  ASSERT_TRUE(range_->map(0, fresh()));
  EXPECT_EQ(*range_->address(), std::byte{0});
}

TEST_F(StableRange, refusals_name_the_page) {
  ASSERT_TRUE(range_->map(0, fresh()));
  EXPECT_EQ(message_of(range_->map(0, fresh())),
            "stable range: map of page 0, which is mapped; unmap or remap it");
  EXPECT_EQ(message_of(range_->unmap(1)),
            "stable range: unmap of page 1, which is not mapped; map it first");
  EXPECT_EQ(message_of(range_->map(4, fresh())),
            "stable range: map of page 4, but it has 4; reserve a longer one");
  EXPECT_EQ(message_of(range_->map(1, nullptr)),
            "stable range: map of page 1 to memory that is not its own; take it from create_page");
  const auto foreign = *host_virtual_memory::create(page_bytes());
  const page_pointer page = foreign->create_page().value();
  EXPECT_NE(message_of(range_->remap(0, page)).find("not its own"), std::string::npos);
  EXPECT_NE(range_->page_at(0), nullptr) << "the page before is mapped again";
  EXPECT_EQ(message_of(foreign->create_page()),
            "virtual memory: a page of 4096 bytes asked, 4096 live, limit 4096; raise the limit or "
            "give a page back");
  EXPECT_EQ(stable_range::reserve(*device_, memory_, 0).error().kind, error_kind::usage);
  EXPECT_EQ(stable_range::reserve(*device_, memory_, std::uint64_t{1} << 60).error().kind,
            error_kind::usage);
}

}  // namespace
}  // namespace assay::device
