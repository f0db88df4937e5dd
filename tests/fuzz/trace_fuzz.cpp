// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as a trace, once as they are and once with every checksum mended so that what lies
// behind it is reached; what the trace holds, and the bytes themselves, as a contract and as facts.
// Each must give whole pieces, or one line.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "probes/trace/contract_json.h"
#include "probes/trace/pump.h"
#include "probes/trace/run_facts.h"
#include "probes/trace/snapshot_codec.h"
#include "probes/trace/trace_reader.h"
#include "runtime/telemetry/check.h"
#include "tests/fuzz/check_error.h"

namespace {

using namespace assay::trace;

void try_contract(std::string_view json) {
  const auto rows = parse_contract(json);
  if (!rows) return assay::fuzz::check_error(rows.error(), "the contract");
  const auto again = parse_contract(to_json(*rows));
  ASSAY_CHECK(again && *again == *rows, "a contract changes on its way through JSON");
}

void try_facts(std::string_view json) {
  const auto facts = parse_facts(json);
  if (!facts) return assay::fuzz::check_error(facts.error(), "the facts");
  const auto again = parse_facts(to_json(*facts));
  ASSAY_CHECK(again && *again == *facts, "facts change on their way through JSON");
}

// Looks at everything that it is given.
class judge final : public sink {
 public:
  assay::result<void> contract(std::string_view json) override {
    try_contract(json);
    return {};
  }
  assay::result<void> facts(std::string_view json) override {
    try_facts(json);
    return {};
  }
  assay::result<void> records(std::span<const assay_record> records) override {
    for (const assay_record& record : records) sum_ += static_cast<std::uint64_t>(record.amount);
    return {};
  }
  assay::result<void> snapshot(std::int64_t, std::span<const assay_reading> readings) override {
    for (const assay_reading& reading : readings)
      ASSAY_CHECK(decode(reading, {}), "the reader let an unknown state pass");
    return {};
  }
  assay::result<void> end() override {
    ASSAY_CHECK(!is_ended, "ended twice");
    is_ended = true;
    return {};
  }
  bool is_ended = false;

 private:
  std::uint64_t sum_ = 0;  // so that every record is read
};

void try_trace(std::string_view bytes) {
  auto reader =
      trace_reader::from_memory(std::as_bytes(std::span(bytes.data(), bytes.size())), "input");
  if (!reader) return assay::fuzz::check_error(reader.error(), "input");
  judge into;
  ASSAY_CHECK(pump(*reader, into), "memory gave an error");
  ASSAY_CHECK(reader->is_complete() == into.is_ended, "ended, and not complete");
  ASSAY_CHECK(reader->is_complete() == reader->incompleteness().empty(), "incomplete without why");
  ASSAY_CHECK(reader->good_bytes() <= bytes.size() || reader->block_count() == 0, "too many bytes");
  if (reader->is_complete()) ASSAY_CHECK(reader->good_bytes() == bytes.size(), "bytes are left");
}

// Gives each block the magic, the number and the checksum that it should have.
std::string mended(std::string_view input) {
  std::string bytes(input);
  assay_file_header file{{}, ASSAY_TRACE_VERSION, sizeof file};
  std::memcpy(file.magic, ASSAY_TRACE_MAGIC, sizeof file.magic);
  if (bytes.size() < sizeof file) return bytes;
  std::memcpy(bytes.data(), &file, sizeof file);
  assay_crc32_table crc;
  assay_crc32_init(&crc);
  std::uint64_t sequence = 0;
  for (std::size_t at = sizeof file; at + sizeof(assay_block_header) <= bytes.size();) {
    assay_block_header header;
    std::memcpy(&header, bytes.data() + at, sizeof header);
    const std::size_t left = bytes.size() - at - sizeof header;
    header.magic = ASSAY_BLOCK_MAGIC;
    header.payload_bytes = static_cast<std::uint32_t>(
        std::min<std::size_t>({header.payload_bytes, left, ASSAY_BLOCK_MAX_BYTES}));
    header.sequence = sequence++;
    header.crc32 = assay_block_crc32(&crc, &header, bytes.data() + at + sizeof header);
    std::memcpy(bytes.data() + at, &header, sizeof header);
    at += sizeof header + header.payload_bytes;
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  try_contract(input);
  try_facts(input);
  try_trace(input);
  try_trace(mended(input));
  return 0;
}
