// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The frame of every page: one file that loads nothing, read in the light and in the dark, on
// paper, and from 360 to 2,560 pixels across.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::reports {

/// Whether a page carries the plotting library: one without charts has no use for it.
enum class page_content : std::uint8_t { tables, charts };

/// A page with style and script inside. `title` is foreign text; `body` is HTML in which all
/// foreign text went through html_escaped(). The page forbids its reader to load anything from
/// anywhere.
std::string html_page(std::string_view title, std::string_view body,
                      page_content content = page_content::tables);

/// <section> with a heading. `heading` is text, `content` HTML; `id` is what a link leads to, of
/// letters, digits and hyphens, or empty.
std::string html_section(std::string_view heading, std::string_view content,
                         std::string_view id = {});

/// Where a long page goes on: links to sections, by id and heading.
std::string html_contents(const std::vector<std::pair<std::string, std::string>>& sections);

/// <ul> of texts; empty where there are none.
std::string html_list(const std::vector<std::string>& texts);

/// A notice that stands out: "warning" or "calm".
enum class notice_tone : std::uint8_t { calm, warning };
std::string html_notice(notice_tone tone, std::string_view text);

/// Private to the room: what the frame holds.
std::string_view page_style();
std::string_view page_script();

}  // namespace assay::reports
