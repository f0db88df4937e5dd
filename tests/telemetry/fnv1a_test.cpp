// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, stored digests of an older build would stop meaning the same bytes.
#include "runtime/telemetry/fnv1a.h"

#include <gtest/gtest.h>

namespace assay::telemetry {
namespace {

std::uint64_t digest_of(std::string_view bytes) {
  fnv1a digest;
  digest.take(bytes);
  return digest.value();
}

// Values that its authors publish.
TEST(Fnv1a, gives_what_is_published) {
  EXPECT_EQ(digest_of(""), 0xcbf29ce484222325ULL);
  EXPECT_EQ(digest_of("a"), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(digest_of("foobar"), 0x85944171f73967e8ULL);
}

TEST(Fnv1a, takes_a_number_by_its_bytes_the_lowest_first) {
  fnv1a digest;
  digest.take(std::int32_t{-2});
  EXPECT_EQ(digest.value(), digest_of("\xfe\xff\xff\xff"));
}

}  // namespace
}  // namespace assay::telemetry
