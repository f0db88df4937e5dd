// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/page.h"

#include <fmt/format.h>

#include "reports/html/escape.h"
#include "reports/html/plot_library.h"

namespace assay::reports {

std::string html_page(std::string_view title, std::string_view body, page_content content) {
  const std::string safe_title = html_escaped(title);
  std::string style(page_style());
  std::string script(page_script());
  if (content == page_content::charts) {
    style += fmt::format("{}{}", plot_library_style(), chart_style());
    // The license asks to go along with the library.
    script += fmt::format("</script>\n<script>\n/* uPlot\n{}*/\n{}\n</script>\n<script>\n{}",
                          plot_library_license(), plot_library_script(), chart_script());
  }
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
      "<title>{0}</title>\n<style>\n{1}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n{2}"
      "</main>\n<script>\n{3}</script>\n</body>\n</html>\n",
      safe_title, style, body, script);
}

std::string html_section(std::string_view heading, std::string_view content, std::string_view id) {
  return fmt::format("<section{}>\n<h2>{}</h2>\n{}</section>\n",
                     id.empty() ? std::string() : fmt::format(" id=\"{}\"", id),
                     html_escaped(heading), content);
}

std::string html_contents(const std::vector<std::pair<std::string, std::string>>& sections) {
  std::string out = "<nav aria-label=\"Contents\"><ul>\n";
  for (const auto& [id, heading] : sections)
    out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", id, html_escaped(heading));
  return out + "</ul></nav>\n";
}

std::string html_list(const std::vector<std::string>& texts) {
  if (texts.empty()) return {};
  std::string out = "<ul>\n";
  for (const std::string& each : texts) out += fmt::format("<li>{}</li>\n", html_escaped(each));
  return out + "</ul>\n";
}

std::string html_notice(notice_tone tone, std::string_view text) {
  return fmt::format("<p class=\"notice {}\">{}</p>\n",
                     tone == notice_tone::warning ? "warning" : "calm", html_escaped(text));
}

}  // namespace assay::reports
