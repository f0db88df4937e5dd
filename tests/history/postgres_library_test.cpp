// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without these, a runner without PostgreSQL's client library could fail to start, or fail without
// saying what to install.
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>

#include "harness/history/postgres_library.h"

namespace assay::history {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(PostgresLibrary, that_is_not_there_is_named_with_what_to_install) {
  const auto opened = open_postgres_library("libpq-of-nobody.so.5");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, error_kind::unavailable);
  EXPECT_THAT(opened.error().message, HasSubstr("libpq-of-nobody.so.5"));
  EXPECT_THAT(opened.error().message, HasSubstr("install libpq5"));
  EXPECT_THAT(opened.error().message, Not(HasSubstr("\n")));
}

TEST(PostgresLibrary, that_is_another_library_is_refused_by_what_it_lacks) {
  const auto opened = open_postgres_library("libm.so.6");
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("libm.so.6 has no PQconnectdb"));
}

TEST(PostgresLibrary, is_no_part_of_what_starts) {
  std::ifstream maps("/proc/self/maps");
  std::ostringstream mapped;
  mapped << maps.rdbuf();
  EXPECT_THAT(mapped.str(), Not(HasSubstr("libpq")));
}

}  // namespace
}  // namespace assay::history
