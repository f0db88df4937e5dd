// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/history_flag.h"

#include <chrono>

#include "harness/history/store.h"

namespace assay::cli {

void add_history_flags(CLI::App& verb, history_flags& flags) {
  auto* where = verb.add_option("--history", flags.where,
                                "Add the result to this history: a file, or postgresql://…");
  verb.add_option("--commit", flags.commit, "What was measured, for the history")->needs(where);
}

result<history_sink> history_sink::open(const history_flags& flags) {
  history_sink made;
  made.commit_ = flags.commit;
  if (!flags.where.empty()) {
    ASSAY_TRY_ASSIGN(made.kept_, history::open_database(flags.where));
  }
  return made;
}

// The calendar's clock: entries of several machines stand in one history.
result<void> history_sink::add(const history::entry& what) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  ASSAY_TRY(history::add(*kept_, what,
                         std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()));
  return {};
}

}  // namespace assay::cli
