// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "scenarios/synth/shard_writer.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "scenarios/synth/random_weights.h"

namespace assay::synth {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors is little-endian");

constexpr std::uint64_t chunk_elements = std::uint64_t{1} << 20;

error refused(const std::filesystem::path& file) {
  return {error_kind::io,
          fmt::format("{}: cannot be written ({}); check the folder and the space on its disk",
                      file.string(), std::strerror(errno)),
          __FILE__, __LINE__};
}

result<void> write_tensor(std::ofstream& to, const std::filesystem::path& file, const tensor& of,
                          std::uint64_t seed, const written_bytes& tell) {
  const random_weights weights(of, seed);
  std::vector<std::uint16_t> chunk;
  for (std::uint64_t first = 0; first < of.elements(); first += chunk_elements) {
    chunk.resize(std::min(chunk_elements, of.elements() - first));
    weights.fill(first, chunk);
    const std::uint64_t bytes = chunk.size() * sizeof chunk[0];
    if (!to.write(reinterpret_cast<const char*>(chunk.data()), static_cast<std::streamsize>(bytes)))
      return failure(refused(file));
    ASSAY_TRY(tell(bytes));
  }
  return {};
}

}  // namespace

std::string safetensors_head(const shard& of) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  header["__metadata__"]["format"] = "pt";
  std::uint64_t at = 0;
  for (const tensor& each : of.tensors) {
    nlohmann::ordered_json& entry = header[each.name];
    entry["dtype"] = "BF16";
    entry["shape"] = each.rows == 0 ? nlohmann::ordered_json::array({each.columns})
                                    : nlohmann::ordered_json::array({each.rows, each.columns});
    entry["data_offsets"] = nlohmann::ordered_json::array({at, at + each.bytes()});
    at += each.bytes();
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  const std::uint64_t length = text.size();
  std::string head(sizeof length, '\0');
  std::memcpy(head.data(), &length, sizeof length);
  return head + text;
}

result<void> write_shard(const std::filesystem::path& folder, const shard& of, std::uint64_t seed,
                         const written_bytes& tell) {
  const std::filesystem::path file = folder / of.file;
  std::ofstream to(file, std::ios::binary | std::ios::trunc);
  if (!(to << safetensors_head(of))) return failure(refused(file));
  for (const tensor& each : of.tensors) ASSAY_TRY(write_tensor(to, file, each, seed, tell));
  to.close();
  if (!to) return failure(refused(file));
  return {};
}

result<void> write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream to(file, std::ios::binary | std::ios::trunc);
  to << text;
  to.close();
  if (!to) return failure(refused(file));
  return {};
}

}  // namespace assay::synth
