// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this file a header could point a tensor at another tensor's bytes, or behind the mapping,
// and decoding would go on with them.
#include "runtime/checkpoint/safetensors.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checkpoint/trap_files.h"

namespace assay::checkpoint {
namespace {

using nlohmann::json;
using namespace std::string_literals;
using test::expect_complaint;
using test::stored_tensor;
using test::temporary_folder;
using test::write_file;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* label = "m.safetensors";

json entry(const char* dtype, json shape, std::uint64_t begin, std::uint64_t end) {
  return {{"dtype", dtype}, {"shape", std::move(shape)}, {"data_offsets", {begin, end}}};
}

void expect_header_fault(const std::string& header, std::uint64_t payload_bytes, const char* field,
                         const char* fault) {
  const auto entries = parse_header(header, payload_bytes, label);
  ASSERT_FALSE(entries) << header;
  expect_complaint(entries.error(), error_kind::unusable_input, label, field, fault);
}

void expect_header_fault(const json& header, std::uint64_t payload_bytes, const char* field,
                         const char* fault) {
  expect_header_fault(header.dump(), payload_bytes, field, fault);
}

TEST(SafetensorsHeader, lists_tensors_in_the_order_of_their_bytes) {
  const json header = {{"__metadata__", {{"format", "pt"}}},
                       {"z", entry("BF16", {2, 3}, 0, 12)},
                       {"a", entry("F32", {2}, 12, 20)},
                       {"m", entry("F16", json::array(), 20, 22)}};
  const auto entries = parse_header(header.dump() + "   ", 22, label);
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 3U);
  EXPECT_EQ((*entries)[0].name, "z");
  EXPECT_EQ((*entries)[0].type, dtype::bf16);
  EXPECT_THAT((*entries)[0].shape, ElementsAre(2, 3));
  EXPECT_EQ((*entries)[0].begin, 0U);
  EXPECT_EQ((*entries)[0].end, 12U);
  EXPECT_EQ((*entries)[1].name, "a");
  EXPECT_EQ((*entries)[1].type, dtype::f32);
  EXPECT_EQ((*entries)[2].type, dtype::f16);
  EXPECT_THAT((*entries)[2].shape, IsEmpty());
}

TEST(SafetensorsHeader, takes_tensors_without_elements_between_others) {
  const json header = {{"a", entry("F32", {1}, 0, 4)},
                       {"b", entry("F32", {0, 7}, 4, 4)},
                       {"c", entry("F32", {1}, 4, 8)}};
  EXPECT_TRUE(parse_header(header.dump(), 8, label));
}

TEST(SafetensorsHeader, refuses_overlapping_spans) {
  expect_header_fault({{"a", entry("F32", {2}, 0, 8)}, {"b", entry("F32", {2}, 4, 12)}}, 12, "b",
                      "begins at 4, inside of a");
}

TEST(SafetensorsHeader, refuses_one_span_for_two_tensors) {
  expect_header_fault({{"a", entry("F32", {2}, 0, 8)}, {"b", entry("F32", {2}, 0, 8)}}, 8, "b",
                      "inside of a");
}

TEST(SafetensorsHeader, refuses_a_hole_between_tensors) {
  expect_header_fault({{"a", entry("F32", {1}, 0, 4)}, {"b", entry("F32", {1}, 8, 12)}}, 12, "b",
                      "hole of 4 bytes");
}

TEST(SafetensorsHeader, refuses_a_hole_before_the_first_tensor) {
  expect_header_fault({{"a", entry("F32", {1}, 1, 5)}}, 5, "a", "hole of 1 bytes");
}

TEST(SafetensorsHeader, refuses_bytes_after_the_last_tensor) {
  expect_header_fault({{"a", entry("F32", {1}, 0, 4)}}, 5, "header",
                      "1 bytes follow the last tensor");
}

TEST(SafetensorsHeader, refuses_a_span_that_ends_one_byte_outside) {
  expect_header_fault({{"a", entry("F32", {1}, 0, 4)}}, 3, "a", "ends at byte 4 of 3");
}

TEST(SafetensorsHeader, refuses_a_span_that_ends_before_it_begins) {
  expect_header_fault({{"a", entry("F32", {1}, 4, 0)}}, 4, "a", "before its begin");
}

TEST(SafetensorsHeader, refuses_a_span_that_does_not_fit_its_shape) {
  expect_header_fault({{"a", entry("BF16", {2, 2}, 0, 16)}}, 16, "a",
                      "has 16 bytes, but BF16 [2, 2] needs 8");
}

TEST(SafetensorsHeader, refuses_a_shape_whose_product_wraps) {
  const std::uint64_t root = std::uint64_t{1} << 32;
  expect_header_fault({{"a", entry("F32", {root, root}, 0, 0)}}, 0, "a", "needs more than 2^64");
  expect_header_fault({{"a", entry("F32", {std::uint64_t{1} << 62}, 0, 0)}}, 0, "a", "2^64");
  expect_header_fault({{"a", entry("F16", {std::numeric_limits<std::uint64_t>::max()}, 0, 2)}}, 2,
                      "a", "2^64");
}

TEST(SafetensorsHeader, refuses_types_that_are_no_floats_it_knows) {
  for (const char* type : {"I64", "F64", "F8_E4M3", "BOOL", "bf16", ""}) {
    expect_header_fault({{"ids", entry(type, {1}, 0, 8)}}, 8, "ids", "has dtype \"");
  }
  expect_header_fault({{"ids", entry("I64", {1}, 0, 8)}}, 8, "ids", "I64");
}

TEST(SafetensorsHeader, refuses_a_name_that_stands_twice) {
  const std::string one = R"("a":{"dtype":"F16","shape":[],"data_offsets":[0,2]})";
  const std::string two = R"("a":{"dtype":"F16","shape":[],"data_offsets":[2,4]})";
  expect_header_fault("{" + one + "," + two + "}", 4, "header, a", "stands twice");
}

TEST(SafetensorsHeader, refuses_entries_that_lack_or_bend_a_field) {
  const json good = entry("F32", {1}, 0, 4);
  const auto with = [&](const char* key, json value) {
    json bent = good;
    bent[key] = std::move(value);
    return json{{"a", bent}};
  };
  const auto without = [&](const char* key) {
    json bent = good;
    bent.erase(key);
    return json{{"a", bent}};
  };
  expect_header_fault(without("dtype"), 4, "a", "dtype");
  expect_header_fault(without("shape"), 4, "a", "shape");
  expect_header_fault(without("data_offsets"), 4, "a", "data_offsets");
  expect_header_fault(with("dtype", 32), 4, "a", "dtype");
  expect_header_fault(with("shape", 1), 4, "a", "shape");
  expect_header_fault(with("shape", {-1}), 4, "a", "shape");
  expect_header_fault(with("shape", {1.0}), 4, "a", "shape");
  expect_header_fault(with("data_offsets", {0, 4, 8}), 4, "a", "data_offsets");
  expect_header_fault(with("data_offsets", {-4, 0}), 4, "a", "data_offsets");
  expect_header_fault(with("stride", {1}), 4, "a", "unknown key stride");
  expect_header_fault(json{{"a", 4}}, 4, "a", "is 4");
  expect_header_fault(json{{"__metadata__", {{"format", 1}}}}, 0, "__metadata__", "strings");
}

TEST(SafetensorsHeader, refuses_what_is_no_json_object) {
  for (const char* text : {"", "{", "{}x", "\xff"})
    expect_header_fault(std::string(text), 0, "header, line 1", "not valid JSON");
  for (const char* text : {"[]", "null", "1"})
    expect_header_fault(std::string(text), 0, "header", "no JSON object");
  expect_header_fault(std::string(1'000'000, '['), 0, "header", "deeper than 8");
}

// A file of its own for each trap, in a folder that goes away.
class SafetensorsFile : public ::testing::Test {
 protected:
  void expect_file_fault(std::string_view bytes, error_kind kind, const char* field,
                         const char* fault) {
    write_file(file_, bytes);
    const auto opened = safetensors_file::open(file_);
    ASSERT_FALSE(opened);
    expect_complaint(opened.error(), kind, label, field, fault);
  }

