// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// corpus_traces DIR: every row of the corpus as a trace, and in DIR/expected.json what an audit of
// each must say. What is expected is the row's, and no audit has a part in it.
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "probes/trace/trace_writer.h"
#include "tests/audit/corpus.h"

namespace {

using assay::audit_test::corpus_case;
using assay::audit_test::ending;
using json = nlohmann::ordered_json;

std::string file_of(const corpus_case& of, int number) {
  std::string name(of.name);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '-';
  return (number < 10 ? "0" : "") + std::to_string(number) + "-" + name + ".assay";
}

const char* word_of(ending how) {
  switch (how) {
    case ending::found:
      return "found";
    case ending::explained:
      return "explained";
    case ending::undecided:
      return "undecided";
    case ending::clean:
      break;
  }
  return "clean";
}

json expected_of(const corpus_case& of, const std::string& file) {
  json out = json::object();
  out["file"] = file;
  out["lie"] = of.name;
  out["modelled_on"] = of.source;
  out["claims"] = of.claims;
  out["truth"] = of.truth;
  out["ending"] = word_of(of.how);
  out["rule"] = of.rule;
  out["through"] = of.through;
  out["subject"] = of.subject;
  return out;
}

bool write_all(const std::filesystem::path& folder) {
  json expected = json::array();
  int number = 0;
  for (const corpus_case& each : assay::audit_test::corpus()) {
    const std::string file = file_of(each, number++);
    auto writer = assay::trace::trace_writer::open((folder / file).string());
    if (!writer) return std::fprintf(stderr, "%s\n", writer.error().message.c_str()), false;
    each.make().feed(*writer);
    expected.push_back(expected_of(each, file));
  }
  std::ofstream out(folder / "expected.json");
  out << expected.dump(1) << "\n";
  return out.good();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: corpus_traces DIR\n"), 2;
  std::error_code code;
  std::filesystem::create_directories(argv[1], code);
  return write_all(argv[1]) ? 0 : 2;
}
