// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a document says that a metric is.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace assay::guard {

enum class claim_facet : unsigned char { kind, unit };

struct document_claim {
  std::string name{};
  claim_facet facet = claim_facet::kind;
  std::string said{};  ///< a kind or a unit, as a contract spells it
  std::string file{};
  std::size_t line = 0;
};

/// Calls `take` with each claim about a name that `is_metric` knows, in the text's order; `file` of
/// a claim is empty. Claims are: a row of a Markdown table whose one cell is the name and another a
/// kind, or what stands under a heading of units; TYPE and UNIT lines; and behind a name "(counter,
/// seconds)", "is a gauge", "in bytes". Anything else a sentence may say is not read. Pure; linear
/// in the text.
void read_claims(std::string_view text, const std::function<bool(std::string_view)>& is_metric,
                 const std::function<void(document_claim)>& take);

/// Whether two units say different things. A count of tokens and one of nothing do not.
bool contradict(claim_facet facet, std::string_view one, std::string_view other);

}  // namespace assay::guard
