// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// The products of a prefill, ours beside those of libraries: in one process, in pairs ABBA, so that
// a machine that changes its pace changes both. Each result is held against f64 before its time is
// taken. CPU time stands beside wall time: the one is what a program computes, the other also what
// the machine gave it meanwhile.
//   prefill_peers OUT.json PAIRS [MODEL [THREADS]]
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/ops/isa.h"
#include "runtime/telemetry/clock.h"
#include "tests/campaigns/fma_roof.h"
#include "tests/campaigns/product.h"
#include "tests/campaigns/product_check.h"

namespace assay::campaigns {
namespace {

using json = nlohmann::ordered_json;

struct matrix_shape {
  std::string_view model;
  std::string_view name;
  std::uint32_t rows;
  std::uint32_t columns;
};

// From the models' config.json: hidden size, heads · head_dim, kv heads · head_dim, MLP.
constexpr matrix_shape shapes[] = {
    {"qwen3-0.6b", "q", 2048, 1024},      {"qwen3-0.6b", "k, v", 1024, 1024},
    {"qwen3-0.6b", "o", 1024, 2048},      {"qwen3-0.6b", "gate, up", 3072, 1024},
    {"qwen3-0.6b", "down", 1024, 3072},   {"llama-3.2-1b", "q, o", 2048, 2048},
    {"llama-3.2-1b", "k, v", 512, 2048},  {"llama-3.2-1b", "gate, up", 8192, 2048},
    {"llama-3.2-1b", "down", 2048, 8192}, {"llama-3.1-8b", "q, o", 4096, 4096},
    {"llama-3.1-8b", "k, v", 1024, 4096}, {"llama-3.1-8b", "gate, up", 14336, 4096},
    {"llama-3.1-8b", "down", 4096, 14336}};
constexpr std::string_view lesser_model = "qwen3-0.6b";
constexpr std::uint32_t token_counts[] = {32, 128, 512};

// Larger than what a core finds in its last cache, in the smallest form that a product keeps.
constexpr std::size_t ring_bytes = std::size_t{128} << 20;
// A sum of n products in f32 is off by far less; activations rounded to 8 bits are off by 2^-9
// each.
constexpr double most_error = 1e-5;
constexpr double most_rounded_error = 1e-2;
// Short calls are repeated: what a clock read and an interruption cost must not show.
constexpr double least_sample_ns = 10e6;

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

struct subject {
  product_maker maker;
  std::unique_ptr<product> made;
  std::string reason;  // why it is not there, or is not timed
  product_check::errors errors;
  double call_ns = 0.0;
};

// Of all threads of this process.
double cpu_now_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

struct call_time {
  double wall_ns = 0.0;
  double cpu_ns = 0.0;
};

call_time spent(product& what, float* out, int calls) {
  const host_time start = host_now();
  const double cpu_ns = cpu_now_ns();
  what.run(out, calls);
  return {static_cast<double>(host_now() - start) / calls, (cpu_now_ns() - cpu_ns) / calls};
}

// A wrong product has no time.
subject prepared(const product_maker& maker, const product_problem& problem,
                 const product_check& check, std::uint32_t threads, std::span<float> out) {
  subject made{maker, nullptr, {}, {}, 0.0};
  auto outcome = maker.make(problem, threads);
  if (!outcome) {
    made.reason = outcome.error().message;
    return made;
  }
  made.made = std::move(*outcome);
  std::fill(out.begin(), out.end(), std::nanf(""));
  made.made->run(out.data(), 1);
  made.errors = check.of(out);
  if (!(made.errors.largest() <= (maker.is_rounded ? most_rounded_error : most_error))) {
    made.reason =
        fmt::format("WRONG: off by {:.1e} and {:.1e}", made.errors.sampled, made.errors.whole);
    made.made.reset();
    return made;
  }
  made.call_ns = spent(*made.made, out.data(), 1).wall_ns;
  return made;
}

struct samples {
  std::vector<double> wall_ns;
  std::vector<double> cpu_ns;

