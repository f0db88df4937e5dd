// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/host_facts.h"

#include <fstream>
#include <iterator>
#include <utility>

#include <gnu/libc-version.h>

#include <fmt/format.h>

#include "probes/process/host_limits.h"
#include "runtime/telemetry/knobs.h"

namespace assay::cli {
namespace {

constexpr std::size_t most_bytes = 2000;  // of a command line: a prompt may be a book

// Left as it is where a shell gives it no meaning.
bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-_./=:,+@%").find(c) != std::string_view::npos;
}

std::string quoted(std::string_view word) {
  bool is_safe = !word.empty();
  for (const char c : word) is_safe = is_safe && is_plain(c);
  if (is_safe) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The first line of a small file; empty where there is none.
std::string line_of(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string governor_words(const std::string& sys) {
  const std::string path = "/devices/system/cpu/cpu0/cpufreq/scaling_governor";
  const std::string name = line_of(sys + path);
  return name.empty() ? "not exposed on this machine: no " + sys + path : name;
}

std::string turbo_words(const std::string& sys) {
  const std::string folder = sys + "/devices/system/cpu/";
  const std::string barred = line_of(folder + "intel_pstate/no_turbo");
  if (barred == "0" || barred == "1") return barred == "0" ? "on" : "off";
  const std::string boost = line_of(folder + "cpufreq/boost");
  if (boost == "0" || boost == "1") return boost == "1" ? "on" : "off";
  return fmt::format(
      "not exposed on this machine: neither {0}intel_pstate/no_turbo nor {0}cpufreq/boost", folder);
}

std::string huge_page_words(const std::string& sys) {
  auto mode = probes::huge_page_mode(sys);
  return mode ? *mode : mode.error().message;
}

std::string quota_words(const std::string& proc, const std::string& sys) {
  const auto limits = probes::read_core_limits(proc, sys);
  if (!limits) return limits.error().message;
  return limits->quota_cores > 0.0 ? fmt::format("{:.2f} cores", limits->quota_cores) : "none";
}

}  // namespace

std::string command_words(std::string_view nul_separated) {
  std::string out;
  while (!nul_separated.empty()) {
    const auto end = nul_separated.find('\0');
    out += (out.empty() ? "" : " ") + quoted(nul_separated.substr(0, end));
    if (end == std::string_view::npos) break;
    nul_separated.remove_prefix(end + 1);
  }
  if (out.size() > most_bytes)
    out = fmt::format("{}… and {} bytes more", out.substr(0, most_bytes), out.size() - most_bytes);
  return out.empty() ? "unknown: the kernel shows none" : out;
}

std::string knob_words() {
  std::string out;
  for (const telemetry::knob& each : telemetry::knobs()) {
    if (!telemetry::is_knob_set(each.id)) continue;
    const auto value = telemetry::knob_value(each.id);
    out += fmt::format("{}{}={}", out.empty() ? "" : ", ", each.variable,
                       value ? fmt::format("{}", *value) : value.error().message);
  }
  return out.empty() ? "none is set" : out;
}

std::vector<trace::named_fact> flag_facts() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  const std::string line{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return {{"command line", command_words(line)},
          {"knobs", knob_words()},
          {"build type", ASSAY_BUILD_TYPE},
          {"compile flags", ASSAY_COMPILE_FLAGS},
          {"C library", fmt::format("glibc {}", gnu_get_libc_version())}};
}

std::vector<trace::named_fact> setting_facts(const std::string& proc, const std::string& sys) {
  return {{"frequency governor", governor_words(sys)},
          {"turbo", turbo_words(sys)},
          {"transparent huge pages", huge_page_words(sys)},
          {"quota of the control group", quota_words(proc, sys)}};
}

std::vector<trace::named_fact> changed_settings(const std::vector<trace::named_fact>& before,
                                                const std::vector<trace::named_fact>& after) {
  std::vector<trace::named_fact> out;
  for (const trace::named_fact& early : before)
    for (const trace::named_fact& late : after)
      if (early.name == late.name && early.value != late.value)
        out.push_back({late.name + " after", late.value});
  return out;
}

}  // namespace assay::cli
