// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this a long run of white space could take time that grows with its square, or long and
// short pieces could merge in different orders.
#include "runtime/tokenizer/bpe.h"
#include "runtime/tokenizer/definition.h"
#include "tests/tokenizer/embedded.h"

#include <random>

namespace assay::tokenizer::test {
namespace {

using ids = std::vector<std::int32_t>;

std::array<std::int32_t, 256> plain_bytes() {
  std::array<std::int32_t, 256> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::int32_t>(i);
  return out;
}

ids merged(const bpe_model& model, std::string_view piece, bool by_heap) {
  ids out;
  merge_scratch scratch;
  if (by_heap)
    model.merge_by_heap(piece, out, scratch);
  else
    model.merge_by_scan(piece, out, scratch);
  return out;
}

TEST(Bpe, the_lowest_rank_goes_first_and_the_leftmost_of_equal_ranks) {
  const merge_rule rules[] = {{'b', 'c', 300}, {'a', 'b', 301}, {'a', 'a', 302}};
  const bpe_model model(plain_bytes(), rules);
  for (bool by_heap : {false, true}) {
    EXPECT_EQ(merged(model, "abc", by_heap), (ids{'a', 300}));
    EXPECT_EQ(merged(model, "abab", by_heap), (ids{301, 301}));
    EXPECT_EQ(merged(model, "aaa", by_heap), (ids{302, 'a'}));
    EXPECT_EQ(merged(model, "aaaaa", by_heap), (ids{302, 302, 'a'}));
    EXPECT_EQ(merged(model, "x", by_heap), (ids{'x'}));
    EXPECT_EQ(merged(model, "", by_heap), (ids{}));
  }
}

TEST(Bpe, of_rules_for_one_pair_the_last_counts) {
  const merge_rule rules[] = {{'a', 'b', 300}, {'b', 'c', 301}, {'a', 'b', 300}};
  EXPECT_EQ(merged(bpe_model(plain_bytes(), rules), "abc", false), (ids{'a', 301}));
}

TEST(Bpe, whole_pieces_are_taken_before_any_merge) {
  const merge_rule rules[] = {{'a', 'b', 300}};
  bpe_model model(plain_bytes(), rules);
  model.learn_pieces({{"abc", 400}}, bpe_model::whole_pieces::taken);
  merge_scratch scratch;
  ids out;
  model.append_ids("abc", out, scratch);
  model.append_ids("abcd", out, scratch);
  EXPECT_EQ(out, (ids{400, 300, 'c', 'd'}));
}

/// Rules over the letters a, b and over what they make, at random: many overlaps and ties.
bpe_model random_model(std::mt19937& random) {
  std::vector<merge_rule> rules;
  std::vector<std::int32_t> known{'a', 'b'};
  for (std::int32_t id = 256; id < 280; ++id) {
    const std::size_t count = known.size();
    rules.push_back({known[random() % count], known[random() % count], id});
    known.push_back(id);
  }
  return bpe_model(plain_bytes(), rules);
}

TEST(Bpe, scan_and_heap_give_the_same_ids) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    const bpe_model model = random_model(random);
    std::string piece;
    for (std::size_t i = random() % 120; i > 0; --i) piece += random() % 2 ? 'a' : 'b';
    ASSERT_EQ(merged(model, piece, false), merged(model, piece, true)) << piece;
  }
}

/// Elementary steps for a run of `count` spaces under rules that double: 2, 4, 8 … spaces.
std::uint64_t steps_for(std::size_t count) {
  std::vector<merge_rule> rules{{' ', ' ', 300}};
  for (std::int32_t id = 300; id < 312; ++id) rules.push_back({id, id, id + 1});
  const bpe_model model(plain_bytes(), rules);
  merge_scratch scratch;
  ids out;
  model.append_ids(std::string(count, ' '), out, scratch);
  EXPECT_LE(out.size(), count / 4096 + 13);
  return scratch.steps;
}

TEST(Bpe, the_steps_for_a_run_of_white_space_grow_with_its_length) {
  const std::uint64_t once = steps_for(100'000);
  const std::uint64_t twice = steps_for(200'000);
  EXPECT_LE(once, 8u * 100'000u);
  EXPECT_LE(twice, once * 2 + once / 10);
}

TEST(Bpe, a_piece_at_the_border_between_the_two_ways_has_the_same_ids) {
  const tokenizer& subject = micro_qwen3();
  std::string piece;
  while (piece.size() < bpe_model::scan_at_most_bytes + 3) {
    piece += "beginning"[piece.size() % 9];
    std::string bytes;
    for (std::int32_t id : subject.encode(piece)) bytes += subject.bytes_of(id);
    EXPECT_EQ(bytes, piece);
  }
}

}  // namespace
}  // namespace assay::tokenizer::test
