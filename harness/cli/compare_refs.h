// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Two commits of the repository around us, built side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/audited_run.h"
#include "reports/model/audit_report.h"
#include "runtime/telemetry/result.h"

namespace assay::cli {

/// How a commit becomes something to run; read from a small JSON file.
struct build_recipe {
  std::string build;      ///< a shell line, run at the root of the commit's tree; may be empty
  std::string benchmark;  ///< the Google Benchmark binary that it leaves, relative to that root
  std::string counts;     ///< a shell line, run there, that prints exact counts; may be empty
};

/// {"build": "…", "benchmark": "…", "counts": "…"}. Errors: unusable_input, naming the file, the
/// place and the reason, also for a key that is none of the three.
result<build_recipe> parse_build_recipe(std::string_view text, const std::string& file);

struct ref_flags {
  std::string base;  ///< empty: where head left the main branch
  std::string head;  ///< empty: HEAD
  std::string recipe_file;
  std::int64_t build_limit_ns = 0;
};

struct built_side {
  std::string commit;  ///< 40 hexadecimal digits
  std::string binary;
  std::vector<std::string> counts_command;  ///< empty where the recipe has none
  bool is_from_cache = false;
};

struct built_sides {
  built_side base;
  built_side head;
  std::vector<model::fact> facts;
};

/// Makes a worktree of each commit below .assay/compare at the top of the repository, in folders
/// named by the commit: paths of the same length, and a commit that was built once is not built
/// again. A build that fails leaves no binary that could pass for one.
/// Errors: usage for a ref that is none, or two that are one; unusable_input for the recipe;
/// unavailable where a build fails, with the last line that it said; interrupted.
result<built_sides> build_refs(const ref_flags& flags, const progress& tell,
                               const std::function<bool()>& is_interrupted);

/// Trees for relinks that the folder has names for.
inline constexpr std::size_t most_relinks = 9;

/// One commit, --head or HEAD, built once plainly and `relinks` times in another order, a tree
/// each: the build line sees ASSAY_LINK_SALT as 0, then as 1 and up, and has to link by it. One
/// pair of sides a relink, all of them with the plain build as base. Errors: as build_refs.
result<std::vector<built_sides>> build_relinked(const ref_flags& flags, std::size_t relinks,
                                                const progress& tell,
                                                const std::function<bool()>& is_interrupted);

}  // namespace assay::cli
