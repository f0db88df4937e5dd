// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Two programs, as somebody else's compiler wrote them: the input is the first one's size in four
// bytes, that program, and the other. Whatever their headers say, they are read or refused, and
// three readers of the same bytes do not contradict one another.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/loaded_image.h"
#include "harness/cli/moved_code.h"
#include "runtime/telemetry/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::uint32_t first = 0;
  if (size < sizeof first) return 0;
  std::memcpy(&first, data, sizeof first);
  const std::size_t left = size - sizeof first;
  const std::size_t split = std::min<std::size_t>(first, left);
  // Copies of exactly their size: AddressSanitizer then sees a read behind an end.
  const std::vector<char> bytes(data + sizeof first, data + size);
  const std::vector<char> mine(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(split));
  const std::vector<char> theirs(bytes.begin() + static_cast<std::ptrdiff_t>(split), bytes.end());
  const std::string_view one(mine.data(), mine.size());
  const std::string_view other(theirs.data(), theirs.size());

  const bool is_moved = assay::cli::is_moved_code(one, other);
  const bool is_same = assay::cli::is_same_image(one, other);
  const auto digest = assay::cli::loaded_digest(one, {"/a", "/a/b"});
  const auto other_digest = assay::cli::loaded_digest(other, {"/a", "/a/b"});
  ASSAY_CHECK(!is_moved || (digest && other_digest), "code of what is no program was only moved");
  ASSAY_CHECK(!is_same || (digest && digest == other_digest), "one image, and two digests");
  return 0;
}