  temporary_folder folder_;
  std::filesystem::path file_ = folder_.path() / label;
};

TEST_F(SafetensorsFile, shows_the_bytes_that_were_written) {
  write_file(file_,
             test::safetensors_bytes({{"b", "BF16", {2}, "abcd"}, {"a", "F32", {1}, "wxyz"}}));
  const auto opened = safetensors_file::open(file_);
  ASSERT_TRUE(opened) << opened.error().message;
  ASSERT_EQ(opened->tensors().size(), 2U);
  EXPECT_EQ(opened->tensors()[0].name, "a");
  const tensor_view* const b = opened->find("b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(std::memcmp(b->bytes.data(), "abcd", 4), 0);
  EXPECT_EQ(std::memcmp(opened->find("a")->bytes.data(), "wxyz", 4), 0);
  EXPECT_EQ(opened->tensor_bytes(), 8U);
  EXPECT_EQ(opened->file_bytes(), std::filesystem::file_size(file_));
  EXPECT_EQ(opened->find("c"), nullptr);
  EXPECT_EQ(opened->find(""), nullptr);
}

TEST_F(SafetensorsFile, keeps_its_views_valid_when_moved) {
  write_file(file_, test::safetensors_bytes({{"a", "F32", {1}, "wxyz"}}));
  auto first = safetensors_file::open(file_);
  auto second = safetensors_file::open(file_);
  ASSERT_TRUE(first && second);
  safetensors_file moved = std::move(*first);
  *second = std::move(moved);
  std::filesystem::remove(file_);
  EXPECT_EQ(std::memcmp(second->find("a")->bytes.data(), "wxyz", 4), 0);
}

TEST_F(SafetensorsFile, refuses_a_file_that_is_cut_anywhere) {
  const std::string whole =
      test::safetensors_bytes({{"a", "F32", {2}, "12345678"}, {"b", "F16", {1}, "xy"}});
  for (std::size_t kept = 0; kept < whole.size(); ++kept) {
    write_file(file_, std::string_view(whole).substr(0, kept));
    const auto opened = safetensors_file::open(file_);
    ASSERT_FALSE(opened) << kept << " of " << whole.size() << " bytes were taken for the whole";
    expect_complaint(opened.error(), error_kind::unusable_input, label, "", "");
  }
}

TEST_F(SafetensorsFile, refuses_a_file_without_header) {
  expect_file_fault("", error_kind::unusable_input, "header length", "has 0 bytes");
  expect_file_fault("1234567", error_kind::unusable_input, "header length", "has 7 bytes");
  expect_file_fault("\0\0\0\0\0\0\0\0"s, error_kind::unusable_input, "header length", "8 bytes");
}

TEST_F(SafetensorsFile, refuses_a_header_of_one_byte_more_than_the_file) {
  std::string bytes = test::safetensors_bytes("{}", "");
  bytes[0] = 3;
  expect_file_fault(bytes, error_kind::unusable_input, "header length",
                    "is 3 bytes, and 2 is the most");
}

TEST_F(SafetensorsFile, refuses_header_lengths_near_the_end_of_64_bits) {
  for (const char* length :
       {"\xff\xff\xff\xff\xff\xff\xff\xff", "\xf8\xff\xff\xff\xff\xff\xff\xff"})
    expect_file_fault(std::string(length, 8) + "{}", error_kind::unusable_input, "header length",
                      "is 184467440737095516");
}

TEST_F(SafetensorsFile, refuses_a_header_above_100_megabytes_that_the_file_has) {
  // 100'000'001 as little-endian bytes; the file is sparse.
  write_file(file_, "\x01\xe1\xf5\x05\0\0\0\0"s);
  std::filesystem::resize_file(file_, 200'000'000);
  const auto opened = safetensors_file::open(file_);
  ASSERT_FALSE(opened);
  expect_complaint(opened.error(), error_kind::unusable_input, label, "header length",
                   "is 100000001 bytes, and 100000000 is the most");
}

TEST_F(SafetensorsFile, names_what_is_missing_or_no_file) {
  auto opened = safetensors_file::open(file_);
  ASSERT_FALSE(opened);
  expect_complaint(opened.error(), error_kind::unusable_input, label, "", "is missing");
  std::filesystem::create_directory(file_);
  opened = safetensors_file::open(file_);
  ASSERT_FALSE(opened);
  expect_complaint(opened.error(), error_kind::unusable_input, label, "", "not a regular file");
}

TEST_F(SafetensorsFile, does_not_wait_for_a_pipe_that_nobody_writes) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  const auto opened = safetensors_file::open(file_);
  ASSERT_FALSE(opened);
  expect_complaint(opened.error(), error_kind::unusable_input, label, "", "not a regular file");
}

TEST_F(SafetensorsFile, passes_on_what_the_operating_system_refuses) {
  std::filesystem::create_symlink(file_, file_);  // root is refused too, unlike by permissions
  const auto opened = safetensors_file::open(file_);
  ASSERT_FALSE(opened);
  expect_complaint(opened.error(), error_kind::io, label, "", "symbolic links");
}

}  // namespace
}  // namespace assay::checkpoint
