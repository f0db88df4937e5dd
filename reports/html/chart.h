// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A chart that its reader can walk through: by pointer, by key, as a picture, or as a table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::reports {

/// One line over the chart's places. As many values as places.
struct chart_series {
  std::string name;            ///< foreign text
  std::vector<double> values;  ///< whole numbers are printed whole; none at a place: NaN
  bool is_points = false;      ///< marks without a line between them
};

/// A vertical line at a place, and why it is there.
struct chart_mark {
  double place = 0.0;
  std::string why;  ///< foreign text
};

/// One thing that a chart can show: lines of one unit. With is_range the two series are the least
/// and the most of each stretch, and what lies between is filled.
struct chart_view {
  std::string name;  ///< foreign text
  std::string unit;  ///< ns, bytes, operations_per_s, or any other: then plain numbers
  std::vector<double> places;
  std::vector<chart_series> series;
  bool is_range = false;
  std::vector<std::string> place_names{};  ///< one a place, or none; foreign text
  std::vector<chart_mark> marks{};
  bool is_log = false;  ///< both axes; then all places and values lie above 0
};

struct chart {
  std::string id;  ///< ours: a word that no other chart of the page has
  std::string title;
  std::string place_name;  ///< what a place is, e.g. "decode step"
  std::string place_unit;  ///< as chart_view::unit
  std::vector<std::string> notes;
  std::vector<chart_view> views;  ///< the first is shown; the others can be chosen
};

/// <figure>: what was plotted as data, a picture of the first view that needs no script, and every
/// view as a table that opens. Figures are whole and unrounded. Foreign text is inert.
/// Precondition: there is a view, and each has a place. Pure.
std::string html_chart(const chart& what);

}  // namespace assay::reports
