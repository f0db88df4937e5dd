// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, a knob with a typo in its value could fall back to the default in silence, and a
// row could name a counter that does not exist.
#include "runtime/telemetry/knobs.h"

#include <cstdlib>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/telemetry/catalog.h"

namespace assay::telemetry {
namespace {

using ::testing::HasSubstr;

// Sets an environment variable for a scope. The tests of this binary run on one thread.
class environment {
 public:
  environment(const knob& k, const char* value) : variable_(k.variable) {
    setenv(variable_.c_str(), value, 1);
  }
  ~environment() { unsetenv(variable_.c_str()); }
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;

 private:
  std::string variable_;
};

TEST(Knobs, each_row_stands_at_its_id_and_is_whole) {
  std::set<std::string> variables;
  std::size_t index = 0;
  for (const knob& k : knobs()) {
    EXPECT_EQ(static_cast<std::size_t>(k.id), index++) << k.variable;
    EXPECT_TRUE(k.variable.starts_with("ASSAY_")) << k.variable;
    EXPECT_TRUE(variables.insert(std::string(k.variable)).second) << k.variable;
    EXPECT_FALSE(k.unit.empty()) << k.variable;
    EXPECT_FALSE(k.changes.empty()) << k.variable;
  }
}

TEST(Knobs, each_moves_a_counter_of_the_catalog_or_a_line_of_doctor) {
  for (const knob& k : knobs()) {
    if (k.moves.starts_with("doctor: ")) continue;
    EXPECT_TRUE(find_counter(k.moves).has_value()) << k.variable << " moves " << k.moves;
  }
}

TEST(Knobs, the_default_is_in_force_where_nothing_is_set) {
  for (const knob& k : knobs()) {
    const auto value = knob_value(k.id);
    ASSERT_TRUE(value.has_value()) << k.variable;
    EXPECT_EQ(std::to_string(*value), k.default_value);
  }
}

TEST(Knobs, the_environment_overrides_the_default) {
  for (const knob& k : knobs()) {
    const environment set(k, "12345");
    EXPECT_EQ(knob_value(k.id).value_or(0), 12345) << k.variable;
  }
}

TEST(Knobs, what_is_not_a_positive_whole_number_is_refused_by_name) {
  for (const char* wrong :
       {"", "many", "12x", " 12", "1.5", "-1", "0", "+3", "0x10", "99999999999999999999"}) {
    for (const knob& k : knobs()) {
      const environment set(k, wrong);
      const auto value = knob_value(k.id);
      ASSERT_FALSE(value.has_value()) << k.variable << "=" << wrong;
      EXPECT_EQ(value.error().kind, error_kind::usage);
      EXPECT_THAT(value.error().message, HasSubstr(std::string(k.variable) + "=" + wrong));
      EXPECT_THAT(value.error().message, HasSubstr(std::string(k.unit)));
    }
  }
}

}  // namespace
}  // namespace assay::telemetry
