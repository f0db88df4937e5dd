// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/investigation_html.h"

#include "reports/html/document_html.h"
#include "reports/html/investigation_charts.h"
#include "reports/html/page.h"
#include "reports/html/time_picture.h"
#include "reports/wording/difference_words.h"
#include "reports/wording/investigation_words.h"

namespace assay::reports {

std::string investigation_as_html(const model::investigation& report) {
  const std::string opening = report.decode.passes == 0 ? std::string()
                                                        : html_section("A decode step, on average",
                                                                       time_picture(report.decode));
  return document_as_html(investigation_document(report), opening,
                          {{"roofline", roofline_chart(report)},
                           {"slowest", steps_chart(report)},
                           {"levels", levels_chart(report)},
                           {"flows", flows_chart(report)},
                           {"deviations", deviations_chart(report)},
                           {"machine", machine_chart(report)}});
}

std::string difference_as_html(const model::investigation_difference& report) {
  return document_as_html(difference_document(report), {}, {{"times", difference_chart(report)}});
}

}  // namespace assay::reports
