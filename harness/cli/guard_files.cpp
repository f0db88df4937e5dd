// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/guard_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "harness/ingest/file_text.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> document_endings{".md",   ".rst",  ".txt",
                                                           ".adoc", ".html", ".mdx"};

constexpr std::uint64_t files_a_line = 100;
constexpr std::string_view readable = "give files and folders that can be read";

bool is_left_out(const std::string& folder) {
  return folder.starts_with('.') || folder == "build" || folder == "target" ||
         folder == "node_modules";
}

result<void> add_folder(const std::string& path, std::vector<std::string>& files) {
  std::error_code code;
  auto at = fs::recursive_directory_iterator(path, code);
  for (; !code && at != fs::recursive_directory_iterator(); at.increment(code)) {
    const bool is_folder = at->is_directory() && !at->is_symlink();
    if (is_folder && is_left_out(at->path().filename().string())) at.disable_recursion_pending();
    if (at->is_regular_file() && !at->is_symlink()) files.push_back(at->path().string());
  }
  if (code)
    return ASSAY_FAIL(unusable_input, fmt::format("{}: cannot be read: {}; give a folder that can",
                                                  path, code.message()));
  return {};
}

}  // namespace

result<std::vector<std::string>> files_below(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code code;
    if (fs::is_directory(path, code)) {
      ASSAY_TRY(add_folder(path, files));
    } else if (fs::exists(path, code)) {
      files.push_back(path);
    } else {
      return ASSAY_FAIL(unusable_input,
                        fmt::format("{}: does not exist; give a file or a folder", path));
    }
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

result<void> read_documents(const std::vector<std::string>& paths, guard::name_book& into,
                            const progress& tell) {
  ASSAY_TRY_ASSIGN(const auto files, files_below(paths));
  for (const std::string& file : files) {
    const bool is_given = std::find(paths.begin(), paths.end(), file) != paths.end();
    const bool is_document = std::any_of(document_endings.begin(), document_endings.end(),
                                         [&](std::string_view e) { return file.ends_with(e); });
    if (!is_given && !is_document) continue;
    ASSAY_TRY_ASSIGN(const ingest::file_text text, ingest::file_text::open(file, readable));
    into.add_document(text.view(), file);
    if (into.file_count() % files_a_line == 0)
      tell(fmt::format("read {} documents, {} lines", into.file_count(), into.line_count()));
  }
  if (into.file_count() == 0)
    return ASSAY_FAIL(
        unusable_input,
        fmt::format("--docs {}: holds no document; give files by their names", paths.front()));
  return {};
}

result<void> read_source(const std::vector<std::string>& paths, guard::name_book& into,
                         const progress& tell) {
  ASSAY_TRY_ASSIGN(const auto files, files_below(paths));
  for (const std::string& file : files) {
    ASSAY_TRY_ASSIGN(const ingest::file_text text, ingest::file_text::open(file, readable));
    into.add_source(text.view(), file);
    if (into.file_count() % files_a_line == 0)
      tell(fmt::format("read {} files of source, {} lines", into.file_count(), into.line_count()));
  }
  if (into.file_count() == 0)
    return ASSAY_FAIL(
        unusable_input,
        fmt::format("--source {}: holds no file of a language that is known", paths.front()));
  return {};
}

}  // namespace assay::cli
