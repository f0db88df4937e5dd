// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tokenizer/tokenizer.h"

#include "runtime/telemetry/check.h"
#include "runtime/telemetry/clock.h"
#include "runtime/tokenizer/byte_alphabet.h"
#include "runtime/tokenizer/definition.h"
#include "runtime/tokenizer/nfc.h"
#include "runtime/tokenizer/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

namespace assay::tokenizer {

namespace {

using telemetry::counter_id;

/// What an added token gives when it is decoded: the reference's decoder reads every token as the
/// byte alphabet first, added ones too.
std::string decoded_bytes(const std::string& content) {
  std::optional<std::string> spelled = spelled_bytes(content);
  return spelled ? std::move(*spelled) : content;
}

/// In blocks: reading a folder through the stream's iterators would throw.
result<std::string> whole_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in)
    return ASSAY_FAIL(io, fmt::format("{}: cannot be opened: {}; name a checkpoint folder with a "
                                      "tokenizer.json that you may read",
                                      file.string(), std::strerror(errno)));
  std::string text;
  std::array<char, 1 << 16> block;
  do {
    in.read(block.data(), block.size());
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
  } while (in);
  if (in.bad())
    return ASSAY_FAIL(io, fmt::format("{}: cannot be read: {}; check the file and its disk",
                                      file.string(), std::strerror(errno)));
  return text;
}

/// The tokens that are looked for in the text as given, or in the normalised text.
added_token_splitter splitter_of(const tokenizer_definition& from, bool is_normalized) {
  std::vector<added_token> tokens;
  for (const added_token& token : from.added_tokens)
    if (token.is_normalized == is_normalized) tokens.push_back(token);
  return added_token_splitter(std::move(tokens));
}

bpe_model make_bpe(const tokenizer_definition& from) {
  std::array<std::int32_t, 256> byte_ids{};
  std::vector<std::pair<std::string_view, std::int32_t>> pieces;
  for (const vocabulary_entry& entry : from.vocabulary) {
    if (!entry.is_spelled || entry.bytes.empty()) continue;
    if (entry.bytes.size() == 1) byte_ids[static_cast<unsigned char>(entry.bytes[0])] = entry.id;
    pieces.emplace_back(entry.bytes, entry.id);
  }
  bpe_model model(byte_ids, from.merges);
  using rule = bpe_model::whole_pieces;
  model.learn_pieces(pieces, from.takes_whole_pieces ? rule::taken : rule::merged);
  return model;
}

}  // namespace

struct tokenizer::state {
  state(const tokenizer_definition& from, telemetry::counter_writer& writer)
      : normalises_to_nfc(from.normalises_to_nfc),
        pattern(from.pattern),
        raw_tokens(splitter_of(from, /*is_normalized=*/false)),
        normalized_tokens(splitter_of(from, /*is_normalized=*/true)),
        bpe(make_bpe(from)),
        ids_before(from.ids_before),
        ids_after(from.ids_after),
        counters(writer) {
    for (const vocabulary_entry& entry : from.vocabulary) place(entry.id) = entry.bytes;
    for (const added_token& token : from.added_tokens)
      place(token.id) = decoded_bytes(token.content);
    special.resize(bytes.size());
    for (const added_token& token : from.added_tokens)
      special[static_cast<std::size_t>(token.id)] = token.is_special;
  }

  std::string& place(std::int32_t id) {
    const std::size_t index = static_cast<std::size_t>(id);
    if (index >= bytes.size()) bytes.resize(index + 1);
    return bytes[index];
  }

  /// One text on its way to ids.
  struct run {
    std::vector<std::int32_t> ids;
    merge_scratch scratch;
  };

