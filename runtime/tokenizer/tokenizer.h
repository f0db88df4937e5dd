// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Byte-level BPE as Hugging Face's tokenizer.json describes it: text to ids and back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/telemetry/counter_writer.h"
#include "runtime/telemetry/result.h"

namespace assay::tokenizer {

/// Threads: encode and the accessors may run on several threads at once.
/// Ownership: the counter writer must outlive the tokenizer.
class tokenizer {
 public:
  /// Errors: io; unusable_input naming file, field and fix: not JSON, not BPE, a merge whose parts
  /// are not in the vocabulary, an id given twice, and any component, pattern or field that is not
  /// known. Known today: NFC or no normaliser; Split by a pattern of pattern_split.cpp, then
  /// ByteLevel, or ByteLevel alone; BPE with or without ignore_merges; ByteLevel,
  /// TemplateProcessing, a Sequence of the two or no post-processor; ByteLevel decoder.
  /// Vocabularies compared with the reference: Qwen3, Llama 3.1, gpt-oss (docs/evidence).
  static result<tokenizer> load(const std::filesystem::path& tokenizer_json,
                                telemetry::counter_writer& counters);
  /// The same from text in memory; `file` names it in errors. The fuzz target calls this.
  static result<tokenizer> parse(std::string_view json, const std::filesystem::path& file,
                                 telemetry::counter_writer& counters);

  tokenizer(tokenizer&&) noexcept;
  tokenizer& operator=(tokenizer&&) noexcept;
  ~tokenizer();

  /// Ids of `text`. Bytes that are not UTF-8 are replaced by U+FFFD, as Hugging Face's binding
  /// receives them. `text` is shorter than 1 GiB (checked). What the post-processor's template puts
  /// around a text, the begin token of Llama 3.1 say, is put around it.
  /// Overhead: no memory is kept between calls and no piece is remembered; n log n in the longest
  /// piece. Figures beside the reference's: docs/evidence.
  std::vector<std::int32_t> encode(std::string_view text) const;

  /// The bytes that an id stands for, a special token's text included; empty for an id that the
  /// vocabulary does not have.
  std::string_view bytes_of(std::int32_t id) const;
  bool is_special(std::int32_t id) const;
  std::uint32_t vocabulary_size() const;  ///< highest id + 1, added tokens included

  telemetry::counter_writer& counters() const;

 private:
  struct state;
  explicit tokenizer(std::unique_ptr<state> owned);
  std::unique_ptr<state> state_;
};

/// Turns ids into text as they come. Bytes that end in the middle of a UTF-8 sequence are held back
/// until it is complete, so each returned piece is whole characters.
/// Threads: one. Ownership: the tokenizer must outlive it.
class stream_decoder {
 public:
  explicit stream_decoder(const tokenizer& from) : from_(from) {}

  /// Text that became complete with this id; special tokens give nothing.
  std::string push(std::int32_t id);
  /// What was held back at the end: an incomplete sequence becomes one U+FFFD.
  std::string finish();

 private:
  const tokenizer& from_;
  std::string held_;
};

}  // namespace assay::tokenizer
