// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/audit_file.h"

#include <vector>

#include "harness/audit/auditor.h"
#include "probes/trace/pump.h"
#include "probes/trace/trace_reader.h"

namespace assay::cli {
namespace {

// The auditor sees no file, so its complaints name none.
error named(error complaint, const std::string& path) {
  if (complaint.message.find(path) == std::string::npos)
    complaint.message = path + ": " + complaint.message;
  return complaint;
}

// Several readers of one trace, in their order.
class fan_out final : public trace::sink {
 public:
  fan_out(trace::sink& first, std::span<trace::sink* const> others) : sinks_{&first} {
    sinks_.insert(sinks_.end(), others.begin(), others.end());
  }
  result<void> contract(std::string_view json) override {
    for (trace::sink* each : sinks_) ASSAY_TRY(each->contract(json));
    return {};
  }
  result<void> facts(std::string_view json) override {
    for (trace::sink* each : sinks_) ASSAY_TRY(each->facts(json));
    return {};
  }
  result<void> records(std::span<const assay_record> records) override {
    for (trace::sink* each : sinks_) ASSAY_TRY(each->records(records));
    return {};
  }
  result<void> snapshot(std::int64_t at_ns, std::span<const assay_reading> readings) override {
    for (trace::sink* each : sinks_) ASSAY_TRY(each->snapshot(at_ns, readings));
    return {};
  }
  result<void> end() override {
    for (trace::sink* each : sinks_) ASSAY_TRY(each->end());
    return {};
  }

 private:
  std::vector<trace::sink*> sinks_;
};

}  // namespace

result<model::audit_report> audit_file(const std::string& path,
                                       std::span<trace::sink* const> beside) {
  ASSAY_TRY_ASSIGN(trace::trace_reader reader, trace::trace_reader::open(path));
  audit::auditor auditor;
  fan_out all(auditor, beside);
  if (auto fed = trace::pump(reader, all); !fed)
    return failure(named(std::move(fed).error(), path));
  if (reader.block_count() == 0 && !reader.is_complete())
    return ASSAY_FAIL(interrupted, path + ": " + reader.incompleteness() +
                                       ", so it holds nothing to judge; record it again");
  auto report = auditor.finish(reader.incompleteness());
  if (!report) return failure(named(std::move(report).error(), path));
  return report;
}

}  // namespace assay::cli