  void add(const call_time& more) {
    wall_ns.push_back(std::round(more.wall_ns));
    cpu_ns.push_back(std::round(more.cpu_ns));
  }
  void add(const samples& more) {
    wall_ns.insert(wall_ns.end(), more.wall_ns.begin(), more.wall_ns.end());
    cpu_ns.insert(cpu_ns.end(), more.cpu_ns.begin(), more.cpu_ns.end());
  }
};

// Ours over theirs, a number a pair: above 1 theirs is faster.
struct pair_times {
  samples ours;
  samples theirs;
  std::vector<double> wall_ratios;
  std::vector<double> cpu_ratios;
};

pair_times in_pairs(subject& ours, subject& theirs, int pairs, float* out) {
  const double call_ns = std::max(ours.call_ns, theirs.call_ns);
  const int calls = std::max(1, static_cast<int>(least_sample_ns / call_ns));
  pair_times times;
  for (int pair = 0; pair < pairs; ++pair) {
    call_time sums[2];
    for (const int which : {0, 1, 1, 0}) {
      const call_time one = spent(which == 0 ? *ours.made : *theirs.made, out, calls);
      (which == 0 ? times.ours : times.theirs).add(one);
      sums[which].wall_ns += one.wall_ns;
      sums[which].cpu_ns += one.cpu_ns;
    }
    times.wall_ratios.push_back(sums[0].wall_ns / sums[1].wall_ns);
    times.cpu_ratios.push_back(sums[0].cpu_ns / sums[1].cpu_ns);
  }
  return times;
}

// One matrix, one number of tokens, one number of threads.
class bench_case {
 public:
  bench_case(const matrix_shape& shape, std::uint32_t tokens, std::uint32_t threads)
      : shape_(shape),
        tokens_(tokens),
        threads_(threads),
        x_(sizeof(float) * tokens * shape.columns),
        out_(sizeof(float) * tokens * shape.rows) {
    std::mt19937 random(shape.rows * 31 + shape.columns * 7 + tokens);
    std::normal_distribution<float> weight(0.0F, 0.02F);
    std::normal_distribution<float> activation(0.0F, 1.0F);
    // Drawing each would take longer than multiplying: a prime number of draws, over and over.
    std::vector<float> drawn(65'537);
    for (float& each : drawn) each = weight(random);
    weights_.resize(std::size_t{shape.rows} * shape.columns);
    for (std::size_t i = 0; i < weights_.size(); ++i)
      weights_[i] =
          static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(drawn[i % drawn.size()]) >> 16);
    for (float& each : drawn) each = activation(random);
    for (std::size_t i = 0; i < x().size(); ++i) x()[i] = drawn[i % drawn.size()];
    problem_ = {shape.rows, shape.columns, tokens, weights_, x(), 0};
    problem_.copies = static_cast<std::uint32_t>(
        std::max<std::size_t>(2, ring_bytes / problem_.weights.size_bytes() + 1));
  }

  /// A row a product. False where one was wrong.
  bool run(int pairs, json& rows) {
    const product_check check(problem_);
    const std::vector<product_maker> makers = product_makers();
    subject ours = prepared(makers.front(), problem_, check, threads_, out());
    bool is_right = ours.made != nullptr;
    samples all_ours;
    for (std::size_t i = 1; i < makers.size(); ++i) {
      if (makers[i].is_lesser && (shape_.model != lesser_model || tokens_ == 512)) continue;
      subject theirs = prepared(makers[i], problem_, check, threads_, out());
      is_right = is_right && !theirs.reason.starts_with("WRONG");
      if (ours.made == nullptr || theirs.made == nullptr) {
        rows.push_back(row_of(theirs, {}));
        continue;
      }
      const pair_times times = in_pairs(ours, theirs, pairs, out().data());
      all_ours.add(times.ours);
      rows.push_back(row_of(theirs, times));
    }
    rows.push_back(row_of(ours, {{}, all_ours, {}, {}}));
    return is_right;
  }

 private:
  std::span<float> x() const { return {x_.as<float>(), std::size_t{tokens_} * shape_.columns}; }
  std::span<float> out() const { return {out_.as<float>(), std::size_t{tokens_} * shape_.rows}; }

  json row_of(const subject& of, const pair_times& times) {
    json row{{"model", shape_.model},     {"matrix", shape_.name}, {"rows", shape_.rows},
             {"columns", shape_.columns}, {"tokens", tokens_},     {"threads", threads_},
             {"product", of.maker.name}};
    if (of.made == nullptr || times.theirs.wall_ns.empty()) {
      row["reason"] = of.reason.empty() ? "nothing was there to stand beside it" : of.reason;
      return row;
    }
    const double ns = median_of(times.theirs.wall_ns);
    row["error_ratio"] = of.errors.largest();
    row["flops_per_s"] = std::round(problem_.flops() / ns * 1e9);
    row["flops_per_cpu_s"] = std::round(problem_.flops() / median_of(times.theirs.cpu_ns) * 1e9);
    row["bytes_per_s"] = std::round(of.made->bytes() / ns * 1e9);
    if (!of.made->detail().empty()) row["detail"] = of.made->detail();
    if (times.wall_ratios.empty()) return row;
    row["wall_ns"] = times.theirs.wall_ns;
    row["cpu_ns"] = times.theirs.cpu_ns;
    row["ours_wall_ns"] = times.ours.wall_ns;
    row["ours_cpu_ns"] = times.ours.cpu_ns;
    row["times_ours"] = median_of(times.wall_ratios);
    row["times_ours_by_cpu"] = median_of(times.cpu_ratios);
    return row;
  }

