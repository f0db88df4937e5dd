// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/trace/trace_reader.h"

#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "probes/trace/byte_source.h"

namespace assay::trace {
namespace {

// A later writer may append fields to the file header; this much is skipped unread.
constexpr std::uint32_t file_header_max_bytes = 4096;

template <class T>
T load(std::span<const std::byte> bytes, std::size_t offset = 0) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// What is wrong with the payload of a block whose checksum is good: its writer's mistake.
std::optional<std::string> flaw_of(std::uint32_t type, std::span<const std::byte> payload) {
  if (type == ASSAY_BLOCK_RECORDS && payload.size() % sizeof(assay_record) != 0)
    return fmt::format("its {} bytes are no whole number of {}-byte records", payload.size(),
                       sizeof(assay_record));
  if (type == ASSAY_BLOCK_END && !payload.empty()) return "its END block is not empty";
  if (type != ASSAY_BLOCK_SNAPSHOT) return std::nullopt;
  if (payload.size() < sizeof(assay_snapshot_header))
    return fmt::format("its {} bytes hold no snapshot header", payload.size());
  const auto count = load<assay_snapshot_header>(payload).reading_count;
  const std::size_t expected =
      sizeof(assay_snapshot_header) + std::size_t{count} * sizeof(assay_reading);
  if (payload.size() != expected)
    return fmt::format("its snapshot says {} readings, which are {} bytes, and holds {}", count,
                       expected, payload.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto reading = load<assay_reading>(
        payload, sizeof(assay_snapshot_header) + std::size_t{i} * sizeof(assay_reading));
    if (reading.state > ASSAY_LOST)
      return fmt::format("reading {} of its snapshot has the unknown state {}", i, reading.state);
  }
  return std::nullopt;
}

}  // namespace

struct trace_reader::state {
  state(byte_source bytes, std::string called) : source(std::move(bytes)), name(std::move(called)) {
    assay_crc32_init(&crc);
  }

  // Ends the stream in front of a flaw.
  bool stop(std::string_view what) {
    is_ended = true;
    const std::string place =
        blocks == 0 ? "before its first block" : fmt::format("after block {}", blocks - 1);
    incompleteness = fmt::format("{} {} at byte {}", what, place, good_bytes);
    return false;
  }

  result<bool> next(block& out);
  bool take(const assay_block_header& header, std::span<const std::byte> payload, block& out);
  result<void> finish();

