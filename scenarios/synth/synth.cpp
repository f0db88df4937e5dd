// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "scenarios/synth/synth.h"

#include <system_error>

#include <fmt/format.h>

#include "scenarios/synth/checkpoint_text.h"
#include "scenarios/synth/shard_writer.h"

namespace assay::synth {
namespace {

namespace fs = std::filesystem;

struct text_file {
  const char* name;
  std::string text;
};

std::vector<text_file> texts_of(const shape& of, const std::vector<shard>& shards) {
  std::vector<text_file> texts{{"config.json", config_json(of)},
                               {"generation_config.json", generation_config_json(of)},
                               {"tokenizer.json", tokenizer_json(of)}};
  if (shards.size() > 1) texts.push_back({"model.safetensors.index.json", index_json(shards)});
  return texts;
}

std::uint64_t payload_of(const std::vector<shard>& shards) {
  std::uint64_t bytes = 0;
  for (const shard& each : shards)
    for (const tensor& one : each.tensors) bytes += one.bytes();
  return bytes;
}

result<void> check_absent(const fs::path& what) {
  std::error_code failed;
  if (fs::symlink_status(what, failed).type() != fs::file_type::not_found)
    return ASSAY_FAIL(usage, fmt::format("{}: is there already, and nothing is overwritten; remove "
                                         "it or give another folder",
                                         what.string()));
  return {};
}

result<void> check_space(const fs::path& parent, std::uint64_t needed_bytes) {
  std::error_code failed;
  const fs::space_info space = fs::space(parent, failed);
  if (failed)
    return ASSAY_FAIL(io, fmt::format("{}: its disk's space cannot be read ({}); give a folder in "
                                      "one that exists",
                                      parent.string(), failed.message()));
  if (space.available < needed_bytes)
    return ASSAY_FAIL(unavailable,
                      fmt::format("{}: {} bytes are free and {} are needed; free some or give a "
                                  "folder on another disk",
                                  parent.string(), space.available, needed_bytes));
  return {};
}

result<void> write_files(const std::vector<shard>& shards, const std::vector<text_file>& texts,
                         std::uint64_t seed, const fs::path& folder, const watcher& watch) {
  const std::uint64_t total = payload_of(shards);
  std::uint64_t written = 0;
  const auto count = [&](std::uint64_t more) {
    written += more;
    return watch(written, total);
  };
  for (const text_file& each : texts) ASSAY_TRY(write_text(folder / each.name, each.text));
  for (const shard& each : shards) ASSAY_TRY(write_shard(folder, each, seed, count));
  return {};
}

}  // namespace

result<void> write_checkpoint(const shape& of, std::uint64_t seed, const fs::path& out,
                              const watcher& watch) {
  const fs::path given = out.has_filename() ? out : out.parent_path();
  const fs::path partial = given.string() + ".partial";
  ASSAY_TRY(check_absent(given));
  ASSAY_TRY(check_absent(partial));
  const std::vector<shard> shards = shards_of(of);
  const std::vector<text_file> texts = texts_of(of, shards);
  std::uint64_t needed_bytes = payload_of(shards);
  for (const text_file& each : texts) needed_bytes += each.text.size();
  for (const shard& each : shards) needed_bytes += safetensors_head(each).size();
  ASSAY_TRY(check_space(fs::absolute(given).parent_path(), needed_bytes));
  std::error_code failed;
  if (!fs::create_directory(partial, failed))
    return ASSAY_FAIL(io, fmt::format("{}: cannot be made ({}); give a folder in one that exists",
                                      partial.string(), failed.message()));
  auto outcome = write_files(shards, texts, seed, partial, watch);
  if (outcome) {
    fs::rename(partial, given, failed);
    if (!failed) return {};
    outcome = ASSAY_FAIL(io, fmt::format("{}: cannot be renamed from {} ({})", given.string(),
                                         partial.string(), failed.message()));
  }
  std::error_code ignored;
  fs::remove_all(partial, ignored);
  return outcome;
}

}  // namespace assay::synth
