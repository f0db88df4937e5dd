// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/history/entry_key.h"

#include <openssl/evp.h>

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "runtime/telemetry/check.h"

namespace assay::history {
namespace {

// Every field with its length before it: "ab","c" and "a","bc" must not be the same content.
class digest {
 public:
  digest() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    ASSAY_CHECK(context_ != nullptr, "no memory for a digest");
    ASSAY_CHECK(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1,
                "libcrypto has no SHA-256");
  }

  void add(std::string_view text) {
    add_number(text.size());
    add_bytes(text.data(), text.size());
  }

  void add_number(std::uint64_t number) {
    std::array<unsigned char, 8> bytes;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<unsigned char>(number >> 8 * i);
    add_bytes(bytes.data(), bytes.size());
  }

  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
    unsigned int count = 0;
    ASSAY_CHECK(EVP_DigestFinal_ex(context_.get(), bytes.data(), &count) == 1,
                "libcrypto has no SHA-256");
    std::string text;
    for (unsigned int i = 0; i < count; ++i) text += fmt::format("{:02x}", bytes[i]);
    return text;
  }

 private:
  void add_bytes(const void* bytes, std::size_t count) {
    ASSAY_CHECK(EVP_DigestUpdate(context_.get(), bytes, count) == 1, "libcrypto has no SHA-256");
  }

  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string key_of(const entry& what) {
  digest content;
  content.add(what.verb);
  content.add(what.outcome);
  content.add(what.commit);
  content.add_number(what.facts.size());
  for (const model::fact& fact : what.facts) {
    content.add(fact.name);
    content.add(fact.value);
  }
  content.add_number(what.measures.size());
  for (const measure& each : what.measures) {
    content.add(each.name);
    content.add(each.metric);
    content.add(each.unit);
    content.add_number(each.value ? 1 : 0);
    content.add_number(std::bit_cast<std::uint64_t>(each.value.value_or(0.0)));
    content.add(each.absence);
    content.add(each.state);
  }
  return content.hex();
}

}  // namespace assay::history
