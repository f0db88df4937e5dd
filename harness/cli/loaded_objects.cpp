// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/loaded_objects.h"

#include <algorithm>
#include <array>

#include "harness/cli/loaded_image.h"
#include "harness/compare/process_runner.h"
#include "harness/ingest/file_text.h"

namespace assay::cli {
namespace {

constexpr std::array<std::string_view, 5> system_folders{"/usr/lib", "/lib/", "/lib32/", "/lib64/",
                                                         "/libx32/"};

bool is_of_the_system(std::string_view path) {
  return std::any_of(system_folders.begin(), system_folders.end(),
                     [path](std::string_view folder) { return path.starts_with(folder); });
}

// Another loader would not heed the question, and would start the program.
bool is_loaded_by_glibc(std::string_view file) {
  const auto sections = loaded_sections(file);
  return std::any_of(sections.begin(), sections.end(), [](const loaded_section& each) {
    return each.name == ".interp" && each.bytes.find("/ld-linux") != std::string_view::npos;
  });
}

}  // namespace

// "	libx.so.1 => /opt/x/libx.so.1 (0x00007f…)", without the arrow where it is named by a path.
std::vector<std::string> objects_in(std::string_view trace) {
  constexpr std::string_view arrow = " => ";
  std::vector<std::string> objects;
  while (!trace.empty()) {
    const std::size_t end = std::min(trace.find('\n'), trace.size());
    std::string_view line = trace.substr(0, end);
    trace.remove_prefix(std::min(end + 1, trace.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (const std::size_t at = line.find(arrow); at != std::string_view::npos)
      line.remove_prefix(at + arrow.size());
    const std::size_t address = line.rfind(" (0x");
    const std::string path(line.substr(0, address));
    if (address == std::string_view::npos || path.find('/') == std::string::npos ||
        is_of_the_system(path) || std::find(objects.begin(), objects.end(), path) != objects.end())
      continue;
    objects.push_back(path);
  }
  return objects;
}

result<std::vector<std::string>> loaded_objects(const std::string& program, std::int64_t limit_ns,
                                                const std::function<bool()>& is_interrupted) {
  ASSAY_TRY_ASSIGN(const auto file, ingest::file_text::open(program));
  if (!is_loaded_by_glibc(file.view())) return std::vector<std::string>();
  ASSAY_TRY_ASSIGN(
      const auto ending,
      compare::run_process(
          {{"/usr/bin/env", "LD_TRACE_LOADED_OBJECTS=1", program}, limit_ns, is_interrupted}));
  return objects_in(ending.out);
}

}  // namespace assay::cli
