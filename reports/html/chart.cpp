// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/chart.h"

#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "reports/html/chart_picture.h"
#include "reports/html/escape.h"
#include "reports/html/log_picture.h"
#include "reports/wording/audit_words.h"
#include "runtime/telemetry/check.h"

namespace assay::reports {
namespace {

// A string of JSON that neither ends the element it stands in nor begins another.
std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char each : one_line(text)) {
    if (std::string_view("\"\\<>&'").find(each) != std::string_view::npos)
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(each));
    else
      out += each;
  }
  return out + '"';
}

// JSON has no number that is none.
std::string json_values(const std::vector<double>& values) {
  std::string out = "[";
  for (std::size_t at = 0; at < values.size(); ++at)
    out += (at == 0 ? "" : ",") +
           (std::isfinite(values[at]) ? fmt::format("{}", values[at]) : std::string("null"));
  return out + ']';
}

// What only some views have.
std::string more_of(const chart_view& view) {
  std::string out = view.is_log ? ",\"isLog\":true" : "";
  if (!view.place_names.empty()) {
    out += ",\"placeNames\":[";
    for (std::size_t at = 0; at < view.place_names.size(); ++at)
      out += (at == 0 ? "" : ",") + json_text(view.place_names[at]);
    out += ']';
  }
  if (!view.marks.empty()) {
    out += ",\"marks\":[";
    for (std::size_t at = 0; at < view.marks.size(); ++at)
      out += fmt::format("{}{{\"place\":{},\"why\":{}}}", at == 0 ? "" : ",", view.marks[at].place,
                         json_text(view.marks[at].why));
    out += ']';
  }
  return out;
}

std::string data_of(const chart& what) {
  std::string out = fmt::format("{{\"place\":{},\"placeUnit\":{},\"views\":[",
                                json_text(what.place_name), json_text(what.place_unit));
  for (std::size_t at = 0; at < what.views.size(); ++at) {
    const chart_view& view = what.views[at];
    out += fmt::format("{}{{\"name\":{},\"unit\":{},\"isRange\":{},\"places\":{},\"series\":[",
                       at == 0 ? "" : ",\n", json_text(view.name), json_text(view.unit),
                       view.is_range, json_values(view.places));
    for (std::size_t line = 0; line < view.series.size(); ++line)
      out += fmt::format("{}{{\"name\":{},\"values\":{}{}}}", line == 0 ? "" : ",",
                         json_text(view.series[line].name), json_values(view.series[line].values),
                         view.series[line].is_points ? ",\"isPoints\":true" : "");
    out += ']' + more_of(view) + '}';
  }
  return out + "]}";
}

std::string heading_of(std::string_view name, std::string_view unit) {
  return html_escaped(unit.empty() ? std::string(name) : fmt::format("{} ({})", name, unit));
}

// Plain cells: a chart has up to thousands of places, and the page has to stay small.
std::string table_of(const chart& what, const chart_view& view, std::size_t number) {
  std::string out = fmt::format(
      "<details class=\"values\"><summary>{}: {} places as a table</summary><div class=\"scroll\" "
      "tabindex=\"0\"><table class=\"sortable\" id=\"{}-{}\">\n<thead><tr>",
      html_escaped(view.name), view.places.size(), what.id, number);
  const auto head = [&out](const std::string& text) {
    out += fmt::format(
        "<th scope=\"col\" class=\"number\"><button type=\"button\">{}</button></th>", text);
  };
  head(heading_of(what.place_name, what.place_unit));
  if (!view.place_names.empty()) head("name");
  for (const chart_series& each : view.series) head(heading_of(each.name, view.unit));
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t at = 0; at < view.places.size(); ++at) {
    out += fmt::format("<tr><td>{}", view.places[at]);
    if (!view.place_names.empty()) out += "<td>" + html_escaped(view.place_names[at]);
    for (const chart_series& each : view.series)
      out += std::isfinite(each.values[at]) ? fmt::format("<td>{}", each.values[at])
                                            : std::string("<td>-");
    out += "\n";
  }
  return out + "</tbody></table></div></details>\n";
}

}  // namespace

std::string html_chart(const chart& what) {
  ASSAY_CHECK(!what.views.empty(), "a chart of nothing");
  for (const chart_view& view : what.views) {
    ASSAY_CHECK(view.place_names.empty() || view.place_names.size() == view.places.size(),
                "names of another chart");
    for (const chart_series& line : view.series)
      ASSAY_CHECK(!view.places.empty() && line.values.size() == view.places.size(),
                  "a line of another chart");
  }
  std::string out = fmt::format("<figure class=\"chart\" id=\"{}\">\n<figcaption>{}</figcaption>\n",
                                what.id, html_escaped(what.title));
  for (const std::string& note : what.notes) out += fmt::format("<p>{}</p>\n", html_escaped(note));
  const chart_view& first = what.views.front();
  out += "<div class=\"stage\">\n" +
         (first.is_log ? log_picture(what.title, first) : chart_picture(what.title, first)) +
         "</div>\n";
  for (std::size_t at = 0; at < what.views.size(); ++at) out += table_of(what, what.views[at], at);
  return out +
         fmt::format("<script type=\"application/json\">{}</script>\n</figure>\n", data_of(what));
}

}  // namespace assay::reports
