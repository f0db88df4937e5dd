// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A relational database as far as a history needs one: statements with parameters, and
// transactions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/telemetry/result.h"

namespace assay::history {

using cell = std::variant<std::monostate, std::int64_t, double, std::string>;
using row = std::vector<cell>;

/// One connection. Threads: one at a time; processes: any number, each with a connection of its
/// own. Errors: unusable_input where it is no database of ours, io where it cannot be read or
/// written; each names the database and the fix.
class database {
 public:
  virtual ~database() = default;

  /// Runs one statement. Parameters are $1, $2, … each used once, in order.
  virtual result<std::vector<row>> run(std::string_view statement,
                                       const std::vector<cell>& parameters) = 0;
  result<std::vector<row>> run(std::string_view statement) { return run(statement, {}); }

  virtual result<bool> has_table(const std::string& name) = 0;

  /// From here to commit() no other connection writes; without a commit nothing has happened.
  virtual result<void> begin_writing() = 0;
  virtual result<void> commit() {
    ASSAY_TRY(run("COMMIT"));
    return {};
  }
  /// After a failed statement. Its own failure says nothing that the statement's did not.
  void roll_back() { static_cast<void>(run("ROLLBACK")); }
};

/// Opens `where`: a file, made if it is not there (SQLite), or a URL postgresql://… . A database
/// that an older Assay wrote is brought up to date; one of a newer Assay is refused.
result<std::unique_ptr<database>> open_database(const std::string& where);

/// The same without making or changing anything: what is not there is an error.
result<std::unique_ptr<database>> open_to_read(const std::string& where);

}  // namespace assay::history
