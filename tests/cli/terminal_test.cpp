// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this colours could vanish from terminals, or come where NO_COLOR forbids them.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>

#include <gmock/gmock.h>

#include "tests/cli/program.h"

namespace assay::cli_test {
namespace {

// The program's stdout as a terminal receives it. The other side reports an error, not an end, when
// the program closes it.
std::string shown_on_terminal(const arguments& given, surroundings around) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) return {};
  around.stdout_path = ::ptsname(terminal);
  program shown(given, around);
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t got = 0; (got = ::read(terminal, piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<std::size_t>(got));
  ::close(terminal);
  return shown.wait().exit_code == 3 ? text : std::string();
}

// A trace that is cut off is judged alike by each call, and its outcome is known.
class Terminal : public testing::Test {
 protected:
  void SetUp() override {
    static_cast<void>(
        run({"audit", "--prompt", "Moses", "--max-new-tokens", "8", "--out-trace", trace_}));
    const std::string whole = contents_of(trace_);
    write_file(trace_, std::string_view(whole).substr(0, whole.size() - 1));
  }
  scratch out_;
  std::string trace_ = out_ / "run.trace";
};

TEST_F(Terminal, gets_colours) {
  EXPECT_THAT(shown_on_terminal({"audit", trace_}, {}), testing::HasSubstr("\033["));
}

TEST_F(Terminal, gets_plain_text_where_no_color_is_set) {
  const std::string text = shown_on_terminal({"audit", trace_}, {{"NO_COLOR=1"}, {}});
  EXPECT_THAT(text, testing::HasSubstr("INCOMPLETE"));
  EXPECT_EQ(text.find('\033'), std::string::npos);
}

}  // namespace
}  // namespace assay::cli_test
