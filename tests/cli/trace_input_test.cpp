// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a trace that was cut off, damaged, or is none could be audited as if it were whole,
// or be destroyed by the report on it.
#include <filesystem>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace assay::cli_test {
namespace {

using testing::HasSubstr;

// One short run for all tests here.
const std::string& whole_trace() {
  static const std::string bytes = [] {
    const scratch out;
    static_cast<void>(
        run({"audit", "--prompt", "Moses", "--max-new-tokens", "40", "--out-trace", out / "t"}));
    return contents_of(out / "t");
  }();
  return bytes;
}

class TraceInput : public testing::Test {
 protected:
  ending audit(std::string_view bytes, arguments more = {}) {
    write_file(trace_, bytes);
    more.insert(more.begin(), {"audit", trace_});
    return run(more);
  }
  scratch out_;
  std::string trace_ = out_ / "some.trace";
};

TEST_F(TraceInput, cut_anywhere_could_not_be_measured_and_says_where) {
  const std::string& whole = whole_trace();
  ASSERT_GT(whole.size(), 100'000U);
  for (const std::size_t kept : {whole.size() / 4, whole.size() / 2, whole.size() - 1}) {
    const ending end = audit(whole.substr(0, kept), {"--out-json", out_ / "cut.json"});
    EXPECT_EQ(end.exit_code, 3) << kept;
    EXPECT_THAT(end.out, HasSubstr("INCOMPLETE (cut off after block ")) << kept;
    const auto json = nlohmann::json::parse(contents_of(out_ / "cut.json"));
    EXPECT_EQ(json["exit_code"], 3);
    EXPECT_EQ(json["outcome"], "could not measure");
  }
}

TEST_F(TraceInput, cut_before_its_first_block_has_nothing_to_judge) {
  for (const std::size_t kept : {std::size_t{16}, std::size_t{20}, std::size_t{500}}) {
    const ending end = audit(whole_trace().substr(0, kept));
    EXPECT_EQ(end.exit_code, 3) << kept;
    EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
    EXPECT_THAT(end.err, testing::AllOf(HasSubstr(trace_), HasSubstr("cut off before")));
    EXPECT_EQ(end.out, "");
  }
}

TEST_F(TraceInput, flipped_bit_ends_what_is_believed) {
  std::string bytes = whole_trace();
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  const ending end = audit(bytes);
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.out, HasSubstr("damaged"));
}

TEST_F(TraceInput, bytes_behind_the_end_are_noticed) {
  const ending end = audit(whole_trace() + "x");
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.out, HasSubstr("goes on behind its END"));
}

TEST_F(TraceInput, foreign_or_empty_file_is_no_trace) {
  for (const std::string bytes : {"", "ASSAY", "{\"json\": 1}\n",
                                  "\x7f"
                                  "ELF0123456789abcdef"}) {
    const ending end = audit(bytes, {"--out-json", out_ / "x.json"});
    EXPECT_EQ(end.exit_code, 2) << bytes;
    EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
    EXPECT_THAT(end.err, testing::AllOf(HasSubstr(trace_), HasSubstr("not a trace")));
    EXPECT_EQ(end.out, "");
    EXPECT_FALSE(std::filesystem::exists(out_ / "x.json"));
  }
}

TEST_F(TraceInput, other_version_is_refused) {
  std::string bytes = whole_trace();
  bytes[8] = 99;
  const ending end = audit(bytes);
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
  EXPECT_THAT(end.err, HasSubstr("version 99"));
}

TEST_F(TraceInput, missing_file_or_folder_is_refused) {
  for (const std::string& path : {out_ / "none", out_.path().string(), std::string("/dev/null")}) {
    const ending end = run({"audit", path});
    EXPECT_EQ(end.exit_code, 2) << path;
    EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
    EXPECT_THAT(end.err, HasSubstr(path));
  }
}

TEST_F(TraceInput, report_must_not_overwrite_the_trace) {
  std::filesystem::create_symlink(trace_, out_ / "link");
  for (const std::string& to : {trace_, out_ / "link"}) {
    const ending end = audit(whole_trace(), {"--out-markdown", to});
    EXPECT_EQ(end.exit_code, 2);
    EXPECT_TRUE(is_one_complaint(end.err)) << end.err;
    EXPECT_EQ(contents_of(trace_), whole_trace());
  }
}

TEST_F(TraceInput, closed_stdout_leaves_the_report_alone) {
  write_file(trace_, whole_trace());
  const ending end = run({"audit", trace_, "--out-json", out_ / "x.json"}, {{}, "-"});
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.err, HasSubstr("standard output"));
  EXPECT_TRUE(nlohmann::json::accept(contents_of(out_ / "x.json")));
}

}  // namespace
}  // namespace assay::cli_test
