// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/google_benchmark.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/ingest/complaint.h"
#include "harness/ingest/google_benchmark_rows.h"
#include "harness/ingest/json_text.h"

namespace assay::ingest {
namespace {

using nlohmann::json;

constexpr std::string_view how_to_write = "write it with --benchmark_out_format=json";
constexpr int deepest = 64;
constexpr std::size_t most_expected_rows = 1'000'000;

// What a key of a row is for.
enum class field : std::uint8_t {
  name,
  run_name,
  run_type,
  aggregate_name,
  time_unit,
  message,
  error_occurred,
  skipped,
  real_time,
  cpu_time,
  family,
  instance,
  fit,     // only a fit of a complexity has it
  unused,  // of the format, and nobody compares it
  other,
};

constexpr std::array<std::pair<std::string_view, field>, 21> fields{
    {{"name", field::name},
     {"family_index", field::family},
     {"per_family_instance_index", field::instance},
     {"run_name", field::run_name},
     {"run_type", field::run_type},
     {"repetitions", field::unused},
     {"repetition_index", field::unused},
     {"threads", field::unused},
     {"iterations", field::unused},
     {"real_time", field::real_time},
     {"cpu_time", field::cpu_time},
     {"time_unit", field::time_unit},
     {"aggregate_name", field::aggregate_name},
     {"aggregate_unit", field::unused},
     {"error_occurred", field::error_occurred},
     {"error_message", field::message},
     {"skipped", field::skipped},
     {"skip_message", field::message},
     {"cpu_coefficient", field::fit},
     {"real_coefficient", field::fit},
     {"rms", field::fit}}};

field field_of(std::string_view key) {
  for (const auto& [name, meaning] : fields)
    if (name == key) return meaning;
  return field::other;
}

// Facts of the context that must be equal for two sides' times to be comparable.
constexpr std::array<std::string_view, 3> environment_keys{"host_name", "num_cpus",
                                                           "library_build_type"};

bool is_environment(std::string_view key) {
  return std::find(environment_keys.begin(), environment_keys.end(), key) != environment_keys.end();
}

// Follows the parser: never more than one row in memory beside those that are done.
class reader final : public nlohmann::json_sax<json> {
 public:
  reader(std::string_view metric, std::size_t text_bytes, model::sample_set& into)
      : metric_(metric), into_(into), rows_(metric) {
    // A row without counters is written in 400 to 500 bytes. Only room: what is not used costs
    // nothing.
    rows_.expect(std::min(text_bytes / 400, most_expected_rows));
  }

