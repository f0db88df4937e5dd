// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tokenizer/tokenizer.h"
#include "runtime/tokenizer/utf8.h"

#include <utility>

namespace assay::tokenizer {

namespace {

using telemetry::counter_id;

/// Moves the whole characters at the front of `held` out; malformed bytes become U+FFFD. What is
/// left could still become a character, and is at most three bytes.
std::string take_characters(std::string& held) {
  std::string out;
  std::size_t at = 0;
  while (at < held.size()) {
    const utf8_scalar scalar = scalar_at(held, at);
    if (scalar.state == utf8_state::cut) break;
    append_scalar(scalar.value, out);
    at += scalar.byte_count;
  }
  held.erase(0, at);
  return out;
}

void count_bytes(const tokenizer& from, const std::string& text) {
  from.counters().add(counter_id::tokenizer_decoded_bytes, static_cast<std::int64_t>(text.size()));
}

}  // namespace

std::string stream_decoder::push(std::int32_t id) {
  from_.counters().add(counter_id::tokenizer_decoded_tokens, 1);
  if (from_.is_special(id)) return {};
  held_ += from_.bytes_of(id);
  std::string out = take_characters(held_);
  count_bytes(from_, out);
  return out;
}

std::string stream_decoder::finish() {
  if (held_.empty()) return {};
  held_.clear();
  std::string out;
  append_scalar(replacement_character, out);
  count_bytes(from_, out);
  return out;
}

}  // namespace assay::tokenizer
