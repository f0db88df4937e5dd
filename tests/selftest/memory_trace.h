// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A trace kept in memory: recorded once, audited as often as a test likes, whole or damaged.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "harness/audit/auditor.h"
#include "probes/trace/sink.h"
#include "reports/model/audit_report.h"

namespace assay::selftest_test {

/// Threads: one.
class memory_trace : public trace::sink {
 public:
  result<void> contract(std::string_view json) override;
  result<void> facts(std::string_view json) override;
  result<void> records(std::span<const assay_record> records) override;
  result<void> snapshot(std::int64_t at_ns, std::span<const assay_reading> readings) override;
  result<void> end() override;

  /// Every record, in the order of the trace.
  std::vector<assay_record> all_records() const;

  /// Appends to `kept` what shall stand in place of `record`.
  using damage = std::function<void(const assay_record& record, std::vector<assay_record>& kept)>;
  void feed(trace::sink& into, const damage& with = {}) const;
  /// Precondition: the trace has its contract, and so has every damaged one.
  model::audit_report audit(const damage& with = {},
                            std::span<const audit::rule> rules = audit::rules()) const;

 private:
  struct contract_piece {
    std::string json;
  };
  struct facts_piece {
    std::string json;
  };
  struct records_piece {
    std::vector<assay_record> records;
  };
  struct snapshot_piece {
    std::int64_t at_ns;
    std::vector<assay_reading> readings;
  };
  struct end_piece {};
  using piece = std::variant<contract_piece, facts_piece, records_piece, snapshot_piece, end_piece>;
  static result<void> feed_one(const piece& what, trace::sink& into, const damage& with);

  std::vector<piece> pieces_;
};

}  // namespace assay::selftest_test
