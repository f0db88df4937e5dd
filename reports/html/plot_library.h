// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The plotting library that pages carry: uPlot, out of reports/html/vendor, with its license; and
// what of ours draws with it, chart.js and chart.css.
#pragma once

#include <string_view>

namespace assay::reports {

/// Made by the build from the files that SHA256SUMS names. Private to the room.
std::string_view plot_library_script();
std::string_view plot_library_style();
std::string_view plot_library_license();
std::string_view chart_script();
std::string_view chart_style();

}  // namespace assay::reports
