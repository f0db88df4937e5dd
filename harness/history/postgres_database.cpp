// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/history/postgres_database.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/history/postgres_library.h"

namespace assay::history {
namespace {

using connection = std::unique_ptr<PGconn, decltype(&PQfinish)>;
using answer = std::unique_ptr<PGresult, decltype(&PQclear)>;
using library = postgres_library;

// Types by number, as the server's catalog has them since ever (pg_type.dat).
constexpr Oid int8_type = 20;
constexpr Oid float8_type = 701;

// Of libpq's several lines the first: the others are hints for a person at its own prompt.
std::string first_line(const char* message) {
  const std::string_view text(message);
  return std::string(text.substr(0, text.find('\n')));
}

failure failed(const library& pq, PGconn* of) {
  return ASSAY_FAIL(io, fmt::format("--history: PostgreSQL: {}; check the URL and the server",
                                    first_line(pq.error_message(of))));
}

std::optional<std::string> text_of(const cell& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *number);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  if (const auto* text = std::get_if<std::string>(&value)) {
    // The server has no zero byte in a text. Names from a file can have one.
    std::string clean = *text;
    std::replace(clean.begin(), clean.end(), '\0', '?');
    return clean;
  }
  return std::nullopt;
}

cell cell_at(const library& pq, const PGresult* from, int row, int column) {
  if (pq.getisnull(from, row, column) != 0) return std::monostate{};
  const std::string_view text(pq.getvalue(from, row, column));
  if (pq.ftype(from, column) == int8_type) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }
  if (pq.ftype(from, column) == float8_type) {
    double real = 0.0;
    std::from_chars(text.data(), text.data() + text.size(), real);
    return real;
  }
  return std::string(text);
}

class postgres_database : public database {
 public:
  postgres_database(const library& pq, connection made) : pq_(pq), connection_(std::move(made)) {}

  result<std::vector<row>> run(std::string_view statement,
                               const std::vector<cell>& parameters) override {
    std::vector<std::optional<std::string>> texts;
    for (const cell& value : parameters) texts.push_back(text_of(value));
    std::vector<const char*> values;
    for (const auto& text : texts) values.push_back(text ? text->c_str() : nullptr);
    const answer got(pq_.exec_params(connection_.get(), std::string(statement).c_str(),
                                     static_cast<int>(values.size()), nullptr, values.data(),
                                     nullptr, nullptr, 0),
                     pq_.clear);
    const ExecStatusType status = pq_.result_status(got.get());
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
      return failed(pq_, connection_.get());
    std::vector<row> rows(static_cast<std::size_t>(pq_.ntuples(got.get())));
    for (int i = 0; i < pq_.ntuples(got.get()); ++i)
      for (int column = 0; column < pq_.nfields(got.get()); ++column)
        rows[static_cast<std::size_t>(i)].push_back(cell_at(pq_, got.get(), i, column));
    return rows;
  }
  using database::run;

  result<bool> has_table(const std::string& name) override {
    ASSAY_TRY_ASSIGN(const auto found,
                     run("SELECT 1 FROM pg_tables WHERE schemaname = current_schema() "
                         "AND tablename = $1",
                         {name}));
    return !found.empty();
  }

  // Writers take turns as in a file: two that add the same entry at once would otherwise wait for
  // each other's rows in opposite order.
  result<void> begin_writing() override {
    ASSAY_TRY(database::run("BEGIN"));
    constexpr std::string_view turn = "SELECT pg_advisory_xact_lock(6580146)";
    if (auto locked = database::run(turn); !locked) {
      roll_back();
      return failure(std::move(locked).error());
    }
    return {};
  }

 private:
  library pq_;
  connection connection_;
};

}  // namespace

result<std::unique_ptr<database>> open_postgres(const std::string& url) {
  ASSAY_TRY_ASSIGN(const library pq, open_postgres_library());
  connection made(pq.connectdb(url.c_str()), pq.finish);
  if (pq.status(made.get()) != CONNECTION_OK) return failed(pq, made.get());
  // What the server has to say beside its answers is not for our stderr.
  pq.set_notice_processor(
      made.get(), [](void*, const char*) {}, nullptr);
  return std::make_unique<postgres_database>(pq, std::move(made));
}

}  // namespace assay::history
