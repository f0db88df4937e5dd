// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/trace/pump.h"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace assay::trace {
namespace {

template <class T>
std::span<const T> as_array(std::span<const std::byte> bytes, std::vector<T>& copy) {
  const std::size_t count = bytes.size() / sizeof(T);
  if (count == 0) return {};
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(T) == 0)
    return {reinterpret_cast<const T*>(bytes.data()), count};
  copy.resize(count);
  std::memcpy(copy.data(), bytes.data(), count * sizeof(T));
  return copy;
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct aligned_copies {
  std::vector<assay_record> records;
  std::vector<assay_reading> readings;
};

result<void> feed(const block& from, sink& into, aligned_copies& copies) {
  switch (from.type) {
    case ASSAY_BLOCK_CONTRACT:
      return into.contract(as_text(from.payload));
    case ASSAY_BLOCK_FACTS:
      return into.facts(as_text(from.payload));
    case ASSAY_BLOCK_RECORDS:
      return into.records(as_array(from.payload, copies.records));
    case ASSAY_BLOCK_SNAPSHOT: {
      assay_snapshot_header header;
      std::memcpy(&header, from.payload.data(), sizeof header);
      return into.snapshot(header.at_ns,
                           as_array(from.payload.subspan(sizeof header), copies.readings));
    }
    default:
      return {};
  }
}

}  // namespace

result<void> pump(trace_reader& reader, sink& into) {
  aligned_copies copies;
  block one;
  while (true) {
    ASSAY_TRY_ASSIGN(const bool has_block, reader.next(one));
    if (!has_block) break;
    ASSAY_TRY(feed(one, into, copies));
  }
  if (!reader.is_complete()) return {};
  return into.end();
}

}  // namespace assay::trace
