// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/step_alignment.h"

#include <deque>
#include <map>

namespace assay::attribution {
namespace {

using model::pass_line;
using request_steps = std::vector<const pass_line*>;
using content = std::vector<std::pair<std::uint64_t, std::int64_t>>;

std::vector<request_steps> by_request(const std::vector<pass_line>& steps) {
  std::map<std::uint64_t, request_steps> found;
  for (const pass_line& each : steps) found[each.request].push_back(&each);
  std::vector<request_steps> out;
  for (auto& [request, of_it] : found) out.push_back(std::move(of_it));
  return out;
}

content content_of(const request_steps& steps) {
  content out;
  for (const pass_line* each : steps) out.emplace_back(each->launches, each->read_bytes);
  return out;
}

bool is_same_work(const pass_line& one, const pass_line& other) {
  return one.launches == other.launches && one.read_bytes == other.read_bytes;
}

void align(const request_steps& one, const request_steps& other, step_alignment& out) {
  std::map<std::uint64_t, const pass_line*> others;
  for (const pass_line* each : other) others.emplace(each->index, each);
  std::vector<aligned_step> pairs;
  std::uint64_t met = 0;
  for (const pass_line* each : one) {
    const auto found = others.find(each->index);
    if (found == others.end()) continue;
    ++met;
    if (is_same_work(*each, *found->second))
      pairs.emplace_back(each, found->second);
    else
      ++out.other_work;
  }
  out.one_sided += one.size() - met + other.size() - met;
  out.aligned += pairs.size();
  if (!pairs.empty()) out.requests.push_back(std::move(pairs));
}

}  // namespace

step_alignment aligned(const std::vector<pass_line>& first, const std::vector<pass_line>& second) {
  const auto ones = by_request(first);
  const auto others = by_request(second);
  std::map<content, std::deque<std::size_t>> waiting;
  for (std::size_t at = 0; at < others.size(); ++at) waiting[content_of(others[at])].push_back(at);
  constexpr std::size_t nobody = static_cast<std::size_t>(-1);
  std::vector<std::size_t> partner(ones.size(), nobody);
  std::vector<bool> is_taken(others.size(), false);
  for (std::size_t at = 0; at < ones.size(); ++at) {
    const auto found = waiting.find(content_of(ones[at]));
    if (found == waiting.end() || found->second.empty()) continue;
    partner[at] = found->second.front();
    is_taken[partner[at]] = true;
    found->second.pop_front();
  }
  std::size_t next = 0;
  step_alignment out;
  for (std::size_t at = 0; at < ones.size(); ++at) {
    if (partner[at] == nobody) {
      while (next < others.size() && is_taken[next]) ++next;
      if (next < others.size()) {
        partner[at] = next;
        is_taken[next] = true;
      }
    }
    if (partner[at] == nobody)
      out.one_sided += ones[at].size();
    else
      align(ones[at], others[partner[at]], out);
  }
  for (std::size_t at = 0; at < others.size(); ++at)
    if (!is_taken[at]) out.one_sided += others[at].size();
  return out;
}

}  // namespace assay::attribution
