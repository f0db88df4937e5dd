// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/history/database.h"
#include "harness/history/migrations.h"
#include "harness/history/postgres_database.h"
#include "harness/history/sqlite_database.h"

namespace assay::history {

result<std::unique_ptr<database>> open_database(const std::string& where) {
  ASSAY_TRY_ASSIGN(
      auto made, is_postgres_url(where) ? open_postgres(where) : open_sqlite(where, access::write));
  ASSAY_TRY(migrate(*made));
  return made;
}

result<std::unique_ptr<database>> open_to_read(const std::string& where) {
  ASSAY_TRY_ASSIGN(
      auto made, is_postgres_url(where) ? open_postgres(where) : open_sqlite(where, access::read));
  ASSAY_TRY_ASSIGN(const std::int64_t version, version_of(*made));
  ASSAY_TRY(check_readable(version));
  return made;
}

}  // namespace assay::history
