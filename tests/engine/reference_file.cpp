// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/reference_file.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace assay::engine_test {
namespace {

template <class T>
std::vector<T> elements(const std::string& file, std::size_t begin, std::size_t end) {
  std::vector<T> out((end - begin) / sizeof(T));
  std::memcpy(out.data(), file.data() + begin, end - begin);
  return out;
}

std::string read_all(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot open " + path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

reference_file::reference_file(const std::filesystem::path& path) {
  const std::string file = read_all(path);
  std::uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, file.data(), sizeof header_bytes);
  const auto header = nlohmann::json::parse(file.substr(8, header_bytes));
  const std::size_t base = 8 + header_bytes;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const std::size_t begin = base + entry["data_offsets"][0].get<std::size_t>();
    const std::size_t end = base + entry["data_offsets"][1].get<std::size_t>();
    reference_tensor tensor;
    tensor.shape = entry["shape"].get<std::vector<std::size_t>>();
    if (entry["dtype"] == "I32")
      tensor.whole = elements<std::int32_t>(file, begin, end);
    else
      tensor.reals = elements<float>(file, begin, end);
    tensors_.emplace(name, std::move(tensor));
  }
}

const std::vector<float>& reference_file::reals(const std::string& name) const {
  return tensors_.at(name).reals;
}

const std::vector<std::int32_t>& reference_file::ids(const std::string& name) const {
  return tensors_.at(name).whole;
}

}  // namespace assay::engine_test
