// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/attribution/timeline.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace assay::attribution {
namespace {

using model::time_part;

/// A piece begins or ends here.
struct boundary {
  std::int64_t at_ns = 0;
  std::uint32_t piece = 0;
  bool is_begin = false;
};

constexpr std::size_t index_of(time_part part) {
  return static_cast<std::size_t>(part);
}

// Walks the boundaries of one pass from left to right.
class sweep {
 public:
  sweep(const std::vector<piece>& pieces, std::size_t launch_classes) : pieces_(pieces) {
    out_.class_ns.assign(launch_classes, 0);
  }

  split run(std::int64_t begin_ns, std::int64_t end_ns) {
    for (std::uint32_t at = 0; at < pieces_.size(); ++at) {
      const std::int64_t from_ns = std::max(pieces_[at].start_ns, begin_ns);
      const std::int64_t to_ns = std::min(pieces_[at].end_ns, end_ns);
      if (from_ns >= to_ns) continue;
      boundaries_.push_back({from_ns, at, true});
      boundaries_.push_back({to_ns, at, false});
    }
    std::sort(boundaries_.begin(), boundaries_.end(), [](const boundary& a, const boundary& b) {
      return std::pair(a.at_ns, a.piece) < std::pair(b.at_ns, b.piece);
    });
    std::int64_t reached_ns = begin_ns;
    for (const boundary& each : boundaries_) {
      give(each.at_ns - reached_ns);
      reached_ns = each.at_ns;
      cross(each);
    }
    return std::move(out_);
  }

 private:
  void give(std::int64_t length_ns) {
    if (length_ns == 0) return;
    bool is_taken = false;
    for (std::size_t part = 0; part < model::time_part_count; ++part) {
      if (open_[part] == 0) continue;
      out_.busy_ns[part] += length_ns;
      if (is_taken) continue;
      is_taken = true;
      out_.on_path_ns[part] += length_ns;
      if (part == index_of(time_part::launch))
        out_.class_ns[pieces_[running_.front()].launch_class] += length_ns;
      if (part <= index_of(time_part::event)) out_.device_busy_ns += length_ns;
    }
  }

  void cross(const boundary& each) {
    const piece& crossed = pieces_[each.piece];
    if (each.is_begin)
      ++open_[index_of(crossed.part)];
    else
      --open_[index_of(crossed.part)];
    if (crossed.part != time_part::launch) return;
    if (each.is_begin)
      running_.push_back(each.piece);
    else
      running_.erase(std::find(running_.begin(), running_.end(), each.piece));
  }

  const std::vector<piece>& pieces_;
  std::vector<boundary> boundaries_;
  std::array<std::uint32_t, model::time_part_count> open_{};
  std::vector<std::uint32_t> running_;  // launches, in the order in which they began
  split out_;
};

}  // namespace

split split_of(std::vector<piece>& pieces, std::int64_t begin_ns, std::int64_t end_ns,
               std::size_t launch_classes) {
  std::sort(pieces.begin(), pieces.end(), [](const piece& a, const piece& b) {
    return std::pair(a.start_ns, a.end_ns) < std::pair(b.start_ns, b.end_ns);
  });
  return sweep(pieces, launch_classes).run(begin_ns, end_ns);
}

std::int64_t uncovered_ns(const std::vector<piece>& pieces, std::int64_t begin_ns,
                          std::int64_t end_ns) {
  std::vector<std::pair<std::int64_t, std::int64_t>> covered;
  covered.reserve(pieces.size());
  for (const piece& each : pieces)
    if (each.end_ns > begin_ns && each.start_ns < end_ns && each.end_ns > each.start_ns)
      covered.emplace_back(each.start_ns, each.end_ns);
  std::sort(covered.begin(), covered.end());
  std::int64_t bare_ns = 0;
  std::int64_t reached_ns = begin_ns;
  for (const auto& [from_ns, to_ns] : covered) {
    if (from_ns > reached_ns) bare_ns += from_ns - reached_ns;
    reached_ns = std::max(reached_ns, to_ns);
    if (reached_ns >= end_ns) return bare_ns;
  }
  return bare_ns + (end_ns - reached_ns);
}

}  // namespace assay::attribution
