// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// PostgreSQL's client library, opened when a history on a server is wanted: everything else runs
// where it is not installed.
#pragma once

#include <libpq-fe.h>

#include "runtime/telemetry/result.h"

namespace assay::history {

/// Its functions, under their names without PQ; types are those of the header that it was built
/// with.
struct postgres_library {
  decltype(&PQconnectdb) connectdb = nullptr;
  decltype(&PQstatus) status = nullptr;
  decltype(&PQfinish) finish = nullptr;
  decltype(&PQerrorMessage) error_message = nullptr;
  decltype(&PQsetNoticeProcessor) set_notice_processor = nullptr;
  decltype(&PQexecParams) exec_params = nullptr;
  decltype(&PQresultStatus) result_status = nullptr;
  decltype(&PQclear) clear = nullptr;
  decltype(&PQntuples) ntuples = nullptr;
  decltype(&PQnfields) nfields = nullptr;
  decltype(&PQgetisnull) getisnull = nullptr;
  decltype(&PQgetvalue) getvalue = nullptr;
  decltype(&PQftype) ftype = nullptr;
};

/// Opens `file`, a name that the loader looks up or a path; it stays open to the end of the
/// process. Errors: unavailable, with the loader's reason or the function that is missing, and the
/// fix.
result<postgres_library> open_postgres_library(const char* file = "libpq.so.5");

}  // namespace assay::history
