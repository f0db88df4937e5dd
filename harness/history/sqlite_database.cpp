// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/history/sqlite_database.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace assay::history {
namespace {

constexpr int patience_ms = 60'000;

using connection = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;
using statement = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

failure failed(const std::string& path, sqlite3* db, int code) {
  const char* why = db != nullptr ? sqlite3_errmsg(db) : sqlite3_errstr(code);
  switch (code & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return ASSAY_FAIL(unusable_input,
                        fmt::format("{}: is no history of assay's: {}; name another file, or one "
                                    "that is not there yet",
                                    path, why));
    case SQLITE_READONLY:
      return ASSAY_FAIL(io, fmt::format("{}: {}; make it and its folder writable", path, why));
    case SQLITE_FULL:
      return ASSAY_FAIL(io, fmt::format("{}: {}; free some space, nothing was added", path, why));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ASSAY_FAIL(io, fmt::format("{}: another process has been writing for {} s; run again",
                                        path, patience_ms / 1000));
    default:
      return ASSAY_FAIL(
          io, fmt::format("{}: {}; check the free space, the path and its permissions", path, why));
  }
}

int bind(sqlite3_stmt* to, int at, const cell& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value))
    return sqlite3_bind_int64(to, at, *number);
  if (const auto* real = std::get_if<double>(&value)) return sqlite3_bind_double(to, at, *real);
  if (const auto* text = std::get_if<std::string>(&value))
    return sqlite3_bind_text64(to, at, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return sqlite3_bind_null(to, at);
}

cell cell_at(sqlite3_stmt* from, int column) {
  switch (sqlite3_column_type(from, column)) {
    case SQLITE_INTEGER:
      return sqlite3_column_int64(from, column);
    case SQLITE_FLOAT:
      return sqlite3_column_double(from, column);
    case SQLITE_NULL:
      return std::monostate{};
    default:
      break;
  }
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(from, column));
  return std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(from, column)));
}

std::string log_of(const std::string& path) {
  return path + "-wal";
}

// What a writer changes of a file: its log, or the file itself once the log was taken over.
struct file_state {
  ino_t inode = 0;
  off_t size_bytes = 0;
  timespec written_at{};
  off_t log_bytes = 0;

  bool operator==(const file_state& other) const {
    return inode == other.inode && size_bytes == other.size_bytes &&
           written_at.tv_sec == other.written_at.tv_sec &&
           written_at.tv_nsec == other.written_at.tv_nsec && log_bytes == other.log_bytes;
  }
};

file_state state_of(const std::string& path) {
  struct stat file {};
  struct stat log {};
  if (::stat(path.c_str(), &file) != 0) return {};
  const off_t log_bytes = ::stat(log_of(path).c_str(), &log) == 0 ? log.st_size : 0;
  return {file.st_ino, file.st_size, file.st_mtim, log_bytes};
}

class sqlite_database : public database {
 public:
  sqlite_database(std::string path, connection db, std::optional<file_state> unlocked = {})
      : path_(std::move(path)), db_(std::move(db)), unlocked_(unlocked) {}

  result<std::vector<row>> run(std::string_view text,
                               const std::vector<cell>& parameters) override {
    sqlite3_stmt* made = nullptr;
    int code =
        sqlite3_prepare_v2(db_.get(), text.data(), static_cast<int>(text.size()), &made, nullptr);
    const statement prepared(made, sqlite3_finalize);
    if (code != SQLITE_OK) return failed(path_, db_.get(), code);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      code = bind(made, static_cast<int>(i + 1), parameters[i]);
      if (code != SQLITE_OK) return failed(path_, db_.get(), code);
    }
    std::vector<row> rows;
    while ((code = sqlite3_step(made)) == SQLITE_ROW) {
      row& next = rows.emplace_back();
      for (int i = 0; i < sqlite3_column_count(made); ++i) next.push_back(cell_at(made, i));
    }
    if (unlocked_ && !(state_of(path_) == *unlocked_))
      return ASSAY_FAIL(io, fmt::format("{}: was written to while it was read, in a folder where a "
                                        "reader can take no lock; run again",
                                        path_));
    if (code != SQLITE_DONE) return failed(path_, db_.get(), code);
    return rows;
  }

  result<bool> has_table(const std::string& name) override {
    ASSAY_TRY_ASSIGN(const auto found,
                     run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1", {name}));
    return !found.empty();
  }

  // Not a plain BEGIN: that one would read first, and fail where another has written since.
  result<void> begin_writing() override {
    ASSAY_TRY(database::run("BEGIN IMMEDIATE"));
    return {};
  }

  // A file that somebody deleted or replaced goes on taking what is written, and nobody will ever
  // read it. With a write-ahead log the library itself does not look.
  result<void> commit() override {
    ASSAY_TRY(database::commit());
    int has_moved = 0;
    sqlite3_file_control(db_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
    if (has_moved == 0) return {};
    return ASSAY_FAIL(io, fmt::format("{}: was deleted or replaced while it was open, and nothing "
                                      "was kept; run again",
                                      path_));
  }
  using database::run;

 private:
  std::string path_;
  connection db_;
  std::optional<file_state> unlocked_;  ///< of a file that is read without locks, at its opening
};

std::string as_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char each : path) {
    const auto byte = static_cast<unsigned char>(each);
    if (std::isalnum(byte) != 0 || std::string_view("/._-").find(each) != std::string_view::npos)
      uri += each;
    else
      uri += fmt::format("%{:02X}", byte);
  }
  return uri;
}

// To read a file with a write-ahead log the library writes beside it, which a read-only folder or
// mount refuses. Without locks the file alone is read: whole only where there is no log, since what
// was kept last would be in the log, and a list without it would look right.
result<std::unique_ptr<database>> open_unlocked(const std::string& path) {
  const file_state found = state_of(path);
  if (found.log_bytes > 0)
    return ASSAY_FAIL(
        io, fmt::format("{}: cannot be read where its folder is read-only, since its newest "
                        "results are still in {}; copy both files to a folder that you may write "
                        "to, and read there",
                        path, log_of(path)));
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2((as_uri(path) + "?immutable=1").c_str(), &opened,
                                   SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  connection db(opened, sqlite3_close);
  if (code != SQLITE_OK) return failed(path, opened, code);
  return std::make_unique<sqlite_database>(path, std::move(db), found);
}

// Whether the first look into an open file already fails for want of a place to write.
bool wants_to_write_beside(sqlite3* opened) {
  const int code =
      sqlite3_exec(opened, "SELECT 1 FROM sqlite_master LIMIT 1", nullptr, nullptr, nullptr) & 0xff;
  return code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
}

}  // namespace

result<std::unique_ptr<database>> open_sqlite(const std::string& path, access wanted) {
  const int flags =
      wanted == access::write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &opened, flags, nullptr);
  connection db(opened, sqlite3_close);
  if (code != SQLITE_OK) return failed(path, opened, code);
  sqlite3_busy_timeout(opened, patience_ms);
  if (wanted == access::read && wants_to_write_beside(opened)) return open_unlocked(path);
  auto made = std::make_unique<sqlite_database>(path, std::move(db));
  if (wanted == access::write) ASSAY_TRY(made->run("PRAGMA journal_mode = WAL"));
  ASSAY_TRY(made->run("PRAGMA foreign_keys = ON"));
  return made;
}

}  // namespace assay::history