  matrix_shape shape_;
  std::uint32_t tokens_;
  std::uint32_t threads_;
  std::vector<std::uint16_t> weights_;
  huge_block x_;
  huge_block out_;
  product_problem problem_;
};

void print(const json& row) {
  const auto number = [&](const char* name) { return row[name].get<double>(); };
  fmt::print("| {} | {} | {} x {} | {} | {} | {} |", row["model"].get<std::string>(),
             row["matrix"].get<std::string>(), row["rows"].get<int>(), row["columns"].get<int>(),
             row["tokens"].get<int>(), row["threads"].get<int>(),
             row["product"].get<std::string>());
  if (row.contains("reason")) {
    fmt::print(" not measured: {} | | | | | |\n", row["reason"].get<std::string>());
    return;
  }
  fmt::print(" {:.1f} | {:.1f} | {:.1f} | {:.0e} |", number("flops_per_s") / 1e9,
             number("flops_per_cpu_s") / 1e9, number("bytes_per_s") / 1e9, number("error_ratio"));
  if (row.contains("times_ours"))
    fmt::print(" {:.2f} | {:.2f} |\n", number("times_ours"), number("times_ours_by_cpu"));
  else
    fmt::print(" | |\n");
}

// By product, threads and tokens: how many times as fast as ours, over the matrices.
void print_summary(const json& rows) {
  std::map<std::string, samples> found;
  for (const json& row : rows)
    if (row.contains("times_ours")) {
      samples& of = found[fmt::format("| {} | {} | {:3} |", row["product"].get<std::string>(),
                                      row["threads"].get<int>(), row["tokens"].get<int>())];
      of.wall_ns.push_back(row["times_ours"].get<double>());
      of.cpu_ns.push_back(row["times_ours_by_cpu"].get<double>());
    }
  fmt::print(
      "\n## As fast as ours, times\n\nMedian over the matrices, then lowest and highest.\n\n"
      "| product | threads | tokens | matrices | wall | lowest | highest | CPU | lowest | highest "
      "|\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const auto& [name, of] : found) {
    fmt::print("{} {} |", name, of.wall_ns.size());
    for (const std::vector<double>* each : {&of.wall_ns, &of.cpu_ns})
      fmt::print(" {:.2f} | {:.2f} | {:.2f} |", median_of(*each),
                 *std::min_element(each->begin(), each->end()),
                 *std::max_element(each->begin(), each->end()));
    fmt::print("\n");
  }
}

int run(const std::string& out_path, int pairs, std::string_view model, std::uint32_t only) {
  json report{{"instruction_set", ops::to_string(ops::best_isa())}, {"pairs", pairs}};
  for (const std::uint32_t threads : {1U, 2U}) {
    const double roof = fma_flops_per_s(threads);
    report["fma_flops_per_s"].push_back(roof);
    fmt::print("* multiply-adds between registers, {} threads: {:.1f} GFLOP/s\n", threads,
               roof / 1e9);
  }
  fmt::print(
      "\n## Every product\n\n"
      "| model | matrix | rows x columns | tokens | threads | product | GFLOP/s | by CPU | "
      "GB/s | error | times ours | by CPU |\n"
      "|---|---|---|---:|---:|---|---:|---:|---:|---:|---:|---:|\n");
  bool is_right = true;
  json rows = json::array();
  for (const matrix_shape& shape : shapes)
    for (const std::uint32_t tokens : token_counts)
      for (const std::uint32_t threads : {1U, 2U}) {
        if (!model.empty() && model != shape.model) continue;
        if (only != 0 && only != threads) continue;
        const std::size_t before = rows.size();
        is_right = bench_case(shape, tokens, threads).run(pairs, rows) && is_right;
        for (std::size_t i = before; i < rows.size(); ++i) print(rows[i]);
      }
  print_summary(rows);
  report["rows"] = std::move(rows);
  std::ofstream out(out_path);
  out << report.dump() << "\n";
  out.close();
  if (!out) return 3;
  return is_right ? 0 : 1;
}

}  // namespace
}  // namespace assay::campaigns

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5) {
    fmt::print(stderr, "usage: {} OUT.json PAIRS [MODEL [THREADS]]\n", argv[0]);
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const int pairs = std::max(1, std::atoi(argv[2]));
  return assay::campaigns::run(argv[1], pairs, argc > 3 ? argv[3] : "",
                               argc > 4 ? static_cast<std::uint32_t>(std::atoi(argv[4])) : 0);
}
