// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/text/investigation_text.h"

#include "reports/text/document_text.h"
#include "reports/wording/difference_words.h"
#include "reports/wording/investigation_words.h"

namespace assay::reports {

std::string investigation_as_text(const model::investigation& report, const text_options& options) {
  return document_as_text(investigation_document(report), options.is_coloured);
}

std::string difference_as_text(const model::investigation_difference& report,
                               const text_options& options) {
  return document_as_text(difference_document(report), options.is_coloured);
}

}  // namespace assay::reports
