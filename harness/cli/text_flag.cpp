// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/text_flag.h"

#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

#include <fmt/format.h>

namespace assay::cli {
namespace {

template <class T>
bool read_whole(const std::string& text, T& value) {
  const char* end = text.data() + text.size();
  const auto [stopped, code] = std::from_chars(text.data(), end, value);
  return code == std::errc{} && stopped == end;
}

// Nothing shown, so that the help text keeps its shape.
CLI::Validator nameless(std::function<std::string(std::string&)> check) {
  return CLI::Validator(std::move(check), "");
}

}  // namespace

CLI::Validator not_empty() {
  return nameless([](std::string& text) {
    return text.empty() ? "is empty; give it a value or leave it out" : std::string();
  });
}

CLI::Validator whole_number(std::uint64_t lowest, std::uint64_t highest) {
  return nameless([=](std::string& text) {
    std::uint64_t value = 0;
    if (read_whole(text, value) && value >= lowest && value <= highest) return std::string();
    return fmt::format("'{}' will not do; give a whole number from {} to {}", text, lowest,
                       highest);
  });
}

CLI::Validator finite_number() {
  return nameless([](std::string& text) {
    double value = 0;
    if (read_whole(text, value) && std::isfinite(value) && value >= 0) return std::string();
    return fmt::format("'{}' will not do; give 0 or a positive number", text);
  });
}

}  // namespace assay::cli
