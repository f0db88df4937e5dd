// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/compare_refs.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "harness/compare/process_runner.h"
#include "harness/ingest/complaint.h"
#include "harness/ingest/file_text.h"
#include "harness/ingest/json_cursor.h"
#include "harness/ingest/json_text.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
using interrupt_check = std::function<bool()>;

constexpr std::array<const char*, 4> main_branches{"origin/main", "origin/master", "main",
                                                   "master"};
// Beside the tree, so that nothing in the tree can be mistaken for it.
constexpr const char* built_mark = ".built";

std::string without_line_break(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

// What git printed; none where it refused.
result<std::optional<std::string>> git(const std::vector<std::string>& words,
                                       const interrupt_check& is_interrupted) {
  std::vector<std::string> command{"git"};
  command.insert(command.end(), words.begin(), words.end());
  ASSAY_TRY_ASSIGN(const auto ending, compare::run_process({command, 0, is_interrupted}));
  if (ending.how == compare::process_end::interrupted)
    return ASSAY_FAIL(interrupted, "interrupted before anything was measured");
  if (!ending.is_good()) return std::optional<std::string>();
  return std::optional(without_line_break(ending.out));
}

result<std::string> commit_of(const std::string& ref, const interrupt_check& is_interrupted) {
  // Behind --end-of-options a ref that begins with a dash is no option.
  ASSAY_TRY_ASSIGN(const auto found,
                   git({"rev-parse", "--verify", "--quiet", "--end-of-options", ref + "^{commit}"},
                       is_interrupted));
  if (!found || found->size() < 40)
    return ASSAY_FAIL(usage,
                      fmt::format("'{}' is no commit here; give a branch, a tag or a hash", ref));
  return *found;
}

// Where head left the main branch.
result<std::string> merge_base(const std::string& head, const interrupt_check& is_interrupted) {
  for (const char* branch : main_branches) {
    ASSAY_TRY_ASSIGN(const auto found, git({"merge-base", branch, head}, is_interrupted));
    if (found && found->size() >= 40) return *found;
  }
  return ASSAY_FAIL(usage,
                    "no branch main or master that head has left; name the base with --base REF");
}

class workshop {
 public:
  workshop(fs::path folder, std::string link_salt, build_recipe recipe, std::int64_t limit_ns,
           const interrupt_check& is_interrupted)
      : folder_(std::move(folder)),
        link_salt_(std::move(link_salt)),
        recipe_(std::move(recipe)),
        limit_ns_(limit_ns),
        is_interrupted_(is_interrupted) {}

  result<built_side> side(const std::string& commit, const char* which) {
    const fs::path tree = folder_ / commit;
    const fs::path mark = folder_ / (commit + built_mark);
    const fs::path binary = tree / recipe_.benchmark;
    std::error_code code;
    built_side built{commit, binary, counts_command(tree), false};
    if (is_marked(mark) && fs::exists(binary, code)) {
      built.is_from_cache = true;
      return built;
    }
    if (!fs::exists(tree / ".git", code)) {
      ASSAY_TRY_ASSIGN(
          const auto made,
          git({"worktree", "add", "--detach", "--force", tree.string(), commit}, is_interrupted_));
      if (!made)
        return ASSAY_FAIL(io, fmt::format("{}: git makes no worktree there; remove it, and run git "
                                          "worktree prune",
                                          tree.string()));
    }
    fs::remove(mark, code);
    ASSAY_TRY(build(tree, which));
    if (!fs::is_regular_file(binary, code))
      return ASSAY_FAIL(unavailable,
                        fmt::format("{}: the build of {} left no such file; correct \"benchmark\"",
                                    binary.string(), which));
    std::ofstream(mark) << recipe_.build;
    return built;
  }

 private:
  std::vector<std::string> counts_command(const fs::path& tree) const {
    if (recipe_.counts.empty()) return {};
    return {"/bin/sh", "-c", "cd \"$1\" && eval \"$2\"", "counts", tree.string(), recipe_.counts};
  }

  // Built by this recipe, and not by one that was changed since.
  bool is_marked(const fs::path& mark) const {
    std::ifstream in(mark, std::ios::binary);
    if (!in) return false;
    const std::string said{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    return said == recipe_.build;
  }

  result<void> build(const fs::path& tree, const char* which) const {
    if (recipe_.build.empty()) return {};
    // The folder is an argument: a path may hold anything that a shell would read.
    ASSAY_TRY_ASSIGN(const auto ending,
                     compare::run_process({{"/bin/sh", "-c",
                                            "cd \"$1\" && export ASSAY_LINK_SALT=\"$3\" && "
                                            "eval \"$2\"",
                                            "build", tree.string(), recipe_.build, link_salt_},
                                           limit_ns_,
                                           is_interrupted_}));
    if (ending.how == compare::process_end::interrupted)
      return ASSAY_FAIL(interrupted, fmt::format("interrupted while {} was built", which));
    if (!ending.is_good())
      return ASSAY_FAIL(
          unavailable,
          fmt::format("the build of {} failed: {}; run it in {}", which,
                      ingest::printable(compare::failure_words(ending), 200), tree.string()));
    return {};
  }

  fs::path folder_;
  std::string link_salt_;
  build_recipe recipe_;
  std::int64_t limit_ns_;
  const interrupt_check& is_interrupted_;
};

void describe(const char* which, const built_side& side, std::vector<model::fact>& facts) {
  facts.push_back({fmt::format("{} commit", which), side.commit});
  facts.push_back({fmt::format("{} binary", which),
                   side.binary + (side.is_from_cache ? " (built before)" : "")});
}

}  // namespace

result<build_recipe> parse_build_recipe(std::string_view text, const std::string& file) {
  ASSAY_TRY_ASSIGN(const auto tree, ingest::parse_json(text, file));
  const ingest::json_cursor root(tree, file);
  ASSAY_TRY_ASSIGN(const auto benchmark_at, root.at("benchmark"));
  build_recipe recipe;
  ASSAY_TRY_ASSIGN(recipe.benchmark, benchmark_at.text());
  const fs::path relative = fs::path(recipe.benchmark).lexically_normal();
  if (recipe.benchmark.empty() || relative.is_absolute() || relative.string().starts_with(".."))
    return benchmark_at.refuse("lies outside of the tree that is built");
  if (const auto build = root.find("build")) {
    ASSAY_TRY_ASSIGN(recipe.build, build->text());
  }
  if (const auto counts = root.find("counts")) {
    ASSAY_TRY_ASSIGN(recipe.counts, counts->text());
  }
  for (const auto& [key, value] : tree.items())
    if (key != "build" && key != "benchmark" && key != "counts")
      return ingest::refused(file, "$." + key, "is no key", "use build, benchmark and counts");
  return recipe;
}

namespace {

struct order_of_work {
  fs::path folder;  // of all worktrees
  build_recipe recipe;
  std::string head;
};

result<order_of_work> order_from(const ref_flags& flags, const interrupt_check& is_interrupted) {
  ASSAY_TRY_ASSIGN(const auto top, git({"rev-parse", "--show-toplevel"}, is_interrupted));
  if (!top) return ASSAY_FAIL(usage, "compare: no git repository here; run it in one");
  order_of_work work;
  work.folder = fs::path(*top) / ".assay";
  ASSAY_TRY_ASSIGN(const auto recipe_text, ingest::file_text::open(flags.recipe_file));
  ASSAY_TRY_ASSIGN(work.recipe, parse_build_recipe(recipe_text.view(), flags.recipe_file));
  ASSAY_TRY_ASSIGN(work.head, commit_of(flags.head.empty() ? "HEAD" : flags.head, is_interrupted));
  return work;
}

// The names are of one length: a path's length moves what is on a program's stack.
constexpr const char* plain_folder = "compare";
std::string relinked_folder(std::size_t salt) {
  return fmt::format("relink{}", salt);
}

}  // namespace

result<std::vector<built_sides>> build_relinked(const ref_flags& flags, std::size_t relinks,
                                                const progress& tell,
                                                const std::function<bool()>& is_interrupted) {
  ASSAY_TRY_ASSIGN(const order_of_work work, order_from(flags, is_interrupted));
  tell("building " + work.head);
  ASSAY_TRY_ASSIGN(const built_side base, workshop(work.folder / plain_folder, "0", work.recipe,
                                                   flags.build_limit_ns, is_interrupted)
                                              .side(work.head, "base"));
  std::vector<built_sides> all;
  for (std::size_t salt = 1; salt <= relinks; ++salt) {
    tell(fmt::format("linking it in another order, {} of {}", salt, relinks));
    ASSAY_TRY_ASSIGN(built_side head,
                     workshop(work.folder / relinked_folder(salt), fmt::format("{}", salt),
                              work.recipe, flags.build_limit_ns, is_interrupted)
                         .side(work.head, "head"));
    built_sides sides{base, std::move(head), {}};
    describe("base", sides.base, sides.facts);
    describe("head", sides.head, sides.facts);
    all.push_back(std::move(sides));
  }
  tell("");
  return all;
}

result<built_sides> build_refs(const ref_flags& flags, const progress& tell,
                               const std::function<bool()>& is_interrupted) {
  ASSAY_TRY_ASSIGN(const order_of_work work, order_from(flags, is_interrupted));
  const std::string& head = work.head;
  ASSAY_TRY_ASSIGN(const std::string base, flags.base.empty()
                                               ? merge_base(head, is_interrupted)
                                               : commit_of(flags.base, is_interrupted));
  if (base == head)
    return ASSAY_FAIL(
        usage, fmt::format("base and head are both {}; there is no change to compare", head));
  workshop shop(work.folder / plain_folder, "0", work.recipe, flags.build_limit_ns, is_interrupted);
  built_sides sides;
  tell("building base " + base);
  ASSAY_TRY_ASSIGN(sides.base, shop.side(base, "base"));
  tell("building head " + head);
  ASSAY_TRY_ASSIGN(sides.head, shop.side(head, "head"));
  tell("");
  describe("base", sides.base, sides.facts);
  describe("head", sides.head, sides.facts);
  return sides;
}

}  // namespace assay::cli
