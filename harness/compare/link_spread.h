// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What the links of one commit move a row by, kept apart from what its runs scatter by.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace assay::compare {

/// Estimates of one row, ln(head/base), by the link that was the head; the base was always the one
/// plain link.
using results_by_link = std::map<std::string, std::vector<double>>;

/// How far each result lies from its link's mean, widened by √(n/(n−1)), for which the mean has
/// followed it. A link with one result has nothing to say.
std::vector<double> scatter_of(const results_by_link& results);

/// How far apart the furthest two links lie, the plain one among them; 0 where no link moves the
/// row. A link moves it where the median of its results lies beyond `scatter_ln`; it then reaches
/// that much further than its median, and as far as its furthest result.
///
/// Why no quantile over all results: of nine links one may move a row by a quarter, and the next
/// change is linked like that one. Among the results it is a ninth, and pooled with rows that it
/// leaves alone too rare for any quantile.
double link_spread_ln(const results_by_link& results, double scatter_ln);

}  // namespace assay::compare
