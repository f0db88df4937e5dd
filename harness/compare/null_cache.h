// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// A table of rows asks for the same few distributions.
#pragma once

#include <cstddef>
#include <map>

#include "harness/compare/signed_rank.h"

namespace assay::compare {

/// Threads: one at a time.
class null_cache {
 public:
  const signed_rank_null& of(std::size_t pairs) {
    return known_.try_emplace(pairs, pairs).first->second;
  }

 private:
  std::map<std::size_t, signed_rank_null> known_;
};

}  // namespace assay::compare