  bool null() override {
    return scalar([] { return std::string("null"); });
  }
  bool boolean(bool value) override {
    if (in_row()) flag(value);
    return scalar([&] { return std::string(value ? "true" : "false"); });
  }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value), [&] { return fmt::format("{}", value); });
  }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<double>(value), [&] { return fmt::format("{}", value); });
  }
  bool number_float(number_float_t value, const string_t& text) override {
    return number(value, [&] { return text; });
  }
  bool string(string_t& value) override { return text(value); }
  bool binary(binary_t&) override { return refuse("is binary"); }

  bool start_object(std::size_t) override {
    if (depth_ == 0) has_root_ = true;
    if (depth_ == 1 && key_ == "benchmarks") return refuse("is an object, and must be a list");
    if (depth_ == 2 && section_ == section::benchmarks) row_.clear();
    if (depth_ == 1) section_ = key_ == "context" ? section::context : section::other;
    return enter();
  }
  bool end_object() override {
    --depth_;
    if (depth_ == 2 && section_ == section::benchmarks) return end_row();
    if (depth_ == 1) section_ = section::other;
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ == 0) return refuse("is a list, and must be an object with a list \"benchmarks\"");
    if (depth_ == 1) {
      section_ = key_ == "benchmarks" ? section::benchmarks : section::other;
      has_list_ = has_list_ || section_ == section::benchmarks;
    }
    if (depth_ == 2 && section_ == section::benchmarks)
      return refuse("is a list, and must be a row");
    return enter();
  }
  bool end_array() override {
    --depth_;
    if (depth_ == 1) section_ = section::other;
    return true;
  }
  bool key(string_t& name) override {
    if (depth_ <= 3) key_ = name;
    if (in_row()) {
      field_ = field_of(key_);
      is_wanted_ = (field_ == field::other || field_ == field::fit) && key_ == metric_;
    }
    return true;
  }
  bool parse_error(std::size_t byte, const std::string&, const json::exception&) override {
    broken_byte_ = byte;
    return false;
  }

  result<void> end(std::string_view file) {
    if (!has_root_) return refused(file, "$", "is no object", how_to_write);
    if (!has_list_) return refused(file, "$.benchmarks", "is missing", how_to_write);
    if (row_count_ == 0)
      return refused(file, "$.benchmarks", "is empty: nothing was measured",
                     "look at what the benchmark printed");
    return std::move(rows_).finish(file, into_);
  }
  failure why_stopped(std::string_view file, std::string_view text) const {
    if (!reason_.empty()) return refused(file, place(), reason_, how_to_write);
    return refused(file, place(), syntax_complaint(broken_byte_, text),
                   "have the benchmark write it again");
  }
  bool is_broken_syntax() const { return reason_.empty(); }

 private:
  enum class section { other, context, benchmarks };

  bool in_row() const { return depth_ == 3 && section_ == section::benchmarks; }

  bool enter() { return ++depth_ <= deepest || refuse("is nested too deep"); }

  bool refuse(std::string why) {
    reason_ = std::move(why);
    return false;
  }

  std::string place() const {
    if (depth_ == 0) return "$";
    if (section_ != section::benchmarks)
      return depth_ == 1 ? "$." + key_ : fmt::format("$.{}", key_);
    return depth_ >= 3 ? fmt::format("$.benchmarks[{}].{}", row_count_, key_)
                       : fmt::format("$.benchmarks[{}]", row_count_);
  }

  bool end_row() {
    if (row_.name.empty() && row_.run_name.empty()) {
      key_ = "name";
      ++depth_;
      return refuse("is missing or empty");
    }
    ++row_count_;
    rows_.add(row_);
    return true;
  }

  void flag(bool value) {
    if (field_ == field::error_occurred) row_.is_errored = value;
    if (field_ == field::skipped) row_.is_skipped = value;
  }

  template <class Text>
  bool number(double value, Text&& as_text) {
    if (!in_row()) return scalar(as_text);
    if (field_ < field::message) return refuse("is a number, and must be text");
    if (field_ == field::real_time) return set(row_.real_time, value);
    if (field_ == field::cpu_time) return set(row_.cpu_time, value);
    if (field_ == field::family) set(row_.family, index_of(value));
    if (field_ == field::instance) set(row_.instance, index_of(value));
    if (field_ == field::fit) row_.is_fit = true;
    if (is_wanted_) set(row_.wanted, value);
    return scalar(as_text);
  }

  // A counter may have the name of a key of the format, and comes after it: the first stays.
  template <class T>
  static bool set(std::optional<T>& into, T value) {
    if (!into) into = value;
    return true;
  }

  // What is no index is of no registration that another row has.
  static std::uint32_t index_of(double value) {
    constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
    return value >= 0 && value < most ? static_cast<std::uint32_t>(value) : most;
  }

  std::string* text_field() {
    switch (field_) {
      case field::name:
        return &row_.name;
      case field::run_name:
        return &row_.run_name;
      case field::run_type:
        return &row_.run_type;
      case field::aggregate_name:
        return &row_.aggregate_name;
      case field::time_unit:
        return &row_.time_unit;
      case field::message:
        return &row_.error_message;
      default:
        return nullptr;
    }
  }

  bool text(const std::string& value) {
    if (!in_row()) return scalar([&] { return value; });
    if (std::string* into = text_field()) {
      if (into->empty()) *into = value;
      return true;
    }
    if (field_ == field::real_time || field_ == field::cpu_time || is_wanted_) {
      const auto spelled = number_in(std::string_view(value));
      if (!spelled) return refuse("is text, and must be a number");
      return number(*spelled, [&] { return value; });
    }
    if (key_ == "big_o") row_.is_fit = true;
    return scalar([&] { return json(value).dump(-1, ' ', false, json::error_handler_t::replace); });
  }

  template <class Text>
  bool scalar(Text&& as_text) {
    if (depth_ == 0) return refuse("is no object");
    if (in_row()) {
      if (field_ == field::other) row_.kept.push_back({key_, as_text()});
    } else if (section_ == section::context && depth_ == 2) {
      auto& list = is_environment(key_) ? into_.environment : into_.facts;
      list.push_back({key_, as_text()});
    } else if (section_ == section::benchmarks && depth_ == 2) {
      return refuse("is no row");
    }
    return true;
  }

  std::string metric_;
  model::sample_set& into_;
  google_benchmark_rows rows_;
  google_benchmark_row row_;
  section section_ = section::other;
  field field_ = field::other;  // of the key that was read last
  bool is_wanted_ = false;      // that key is the counter that was asked for
  std::string key_;
  std::string reason_;
  std::size_t broken_byte_ = 0;
  std::size_t row_count_ = 0;
  int depth_ = 0;
  bool has_root_ = false;
  bool has_list_ = false;
};

}  // namespace

result<model::sample_set> parse_google_benchmark(std::string_view text, std::string_view file,
                                                 std::string_view metric) {
  const auto read = [&](std::string_view from, model::sample_set& into,
                        bool& is_worth_mending) -> result<void> {
    reader follows(metric, from.size(), into);
    if (json::sax_parse(from.begin(), from.end(), &follows)) return follows.end(file);
    is_worth_mending = follows.is_broken_syntax();
    return follows.why_stopped(file, text);
  };
  model::sample_set set;
  bool is_worth_mending = false;
  auto outcome = read(text, set, is_worth_mending);
  if (!outcome && is_worth_mending) {
    if (const auto mended = with_quoted_non_finite(text)) {
      set = {};
      outcome = read(*mended, set, is_worth_mending);
    }
  }
  if (!outcome) return failure(std::move(outcome).error());
  set.source = file;
  set.format = "Google Benchmark JSON";
  return set;
}

}  // namespace assay::ingest
