// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The first byte says what the rest is: '0' a tokenizer.json, '1' a merge patch (RFC 7386) onto a
// small valid one, anything else a text for the embedded tokenizer. A file is read whole or refused
// with one line; a text comes back as it was, repaired and normalised.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/telemetry/check.h"
#include "runtime/telemetry/counter_writer.h"
#include "runtime/tokenizer/byte_alphabet.h"
#include "runtime/tokenizer/nfc.h"
#include "runtime/tokenizer/pattern_split.h"
#include "runtime/tokenizer/tokenizer.h"
#include "runtime/tokenizer/utf8.h"
#include "tests/fuzz/check_error.h"

#include <nlohmann/json.hpp>

namespace {

using assay::tokenizer::tokenizer;
using nlohmann::json;

assay::telemetry::null_writer no_counters;

std::string streamed(const tokenizer& from, const std::vector<std::int32_t>& ids) {
  assay::tokenizer::stream_decoder decoder(from);
  std::string out;
  for (std::int32_t id : ids) {
    const std::string piece = decoder.push(id);
    ASSAY_CHECK(assay::tokenizer::is_valid_utf8(piece), "the stream gave half a character");
    out += piece;
  }
  return out + decoder.finish();
}

void use(const tokenizer& subject) {
  for (std::string_view text :
       {"fooBAR'LL 1234 .\xCC\x81"
        "A !\n/ \xCA\xB0",
        "In the beginning  God's\r\n\t123 <w> <|x|> a\xCC\x81\xED\x95\x98\xE1\x86\xAB\xFF", "",
        " "}) {
    const std::vector<std::int32_t> ids = subject.encode(text);
    for (std::int32_t id : ids)
      ASSAY_CHECK(id >= 0 && static_cast<std::uint32_t>(id) < subject.vocabulary_size(),
                  "an id beyond the vocabulary");
    streamed(subject, ids);
  }
}

void read_file(std::string_view text) {
  const auto parsed = tokenizer::parse(text, "tokenizer.json", no_counters);
  if (parsed)
    use(*parsed);
  else
    assay::fuzz::check_error(parsed.error(), "tokenizer.json: ");
}

json small_tokenizer() {
  json vocabulary = json::object();
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::string text;
    assay::tokenizer::append_scalar(assay::tokenizer::character_of(static_cast<std::uint8_t>(byte)),
                                    text);
    vocabulary[text] = byte;
  }
  vocabulary["in"] = 256;
  vocabulary["th"] = 257;
  vocabulary["the"] = 258;
  const json byte_level = {
      {"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
  const json split = {{"type", "Split"},
                      {"pattern", {{"Regex", assay::tokenizer::split_patterns()[0].regex}}},
                      {"behavior", "Isolated"}};
  const json token = {{"id", 259},       {"content", "<w>"}, {"single_word", true},
                      {"lstrip", true},  {"rstrip", true},   {"normalized", true},
                      {"special", false}};
  return {{"version", "1.0"},
          {"added_tokens", json::array({token})},
          {"normalizer", {{"type", "NFC"}}},
          {"pre_tokenizer",
           {{"type", "Sequence"}, {"pretokenizers", json::array({split, byte_level})}}},
          {"decoder", {{"type", "ByteLevel"}}},
          {"model",
           {{"type", "BPE"},
            {"vocab", std::move(vocabulary)},
            {"merges", json::array({json::array({"i", "n"}), "t h", "th e"})}}}};
}

void read_patched(std::string_view text) {
  // The patch is applied by recursion, so only what the parser itself would take is tried.
  if (std::count_if(text.begin(), text.end(), [](char c) { return c == '{' || c == '['; }) > 64)
    return;
  const json patch = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (patch.is_discarded() || !patch.is_object()) return;
  static const json whole = small_tokenizer();
  json patched = whole;
  patched.merge_patch(patch);
  read_file(patched.dump());
}

/// Each pattern cuts any valid text into pieces of whole characters, none of them empty.
void cut(std::string_view text) {
  for (const assay::tokenizer::split_pattern& pattern : assay::tokenizer::split_patterns()) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = pattern.piece_end(text, at);
      ASSAY_CHECK(end > at && end <= text.size(), "a piece does not end");
      ASSAY_CHECK(assay::tokenizer::is_valid_utf8(text.substr(at, end - at)),
                  "a piece is not whole characters");
      at = end;
    }
  }
}

void round_trip(std::string_view text) {
  static const auto embedded = tokenizer::load(
      ASSAY_SOURCE_DIR "/scenarios/embedded/micro-qwen3/tokenizer.json", no_counters);
  ASSAY_CHECK(embedded, "the embedded tokenizer cannot be read");
  const std::vector<std::int32_t> ids = embedded->encode(text);
  const std::string repaired = assay::tokenizer::with_replacements(text);
  cut(repaired);
  // Added tokens begin with this: they part the text before it is normalised, and decode to
  // nothing.
  if (repaired.find("<|") != std::string::npos) return;
  const std::string expected = assay::tokenizer::to_nfc(repaired);
  ASSAY_CHECK(streamed(*embedded, ids) == expected, "a text did not come back");
  ASSAY_CHECK(assay::tokenizer::to_nfc(expected) == expected, "normalising twice differs");
  ASSAY_CHECK(embedded->encode(expected) == ids, "the normalised text has other ids");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == '0')
    read_file(rest);
  else if (data[0] == '1')
    read_patched(rest);
  else
    round_trip(rest);
  return 0;
}
