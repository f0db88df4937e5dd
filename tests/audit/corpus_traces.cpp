// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// corpus_traces DIR: every row of the corpus as DIR/NN-NAME.assay.
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <string>

#include "probes/trace/trace_writer.h"
#include "tests/audit/corpus.h"

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: corpus_traces DIR\n"), 2;
  const std::filesystem::path folder = argv[1];
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  int number = 0;
  for (const auto& each : assay::audit_test::corpus()) {
    std::string name(each.name);
    for (char& c : name)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '-';
    char file[128];
    std::snprintf(file, sizeof file, "%02d-%s.assay", number++, name.c_str());
    auto writer = assay::trace::trace_writer::open((folder / file).string());
    if (!writer) return std::fprintf(stderr, "%s\n", writer.error().message.c_str()), 2;
    each.make().feed(*writer);
    std::printf("%s  %s  %s\n", file, each.rule.empty() ? "-" : std::string(each.rule).c_str(),
                each.subject.c_str());
  }
  return 0;
}
