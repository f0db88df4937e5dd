// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown/investigation_markdown.h"

#include "reports/markdown/document_markdown.h"
#include "reports/wording/difference_words.h"
#include "reports/wording/investigation_words.h"

namespace assay::reports {

std::string investigation_as_markdown(const model::investigation& report) {
  return document_as_markdown(investigation_document(report));
}

std::string difference_as_markdown(const model::investigation_difference& report) {
  return document_as_markdown(difference_document(report));
}

}  // namespace assay::reports
