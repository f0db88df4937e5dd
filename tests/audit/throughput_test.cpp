// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this an audit that slows down or grows with the trace would go unnoticed. Bounds are
// loose and one-sided; the figures are printed.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probes/trace/contract_json.h"
#include "tests/audit/trace_builder.h"

namespace assay::audit_test {
namespace {

long peak_rss_kib() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word)
    if (word == "VmHWM:") {
      long kib = 0;
      status >> kib;
      return kib;
    }
  return 0;
}

// Replays one simulated request as often as it takes, shifted in time and in correlation.
class replay {
 public:
  replay() {
    const test_trace whole = simulate({.requests = 2, .steps = 32, .kernels = 60});
    facts_ = whole.facts;
    bool is_request = false;
    int request = -1;
    for (const piece& p : whole.pieces) {
      const auto* record = std::get_if<assay_record>(&p);
      if (record != nullptr && record->op == ASSAY_WINDOW_REQUEST &&
          record->kind == ASSAY_WINDOW_BEGIN)
        is_request = ++request == 1;
      if (request < 1) head_.push_back(p);
      if (is_request) body_.push_back(p);
      if (record != nullptr && record->op == ASSAY_WINDOW_REQUEST &&
          record->kind == ASSAY_WINDOW_END && is_request)
        is_request = false;
    }
    for (auto at = whole.pieces.rbegin(); at != whole.pieces.rend(); ++at) {
      const auto* record = std::get_if<assay_record>(&*at);
      if (record != nullptr && record->kind == ASSAY_WINDOW_END) break;
      tail_.insert(tail_.begin(), *at);
    }
    measure();
  }

  /// Feeds at least `count` records; the last request counts one byte of logits too many.
  std::uint64_t feed(trace::sink& into, std::uint64_t count) {
    fed_ = 0;
    EXPECT_TRUE(into.contract(trace::to_json(test_contract())));
    EXPECT_TRUE(into.facts(trace::to_json(facts_)));
    send(into, head_, 0, false);
    std::uint64_t round = 0;
    while (fed_ < count) send(into, body_, round++, fed_ + body_.size() >= count);
    send(into, tail_, round, false);
    EXPECT_TRUE(into.end());
    return fed_;
  }

 private:
  void measure() {
    std::uint64_t low = ~std::uint64_t{0};
    std::uint64_t high = 0;
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
    for (const piece& p : body_)
      if (const auto* record = std::get_if<assay_record>(&p)) {
        if (record->kind == ASSAY_SUBMISSION) {
          low = std::min(low, record->correlation);
          high = std::max(high, record->correlation);
        }
        if (record->kind == ASSAY_WINDOW_BEGIN && begin_ns == 0) begin_ns = record->start_ns;
        if (record->kind == ASSAY_WINDOW_END) end_ns = record->end_ns;
      } else {
        syncs_a_round_ = std::get<snapshot_piece>(p).readings[syncs].bits;
      }
    correlations_ = high - low + 1;
    took_ns_ = end_ns - begin_ns + 1000;
    syncs_a_round_ -= std::get<snapshot_piece>(*first_snapshot()).readings[syncs].bits - 1;
  }

  std::vector<piece>::const_iterator first_snapshot() const {
    return std::find_if(body_.begin(), body_.end(),
                        [](const piece& p) { return std::holds_alternative<snapshot_piece>(p); });
  }

  void send(trace::sink& into, const std::vector<piece>& pieces, std::uint64_t round, bool is_lie) {
    const auto shift_ns = took_ns_ * static_cast<std::int64_t>(round);
    for (const piece& p : pieces) {
      if (const auto* record = std::get_if<assay_record>(&p)) {
        assay_record moved = *record;
        if (moved.kind == ASSAY_SUBMISSION || moved.kind == ASSAY_ACTIVITY)
          moved.correlation += correlations_ * round;
        if (moved.start_ns != 0) moved.start_ns += shift_ns;
        if (moved.end_ns != 0) moved.end_ns += shift_ns;
        if (moved.kind == ASSAY_CLOCK_SAMPLE) moved.amount += shift_ns;
        batch_.push_back(moved);
        continue;
      }
      flush(into);
      snapshot_piece shot = std::get<snapshot_piece>(p);
      shot.readings[syncs].bits += syncs_a_round_ * static_cast<std::int64_t>(round);
      if (is_lie) shot.readings[logits_bytes].bits += 1;
      EXPECT_TRUE(into.snapshot(shot.at_ns + shift_ns, shot.readings));
    }
    flush(into);
  }

  void flush(trace::sink& into) {
    fed_ += batch_.size();
    EXPECT_TRUE(into.records(batch_));
    batch_.clear();
  }

  trace::run_facts facts_;
  std::vector<piece> head_;
  std::vector<piece> body_;
  std::vector<piece> tail_;
  std::vector<assay_record> batch_;
  std::uint64_t correlations_ = 0;
  std::int64_t took_ns_ = 0;
  std::int64_t syncs_a_round_ = 0;
  std::uint64_t fed_ = 0;
};

double seconds_of(const std::function<void()>& work) {
  const auto from = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
}

long audit_at(std::uint64_t count) {
  replay source;
  audit::auditor auditor;
  std::uint64_t fed = 0;
  // Making the records is in it: the true rate is higher.
  const double took_s = seconds_of([&] { fed = source.feed(auditor, count); });
  const auto report = auditor.finish().value();
  const double rate = static_cast<double>(fed) / took_s;
  const long peak = peak_rss_kib();
  std::printf("%llu records: %.2f M records/s, peak RSS %ld KiB\n",
              static_cast<unsigned long long>(fed), rate / 1e6, peak);
  EXPECT_GT(rate, 2e6);
  EXPECT_THAT(rules_on(report, name_of(logits_bytes)), testing::ElementsAre("R04"));
  EXPECT_EQ(report.findings.size(), 1u) << text_of(report);
  return peak;
}

TEST(Throughput, memory_does_not_grow_with_the_trace_and_a_lie_at_its_end_is_found) {
  const long at_one_million = audit_at(1'000'000);
  const long at_ten_million = audit_at(10'000'000);
  EXPECT_LE(static_cast<double>(at_ten_million), 1.2 * static_cast<double>(at_one_million));
}

}  // namespace
}  // namespace assay::audit_test
