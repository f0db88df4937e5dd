// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/report_file.h"

#include <utility>
#include <vector>

#include "harness/attribution/investigator.h"
#include "harness/attribution/step_difference.h"
#include "harness/cli/audit_file.h"
#include "reports/perfetto/timeline_writer.h"

namespace assay::cli {

result<model::investigation> investigate_file(const std::string& path, output_file& timeline) {
  attribution::investigator attributed;
  reports::timeline_writer drawn([&](std::string_view part) { return timeline.append(part); });
  std::vector<trace::sink*> beside{&attributed};
  if (timeline.is_wanted()) beside.push_back(&drawn);
  ASSAY_TRY_ASSIGN(model::audit_report audit, audit_file(path, beside));
  if (timeline.is_wanted()) {
    ASSAY_TRY(drawn.finish(audit.incompleteness));
    ASSAY_TRY(timeline.finish());
  }
  return attributed.finish(std::move(audit));
}

result<model::investigation_difference> compare_files(const std::vector<std::string>& firsts,
                                                      const std::vector<std::string>& seconds) {
  const auto read_side =
      [](const std::vector<std::string>& paths) -> result<std::vector<model::investigation>> {
    std::vector<model::investigation> side;
    for (const std::string& path : paths) {
      attribution::investigator attributed;
      attributed.keep_launches();
      trace::sink* const beside[] = {&attributed};
      ASSAY_TRY_ASSIGN(model::audit_report audit, audit_file(path, beside));
      side.push_back(attributed.finish(std::move(audit)));
    }
    return side;
  };
  ASSAY_TRY_ASSIGN(std::vector<model::investigation> ones, read_side(firsts));
  ASSAY_TRY_ASSIGN(std::vector<model::investigation> others, read_side(seconds));
  return attribution::difference_of(std::move(ones), std::move(others));
}

}  // namespace assay::cli
