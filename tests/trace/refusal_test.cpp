// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without these tests a full disk, a path that cannot be written or a file that is no trace would
// show as a crash, a silent loss, or a message that does not say what to do.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probes/trace/trace_reader.h"
#include "probes/trace/trace_writer.h"
#include "tests/trace/recorded.h"

namespace assay::trace {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

void expect_error(const error& e, error_kind kind, const std::string& path, const char* fix) {
  EXPECT_EQ(e.kind, kind);
  EXPECT_THAT(e.message, AllOf(HasSubstr(path), HasSubstr(fix)));
  EXPECT_EQ(e.message.find('\n'), std::string::npos);
}

std::string unopened_for_writing(const std::string& path, const char* fix) {
  const auto writer = trace_writer::open(path);
  EXPECT_FALSE(writer);
  if (writer) return "";
  expect_error(writer.error(), error_kind::io, path, fix);
  return writer.error().message;
}

TEST(Refusal, a_path_that_cannot_be_written_shows_at_the_opening) {
  unopened_for_writing("/nonexistent/out/trace.assay", "create its directory");
  unopened_for_writing(std::filesystem::temp_directory_path().string(), "name a file in it");
  unopened_for_writing("/proc/version/trace.assay", "directory");
  unopened_for_writing("", "create its directory");
}

TEST(Refusal, a_full_device_shows_at_the_opening) {
  unopened_for_writing("/dev/full", "free space");
}

// Lowers the size that a file of this process may reach, for as long as it lives.
class file_size_limit {
 public:
  explicit file_size_limit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit now = before_;
    now.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~file_size_limit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  file_size_limit(const file_size_limit&) = delete;
  file_size_limit& operator=(const file_size_limit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(Refusal, a_disk_that_fills_up_sticks_and_leaves_what_was_written) {
  scratch_file file;
  auto writer = trace_writer::open(file.path());
  ASSERT_TRUE(writer);
  std::vector<assay_record> records(500, record_of(ASSAY_ACTIVITY, 1));
  {
    file_size_limit limit(200'000);
    result<void> last;
    for (int call = 0; call < 20 && last; ++call) last = writer->records(records);
    ASSERT_FALSE(last);
    expect_error(last.error(), error_kind::io, file.path(), "ulimit -f");
  }
  // The limit is gone, and the trace still has a hole: nothing may follow it.
  for (const auto& later : {writer->records(records), writer->snapshot(1, {}), writer->flush(),
                            writer->facts("{}"), writer->end()}) {
    ASSERT_FALSE(later);
    expect_error(later.error(), error_kind::io, file.path(), "ulimit -f");
  }
  EXPECT_EQ(file.content().size(), 200'000u);
  auto reader = trace_reader::open(file.path());
  ASSERT_TRUE(reader);
  block one;
  std::size_t kept = 0;
  while (*reader->next(one)) kept += one.payload.size() / sizeof(assay_record);
  EXPECT_FALSE(reader->is_complete());
  EXPECT_GT(kept, 1800u);
}

TEST(Refusal, a_closed_writer_takes_nothing_more) {
  scratch_file file;
  auto writer = trace_writer::open(file.path());
  ASSERT_TRUE(writer->end());
  const auto late = writer->facts("{}");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, error_kind::internal);
  EXPECT_FALSE(writer->end());
}

std::string unopened(const std::string& path, const char* fix) {
  const auto reader = trace_reader::open(path);
  EXPECT_FALSE(reader);
  if (reader) return "";
  expect_error(reader.error(), error_kind::unusable_input, path, fix);
  return reader.error().message;
}

TEST(Refusal, what_is_not_a_trace_is_said_to_be_none) {
  scratch_file file;
  unopened(file.path(), "name a trace");
  file.write("");
  EXPECT_THAT(unopened(file.path(), "assay audit"), HasSubstr("only 0 bytes"));
  file.write("ASSAY");
  EXPECT_THAT(unopened(file.path(), "assay audit"), HasSubstr("only 5 bytes"));
  file.write(std::string(4096, 'A'));
  EXPECT_THAT(unopened(file.path(), "assay audit"), HasSubstr("not a trace"));
  unopened(std::filesystem::temp_directory_path().string(), "name a trace file in it");
}

TEST(Refusal, another_version_names_both_and_the_way_out) {
  scratch_file file;
  assay_file_header header{{}, ASSAY_TRACE_VERSION + 1, sizeof header};
  std::memcpy(header.magic, ASSAY_TRACE_MAGIC, sizeof header.magic);
  const auto write = [&] { file.write({reinterpret_cast<const char*>(&header), sizeof header}); };
  write();
  EXPECT_THAT(unopened(file.path(), "newer assay"), HasSubstr("version 2"));
  header.version = 0;
  write();
  unopened(file.path(), "assay_trace.h");
  header.version = ASSAY_TRACE_VERSION;
  header.header_bytes = 15;
  write();
  unopened(file.path(), "make it again");
  header.header_bytes = 1u << 30;
  write();
  unopened(file.path(), "make it again");
}

TEST(Refusal, a_longer_file_header_is_skipped) {
  scratch_file file;
  assay_file_header header{{}, ASSAY_TRACE_VERSION, 24};
  std::memcpy(header.magic, ASSAY_TRACE_MAGIC, sizeof header.magic);
  const std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  assay_crc32_table crc;
  assay_crc32_init(&crc);
  assay_block_header end{ASSAY_BLOCK_MAGIC, ASSAY_BLOCK_END, 0, 0, 0};
  end.crc32 = assay_block_crc32(&crc, &end, nullptr);
  file.write(bytes + "padding." + std::string(reinterpret_cast<const char*>(&end), sizeof end));
  auto reader = trace_reader::open(file.path());
  ASSERT_TRUE(reader);
  block one;
  EXPECT_TRUE(*reader->next(one));
  EXPECT_TRUE(reader->is_complete());
  file.write(bytes + "pad");
  reader = trace_reader::open(file.path());
  ASSERT_TRUE(reader);
  EXPECT_FALSE(*reader->next(one));
  EXPECT_THAT(reader->incompleteness(), HasSubstr("cut off"));
}

TEST(Refusal, a_trace_may_come_through_a_pipe) {
  scratch_file file;
  ASSERT_EQ(mkfifo(file.path().c_str(), 0600), 0);
  std::vector<assay_record> records(5000, record_of(ASSAY_ACTIVITY, 1));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto writer = trace_writer::open(file.path());
    _exit(writer && writer->records(records) && writer->end() ? 0 : 1);
  }
  auto reader = trace_reader::open(file.path());
  ASSERT_TRUE(reader);
  block one;
  std::size_t bytes = 0;
  while (*reader->next(one)) bytes += one.payload.size();
  EXPECT_TRUE(reader->is_complete()) << reader->incompleteness();
  EXPECT_EQ(bytes, 5000 * sizeof(assay_record));
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace assay::trace