  byte_source source;
  std::string name;
  std::uint64_t blocks = 0;
  std::uint64_t good_bytes = 0;
  bool is_ended = false;
  bool is_complete = false;
  std::string incompleteness = "not read to its end";
  assay_crc32_table crc;
};

trace_reader::trace_reader(std::unique_ptr<state> s) : state_(std::move(s)) {}
trace_reader::trace_reader(trace_reader&&) noexcept = default;
trace_reader& trace_reader::operator=(trace_reader&&) noexcept = default;
trace_reader::~trace_reader() = default;

result<trace_reader> trace_reader::open(const std::string& path) {
  ASSAY_TRY_ASSIGN(byte_source source,
                   byte_source::open(path, sizeof(assay_block_header) + ASSAY_BLOCK_MAX_BYTES));
  return checked(std::make_unique<state>(std::move(source), path));
}

result<trace_reader> trace_reader::from_memory(std::span<const std::byte> bytes, std::string name) {
  return checked(std::make_unique<state>(byte_source::from_memory(bytes), std::move(name)));
}

result<trace_reader> trace_reader::checked(std::unique_ptr<state> s) {
  ASSAY_TRY_ASSIGN(const std::span<const std::byte> bytes,
                   s->source.peek(sizeof(assay_file_header)));
  if (bytes.size() < sizeof(assay_file_header))
    return ASSAY_FAIL(unusable_input,
                      fmt::format("{} is not a trace: it has only {} bytes; make one with assay "
                                  "audit",
                                  s->name, bytes.size()));
  const auto header = load<assay_file_header>(bytes);
  if (std::memcmp(header.magic, ASSAY_TRACE_MAGIC, sizeof header.magic) != 0)
    return ASSAY_FAIL(unusable_input,
                      fmt::format("{} is not a trace: it does not begin with {}; make one with "
                                  "assay audit",
                                  s->name, ASSAY_TRACE_MAGIC));
  if (header.version != ASSAY_TRACE_VERSION)
    return ASSAY_FAIL(unusable_input,
                      fmt::format("{} has trace format version {}, and this assay reads version "
                                  "{}; use {}",
                                  s->name, header.version, ASSAY_TRACE_VERSION,
                                  header.version > ASSAY_TRACE_VERSION
                                      ? "a newer assay"
                                      : "a program that includes this assay's assay_trace.h"));
  if (header.header_bytes < sizeof header || header.header_bytes > file_header_max_bytes)
    return ASSAY_FAIL(
        unusable_input,
        fmt::format("{} is not a usable trace: its file header says {} bytes, which "
                    "must be {} to {}; make it again",
                    s->name, header.header_bytes, sizeof header, file_header_max_bytes));
  ASSAY_TRY_ASSIGN(const std::span<const std::byte> whole, s->source.peek(header.header_bytes));
  if (whole.size() < header.header_bytes) {
    s->stop("cut off");
  } else {
    s->source.consume(header.header_bytes);
    s->good_bytes = header.header_bytes;
  }
  return trace_reader(std::move(s));
}

result<bool> trace_reader::state::next(block& out) {
  if (is_ended) return false;
  constexpr std::size_t header_bytes = sizeof(assay_block_header);
  ASSAY_TRY_ASSIGN(std::span<const std::byte> bytes, source.peek(header_bytes));
  if (bytes.size() < header_bytes) return stop("cut off");
  const auto header = load<assay_block_header>(bytes);
  if (header.magic != ASSAY_BLOCK_MAGIC) return stop("damaged: no block header");
  if (header.payload_bytes > ASSAY_BLOCK_MAX_BYTES)
    return stop(fmt::format("damaged: a payload of {} bytes, more than the {} of the format",
                            header.payload_bytes, ASSAY_BLOCK_MAX_BYTES));
  ASSAY_TRY_ASSIGN(bytes, source.peek(header_bytes + header.payload_bytes));
  if (bytes.size() < header_bytes + header.payload_bytes) return stop("cut off");
  if (!take(header, bytes.subspan(header_bytes, header.payload_bytes), out)) return false;
  // The payload stays readable until the source is asked for more.
  source.consume(header_bytes + header.payload_bytes);
  if (header.type == ASSAY_BLOCK_END) ASSAY_TRY(finish());
  return true;
}

// Checks a block that is here as a whole, and gives it out.
bool trace_reader::state::take(const assay_block_header& header, std::span<const std::byte> payload,
                               block& out) {
  if (assay_block_crc32(&crc, &header, payload.data()) != header.crc32)
    return stop("damaged: a checksum that differs");
  if (header.sequence != blocks)
    return stop(fmt::format("damaged: block {} where {} is due,", header.sequence, blocks));
  if (const auto flaw = flaw_of(header.type, payload))
    return stop(fmt::format("written wrongly ({})", *flaw));
  out = {header.type, header.sequence, payload};
  ++blocks;
  good_bytes += sizeof header + payload.size();
  return true;
}

// The END block was read: the trace is whole if it is the last thing in the file.
result<void> trace_reader::state::finish() {
  ASSAY_TRY_ASSIGN(const std::span<const std::byte> behind, source.peek(1));
  is_ended = true;
  is_complete = behind.empty();
  incompleteness =
      is_complete ? "" : fmt::format("goes on behind its END block at byte {}", good_bytes);
  return {};
}

result<bool> trace_reader::next(block& out) {
  return state_->next(out);
}

bool trace_reader::is_complete() const {
  return state_->is_complete;
}

const std::string& trace_reader::incompleteness() const {
  return state_->incompleteness;
}

const std::string& trace_reader::name() const {
  return state_->name;
}

std::uint64_t trace_reader::block_count() const {
  return state_->blocks;
}

std::uint64_t trace_reader::good_bytes() const {
  return state_->good_bytes;
}

}  // namespace assay::trace
