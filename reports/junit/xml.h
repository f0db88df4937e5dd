// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace assay::reports {

/// Text as the value of an XML attribute, quotes not included. A trace from outside may carry any
/// bytes: what XML 1.0 cannot hold (most control characters, bytes that are not UTF-8) and what
/// would hide or turn round the text beside it becomes U+FFFD, so that no name can make the whole
/// file unreadable.
std::string xml_escaped(std::string_view text);

}  // namespace assay::reports