  void encode_words(std::string_view text, run& into) const {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = pattern->piece_end(text, at);
      bpe.append_ids(text.substr(at, end - at), into.ids, into.scratch);
      at = end;
    }
  }

  void encode_normalized(std::string_view text, run& into) const {
    if (normalized_tokens.is_empty()) return encode_words(text, into);
    for (const text_segment& segment : normalized_tokens.split(text)) {
      if (segment.id >= 0)
        into.ids.push_back(segment.id);
      else
        encode_words(text.substr(segment.begin, segment.end - segment.begin), into);
    }
  }

  void encode_gap(std::string_view text, run& into) const {
    if (!normalises_to_nfc || is_plainly_nfc(text)) return encode_normalized(text, into);
    encode_normalized(to_nfc(text), into);
  }

  void encode_valid(std::string_view text, run& into) const {
    for (const text_segment& segment : raw_tokens.split(text)) {
      if (segment.id >= 0)
        into.ids.push_back(segment.id);
      else
        encode_gap(text.substr(segment.begin, segment.end - segment.begin), into);
    }
  }

  bool normalises_to_nfc;
  const split_pattern* pattern;
  added_token_splitter raw_tokens;
  added_token_splitter normalized_tokens;
  bpe_model bpe;
  std::vector<std::int32_t> ids_before;  ///< of every text: the post-processor's template
  std::vector<std::int32_t> ids_after;
  std::vector<std::string> bytes;  ///< by id
  std::vector<bool> special;       ///< by id
  telemetry::counter_writer& counters;
};

tokenizer::tokenizer(std::unique_ptr<state> owned) : state_(std::move(owned)) {}
tokenizer::tokenizer(tokenizer&&) noexcept = default;
tokenizer& tokenizer::operator=(tokenizer&&) noexcept = default;
tokenizer::~tokenizer() = default;

result<tokenizer> tokenizer::load(const std::filesystem::path& tokenizer_json,
                                  telemetry::counter_writer& counters) {
  ASSAY_TRY_ASSIGN(const std::string text, whole_file(tokenizer_json));
  return parse(text, tokenizer_json, counters);
}

result<tokenizer> tokenizer::parse(std::string_view json, const std::filesystem::path& file,
                                   telemetry::counter_writer& counters) {
  ASSAY_TRY_ASSIGN(const tokenizer_definition definition, parse_definition(json, file));
  return tokenizer(std::make_unique<state>(definition, counters));
}

std::vector<std::int32_t> tokenizer::encode(std::string_view text) const {
  const host_time entry = host_now();
  ASSAY_CHECK(text.size() < (std::size_t{1} << 30), "a text to encode is 1 GiB or more");
  std::vector<std::int32_t> ids;
  {
    // Its scratch memory is given back within the bracket, not behind the stamp that ends it.
    state::run run;
    run.ids.reserve(text.size() / 3 + 8);
    run.ids.insert(run.ids.end(), state_->ids_before.begin(), state_->ids_before.end());
    if (is_valid_utf8(text))
      state_->encode_valid(text, run);
    else
      state_->encode_valid(with_replacements(text), run);
    run.ids.insert(run.ids.end(), state_->ids_after.begin(), state_->ids_after.end());
    ids = std::move(run.ids);
  }
  telemetry::counter_writer& counters = state_->counters;
  counters.add(counter_id::tokenizer_encoded_bytes, static_cast<std::int64_t>(text.size()));
  counters.add(counter_id::tokenizer_encoded_tokens, static_cast<std::int64_t>(ids.size()));
  counters.add(counter_id::tokenizer_encode_ns, host_now() - entry);
  return ids;
}

std::string_view tokenizer::bytes_of(std::int32_t id) const {
  if (id < 0 || static_cast<std::size_t>(id) >= state_->bytes.size()) return {};
  return state_->bytes[static_cast<std::size_t>(id)];
}

bool tokenizer::is_special(std::int32_t id) const {
  return id >= 0 && static_cast<std::size_t>(id) < state_->special.size() &&
         state_->special[static_cast<std::size_t>(id)];
}

std::uint32_t tokenizer::vocabulary_size() const {
  return static_cast<std::uint32_t>(state_->bytes.size());
}

telemetry::counter_writer& tokenizer::counters() const {
  return state_->counters;
}

}  // namespace assay::tokenizer
