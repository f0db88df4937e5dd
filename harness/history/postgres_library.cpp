// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/history/postgres_library.h"

#include <dlfcn.h>

#include <string>

#include <fmt/format.h>

namespace assay::history {
namespace {

// Remembers the first function that is not there.
class finder {
 public:
  explicit finder(void* library) : library_(library) {}

  template <class Function>
  void find(const char* name, Function& to) {
    to = reinterpret_cast<Function>(dlsym(library_, name));
    if (to == nullptr && missing_.empty()) missing_ = name;
  }
  const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

}  // namespace

result<postgres_library> open_postgres_library(const char* file) {
  void* const opened = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    const char* reason = dlerror();
    return ASSAY_FAIL(unavailable,
                      fmt::format("--history: PostgreSQL's client library cannot be opened: {}; "
                                  "install libpq5, or name a file",
                                  reason == nullptr ? file : reason));
  }
  finder in(opened);
  postgres_library out;
  in.find("PQconnectdb", out.connectdb);
  in.find("PQstatus", out.status);
  in.find("PQfinish", out.finish);
  in.find("PQerrorMessage", out.error_message);
  in.find("PQsetNoticeProcessor", out.set_notice_processor);
  in.find("PQexecParams", out.exec_params);
  in.find("PQresultStatus", out.result_status);
  in.find("PQclear", out.clear);
  in.find("PQntuples", out.ntuples);
  in.find("PQnfields", out.nfields);
  in.find("PQgetisnull", out.getisnull);
  in.find("PQgetvalue", out.getvalue);
  in.find("PQftype", out.ftype);
  if (!in.missing().empty())
    return ASSAY_FAIL(unavailable,
                      fmt::format("--history: {} has no {}; install a libpq5 that is no "
                                  "older than 9.6, or name a file",
                                  file, in.missing()));
  return out;
}

}  // namespace assay::history
