// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How fast the host device decodes, against what the memory gives and against a peer, with blocks
// of each in turn so that a machine that changes its pace changes all of them.
//   decode_speed CHECKPOINT OUT.json THREADS BLOCKS [PEER_LIBRARIES MODEL.gguf]
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "probes/link/stream_set.h"
#include "runtime/device/host_device.h"
#include "runtime/engine/engine.h"
#include "runtime/ops/isa.h"
#include "runtime/telemetry/registry.h"
#include "tests/campaigns/llama_peer.h"

namespace assay::campaigns {
namespace {

using json = nlohmann::ordered_json;
using telemetry::counter_id;

constexpr std::uint32_t context_tokens = 1536;
constexpr std::uint32_t prompt_tokens = 32;
constexpr int steps_a_block = 3;

template <class T>
T must(result<T> outcome) {
  if (!outcome) {
    fmt::print(stderr, "decode_speed: {}\n", outcome.error().message);
    std::exit(3);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*outcome);
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double least_of(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

std::vector<std::int32_t> ids_of(std::uint32_t count) {
  std::vector<std::int32_t> ids(count);
  for (std::uint32_t i = 0; i < count; ++i) ids[i] = static_cast<std::int32_t>(i * 7 % 251 + 1);
  return ids;
}

double seconds(std::int64_t ns) {
  return static_cast<double>(ns) / 1e9;
}

// Our engine, with its counters for what a step reads.
class subject {
 public:
  subject(const std::string& checkpoint, std::uint32_t threads) {
    constexpr std::uint64_t arena_bytes = std::uint64_t{3} << 30;
    device_ = must(device::host_device::create({arena_bytes, 20'000, threads}));
    engine_ = must(engine::engine::load(checkpoint, *device_, counters_, {context_tokens, 16}));
  }

  /// Returns how long the prefill took.
  double begin(std::uint32_t tokens) {
    if (is_open_) must(engine_->end_request());
    is_open_ = true;
    position_ = tokens;
    must(engine_->begin_request(ids_of(tokens), {100'000, 0.0, 0, false}));
    const std::int64_t start_ns = host_now().ns;
    must(engine_->prefill());
    return seconds(host_now().ns - start_ns);
  }

  /// Seconds of each of `count` steps; begins again at the short prompt before the context is full.
  std::vector<double> steps(int count) {
    if (!is_open_ || position_ + static_cast<std::uint32_t>(count) > most_position_)
      begin(prompt_tokens);
    return steps_on(count);
  }

  /// The same from where the request stands, however far that is.
  std::vector<double> steps_on(int count) {
    std::vector<double> taken;
    for (int i = 0; i < count; ++i, ++position_) {
      const std::int64_t read_before = read_bytes();
      const std::int64_t start_ns = host_now().ns;
      must(engine_->decode_step());
      taken.push_back(seconds(host_now().ns - start_ns));
      step_bytes_ = static_cast<double>(read_bytes() - read_before);
    }
    return taken;
  }

  std::span<const float> logits() const { return engine_->logits(); }
  /// Weights and cached rows that the last step read.
  double step_bytes() const { return step_bytes_; }

 private:
  static constexpr std::uint32_t most_position_ = 256;

  std::int64_t read_bytes() const {
    return counters_.read(counter_id::compute_weight_bytes).integer() +
           counters_.read(counter_id::kv_read_bytes).integer();
  }

  telemetry::registry counters_;
  std::unique_ptr<device::host_device> device_;
  std::unique_ptr<engine::engine> engine_;
  bool is_open_ = false;
  std::uint32_t position_ = 0;
  double step_bytes_ = 0.0;
};

std::int32_t highest_of(std::span<const float> logits) {
  return static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

// The peer, driven as our engine is: it too must find the highest logit before it can go on.
class opponent {
 public:
  opponent(const std::string& libraries, const std::string& gguf, std::uint32_t threads)
      : peer_(must(llama_peer::open(libraries, gguf, context_tokens, threads))) {}

  double begin(std::uint32_t tokens) {
    peer_.clear();
    position_ = tokens;
    const std::int64_t start_ns = host_now().ns;
    logits_ = must(peer_.feed(ids_of(tokens)));
    next_ = highest_of(logits_);
    return seconds(host_now().ns - start_ns);
  }

  std::vector<double> steps(int count) {
    if (position_ == 0 || position_ + static_cast<std::uint32_t>(count) > 256) begin(prompt_tokens);
    std::vector<double> taken;
    for (int i = 0; i < count; ++i, ++position_) {
      const std::int64_t start_ns = host_now().ns;
      logits_ = must(peer_.feed(std::span(&next_, 1)));
      next_ = highest_of(logits_);
      taken.push_back(seconds(host_now().ns - start_ns));
    }
    return taken;
  }

  std::span<const float> logits() const { return logits_; }

 private:
  llama_peer peer_;
  std::span<const float> logits_;
  std::int32_t next_ = 0;
  std::uint32_t position_ = 0;
};

// The probe's own memory, of as many bytes as a step reads.
class stream {
 public:
  stream(double bytes, std::uint32_t threads) : threads_(threads) {
    for (const auto pages : {probes::page_kind::small, probes::page_kind::huge})
      sets_.emplace_back(
          pages, must(probes::stream_set::create(static_cast<std::uint64_t>(bytes), pages)));
  }

  /// Every variant on both kinds of pages with 1 to all threads, interleaved; keeps the fastest.
  json choose(int rounds) {
    struct row {
      const probes::read_variant* by;
      std::size_t set;
      std::uint32_t threads;
      std::vector<double> rates;
    };
    std::vector<row> rows;
    for (std::size_t set = 0; set < sets_.size(); ++set)
      for (const auto& by : probes::read_variants())
        for (std::uint32_t threads = 1; threads <= threads_; ++threads)
          rows.push_back({&by, set, threads, {}});
    for (int round = 0; round < rounds; ++round)
      for (row& each : rows) each.rates.push_back(rate(*each.by, each.set, each.threads));
    json table = json::array();
    double fastest = 0.0;
    for (const row& each : rows) {
      const double median = median_of(each.rates);
      if (each.threads == threads_ && median > fastest) {
        fastest = median;
        by_ = each.by;
        set_ = each.set;
      }
      table.push_back({{"variant", each.by->name},
                       {"pages", to_string(sets_[each.set].first)},
                       {"threads", each.threads},
                       {"bytes_per_s", each.rates}});
    }
    return table;
  }

  double rate() { return rate(*by_, set_, threads_); }
  std::string chosen() const {
    return fmt::format("{}, {} pages, {} threads", by_->name, to_string(sets_[set_].first),
                       threads_);
  }

 private:
  double rate(const probes::read_variant& by, std::size_t set, std::uint32_t threads) {
    return must(sets_[set].second.pass(by, threads)).bytes_per_s();
  }

  std::uint32_t threads_;
  std::vector<std::pair<probes::page_kind, probes::stream_set>> sets_;
  const probes::read_variant* by_ = nullptr;
  std::size_t set_ = 0;
};

// A third thread that always wants to run.
class busy_loop {
 public:
  busy_loop()
      : thread_([this] {
          while (!is_over_.load(std::memory_order_relaxed)) {
          }
        }) {}
  ~busy_loop() {
    is_over_.store(true);
    thread_.join();
  }

 private:
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

constexpr double least_share = 0.85;
// A step that reads faster than a probe that does nothing else: then the probe is no ceiling.
constexpr double most_share = 1.1;

const char* share_verdict(double ratio) {
  if (ratio > most_share) return "undecided, the probe was disturbed; run again at a quiet time";
  return ratio >= least_share ? "met" : "NOT met";
}

// Blocks of steps beside passes of the probe: what share of the memory's rate a step uses.
json bandwidth(subject& ours, stream& memory, int blocks) {
  json samples = json::array();
  std::vector<double> step_rates;
  std::vector<double> probe_rates;
  for (int block = 0; block < blocks; ++block) {
    std::vector<double> passes;
    std::vector<double> taken;
    for (int i = 0; i < steps_a_block; ++i) {
      passes.push_back(memory.rate());
      taken.push_back(ours.steps(1).front());
    }
    step_rates.push_back(ours.step_bytes() / median_of(taken));
    probe_rates.push_back(median_of(passes));
    samples.push_back(
        {{"step_s", taken}, {"step_bytes", ours.step_bytes()}, {"probe_bytes_per_s", passes}});
  }
  std::vector<double> ratios;
  for (std::size_t i = 0; i < step_rates.size(); ++i)
    ratios.push_back(step_rates[i] / probe_rates[i]);
  const double of_medians = median_of(step_rates) / median_of(probe_rates);
  fmt::print("bandwidth: a step reads {:.3f} GB, {:.1f} GB/s of the probe's {:.1f} GB/s ({})\n",
             ours.step_bytes() / 1e9, median_of(step_rates) / 1e9, median_of(probe_rates) / 1e9,
             memory.chosen());
  fmt::print("bandwidth: ratio of medians {:.3f}, median of ratios {:.3f}; wanted >= {:.2f}: {}\n",
             of_medians, median_of(ratios), least_share, share_verdict(of_medians));
  return {{"ratio_of_medians", of_medians}, {"median_of_ratios", median_of(ratios)},
          {"wanted", least_share},          {"verdict", share_verdict(of_medians)},
          {"probe", memory.chosen()},       {"blocks", samples}};
}

// Beside a third runnable thread: slower it must be, collapse it must not.
json with_a_busy_thread(subject& ours, int blocks) {
  const busy_loop third;
  json samples = json::array();
  std::vector<double> speeds;
  for (int block = 0; block < blocks; ++block) {
    const std::vector<double> taken = ours.steps(2 * steps_a_block);
    speeds.push_back(1.0 / mean_of(taken));
    samples.push_back(taken);
  }
  const double worst = least_of(speeds) / median_of(speeds);
  fmt::print("busy thread: {:.2f} steps/s median, slowest block {:.2f} of it; wanted >= 0.5: {}\n",
             median_of(speeds), worst, worst >= 0.5 ? "met" : "NOT met");
  return {{"slowest_block_of_median", worst},
          {"median_steps_per_s", median_of(speeds)},
          {"wanted", 0.5},
          {"step_s", samples}};
}

// max |a - b| over max |b|, after the same prompt: the peer has the same weights.
double difference_of(std::span<const float> a, std::span<const float> b) {
  double peak = 0.0;
  double difference = 0.0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    peak = std::max(peak, std::fabs(static_cast<double>(b[i])));
    difference = std::max(difference, std::fabs(static_cast<double>(a[i]) - b[i]));
  }
  return difference / peak;
}

json compared(const char* what, const std::vector<double>& ours, const std::vector<double>& peer,
              double amount, double wanted) {
  const double speedup = median_of(peer) / median_of(ours);
  fmt::print("peer, {}: {:.2f} against {:.2f} tokens/s, {:.2f} times; wanted >= {:.2f}: {}\n", what,
             amount / median_of(ours), amount / median_of(peer), speedup, wanted,
             speedup >= wanted ? "met" : "NOT met");
  return {{"speedup", speedup}, {"wanted", wanted}, {"ours_s", ours}, {"peer_s", peer}};
}

json against(subject& ours, opponent& peer, int blocks) {
  constexpr std::uint32_t long_prompt = 512;
  json found;
  ours.begin(prompt_tokens);
  peer.begin(prompt_tokens);
  found["largest_logit_difference_ratio"] = difference_of(peer.logits(), ours.logits());
  fmt::print("peer: logits differ by at most {:.1e} of the largest\n",
             found["largest_logit_difference_ratio"].get<double>());
  std::vector<double> our_steps;
  std::vector<double> peer_steps;
  for (int block = 0; block < blocks; ++block) {
    const std::vector<double> mine = ours.steps(steps_a_block);
    const std::vector<double> theirs = peer.steps(steps_a_block);
    our_steps.insert(our_steps.end(), mine.begin(), mine.end());
    peer_steps.insert(peer_steps.end(), theirs.begin(), theirs.end());
  }
  found["decode"] = compared("decode", our_steps, peer_steps, 1.0, 1.25);
  std::vector<double> our_prefills;
  std::vector<double> peer_prefills;
  for (int block = 0; block < std::max(3, blocks / 5); ++block) {
    our_prefills.push_back(ours.begin(long_prompt));
    peer_prefills.push_back(peer.begin(long_prompt));
  }
  found["prefill"] = compared("prefill of 512", our_prefills, peer_prefills, long_prompt, 1.0);
  return found;
}

// What a long context adds to a step.
json long_context(subject& ours, int blocks) {
  std::vector<double> early;
  std::vector<double> late;
  json bytes;
  for (int block = 0; block < std::max(2, blocks / 10); ++block) {
    ours.begin(prompt_tokens);
    for (const double each : ours.steps(steps_a_block)) early.push_back(each);
    bytes["early"] = ours.step_bytes();
    ours.begin(1200);
    for (const double each : ours.steps_on(steps_a_block)) late.push_back(each);
    bytes["late"] = ours.step_bytes();
  }
  const double longer = median_of(late) / median_of(early);
  const double more = bytes["late"].get<double>() / bytes["early"].get<double>();
  fmt::print("long context: a step at 1200 takes {:.2f} times one at 32, and reads {:.2f} times\n",
             longer, more);
  return {{"time_ratio", longer}, {"bytes_ratio", more}, {"early_s", early}, {"late_s", late}};
}

}  // namespace
}  // namespace assay::campaigns

int main(int argc, char** argv) {
  using namespace assay;
  using namespace assay::campaigns;
  if (argc != 5 && argc != 7) {
    fmt::print(stderr, "usage: {} CHECKPOINT OUT.json THREADS BLOCKS [LIBRARIES MODEL.gguf]\n",
               argv[0]);
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const auto threads = static_cast<std::uint32_t>(std::atoi(argv[3]));
  const int blocks = std::atoi(argv[4]);
  subject ours(argv[1], threads);
  ours.steps(steps_a_block);
  stream memory(ours.step_bytes(), threads);
  json report;
  report["threads"] = threads;
  report["instruction_set"] = ops::to_string(ops::isa_in_force());
  report["probe_variants"] = memory.choose(2);
  report["bandwidth"] = bandwidth(ours, memory, blocks);
  report["busy_thread"] = with_a_busy_thread(ours, blocks);
  report["long_context"] = long_context(ours, blocks);
  if (argc == 7) {
    opponent peer(argv[5], argv[6], threads);
    report["peer"] = against(ours, peer, blocks);
  }
  std::ofstream out(argv[2]);
  out << report.dump(1) << "\n";
  out.close();
  return out ? 0 : 3;
}
