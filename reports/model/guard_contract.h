// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a program promises about the metrics and the variables that it has. docs/schema has the form
// of the file; harness/ingest reads it, harness/guard holds a program against it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reports/model/exposition.h"

namespace assay::model {

/// One metric that is promised.
struct promised_metric {
  std::string name{};
  metric_kind kind = metric_kind::unknown;
  std::string unit{};  ///< seconds, bytes, ratio, tokens, tokens_per_s, count, none, …
  std::optional<double> least{};
  std::optional<double> most{};
  bool is_optional = false;   ///< may be absent; `reason` says why
  bool is_exercised = false;  ///< the load between the snapshots must move it
  std::string reason{};
  std::size_t line = 0;
};

/// A metric in a sum: all of its series whose labels contain each of `labels`.
struct balance_term {
  bool is_negative = false;
  std::string metric{};
  std::vector<std::string> labels{};  ///< each a="b"
};

enum class balance_relation : unsigned char { equal, at_most };

/// An equation that must hold in each snapshot.
struct promised_balance {
  std::string name{};
  std::string text{};
  std::vector<balance_term> left{};
  std::vector<balance_term> right{};
  balance_relation relation = balance_relation::equal;
  double tolerance_ratio = 0.0;  ///< of the larger side
  std::size_t line = 0;
};

/// A published ratio that can be computed anew.
struct promised_ratio {
  std::string name{};
  balance_term ratio{};
  std::vector<balance_term> part{};
  std::vector<balance_term> whole{};
  double factor = 1.0;  ///< 100 where a percentage is promised
  double tolerance_ratio = 0.01;
  bool is_since_last = false;  ///< of what came since the snapshot before, not since the start
  std::size_t line = 0;
};

/// Something that the contract takes out on purpose.
struct allowance {
  std::string pattern{};  ///< a name; a * at its end stands for anything
  std::string reason{};
  std::size_t line = 0;
};

/// A finding that is known and not mended yet: it is told as a warning.
struct known_finding {
  std::string check{};  ///< the word of docs/guard.md
  std::string name{};   ///< the finding's subject
  std::string reason{};
  std::size_t line = 0;
};

struct guard_contract {
  std::string source{};
  std::vector<promised_metric> metrics{};
  std::vector<promised_balance> balances{};
  std::vector<promised_ratio> ratios{};
  std::vector<allowance> ignored{};              ///< published metrics that are not promised
  std::vector<std::string> metric_prefixes{};    ///< what a word in the documents begins with
  std::vector<std::string> variable_prefixes{};  ///< what an environment variable begins with
  std::vector<allowance> allowed_variables{};    ///< documented and not read, or the reverse
  std::vector<known_finding> known{};
};

}  // namespace assay::model
