// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What goes into a trace and what came out, in the order of the calls, to be compared.
#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "probes/trace/sink.h"

namespace assay::trace {

/// One call, flattened. Records that come in several calls in a row are one piece: how a writer
/// cuts them into blocks is its own affair.
struct piece {
  std::string what;
  std::string bytes;

  friend bool operator==(const piece&, const piece&) = default;
};

class recorded final : public sink {
 public:
  // JSON is compared without the spaces at its end, which the format allows.
  result<void> contract(std::string_view json) override { return add("contract", trimmed(json)); }
  result<void> facts(std::string_view json) override { return add("facts", trimmed(json)); }
  result<void> records(std::span<const assay_record> records) override {
    const std::string_view bytes(reinterpret_cast<const char*>(records.data()),
                                 records.size_bytes());
    if (pieces.empty() || pieces.back().what != "records") return add("records", bytes);
    pieces.back().bytes += bytes;
    return {};
  }
  result<void> snapshot(std::int64_t at_ns, std::span<const assay_reading> readings) override {
    return add("snapshot " + std::to_string(at_ns),
               {reinterpret_cast<const char*>(readings.data()), readings.size_bytes()});
  }
  result<void> end() override { return add("end", ""); }

  std::vector<piece> pieces;

 private:
  static std::string_view trimmed(std::string_view json) {
    return json.substr(0, json.find_last_not_of(' ') + 1);
  }
  result<void> add(std::string what, std::string_view bytes) {
    pieces.push_back({std::move(what), std::string(bytes)});
    return {};
  }
};

inline assay_record record_of(std::uint8_t kind, std::uint64_t correlation) {
  assay_record record{};
  record.kind = kind;
  record.op = ASSAY_OP_COPY;
  record.direction = ASSAY_H2D;
  record.range = 1;
  record.correlation = correlation;
  record.start_ns = 1000 + static_cast<std::int64_t>(correlation);
  record.end_ns = 2000 + static_cast<std::int64_t>(correlation);
  record.amount = 64;
  record.extra[2] = -1;
  return record;
}

/// A file that goes away with the test.
class scratch_file {
 public:
  scratch_file() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = (std::filesystem::temp_directory_path() /
             (std::string("assay_") + test->name() + "_" + std::to_string(::getpid())))
                .string();
  }
  ~scratch_file() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;

  const std::string& path() const { return path_; }
  std::string content() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(std::string_view bytes) const {
    std::ofstream(path_, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

 private:
  std::string path_;
};

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace assay::trace
