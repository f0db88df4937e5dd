// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/ingest/nvbench.h"

#include <array>
#include <bit>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "harness/ingest/complaint.h"
#include "harness/ingest/file_text.h"
#include "harness/ingest/json_cursor.h"
#include "harness/ingest/json_text.h"
#include "harness/ingest/row_book.h"
#include "harness/ingest/statistic.h"

namespace assay::ingest {
namespace {

constexpr std::string_view sample_tag = "nv/json/bin:nv/cold/sample_times";
// The best that a summary offers, first of these.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> time_tags{
    {{"nv/cold/time/gpu/min", least_of_summary},
     {"nv/cold/time/gpu/median", median_of_summary},
     {"nv/cold/time/gpu/mean", mean_of_summary}}};

bool has_tag(const json_cursor& summary, std::string_view wanted) {
  const auto tag = summary.find("tag");
  return tag && tag->value().is_string() && tag->value().get_ref<const std::string&>() == wanted;
}

// A summary holds named values; numbers in them are text.
result<std::optional<json_cursor>> named_value(const json_cursor& summary,
                                               std::string_view wanted) {
  const auto list = summary.find("data");
  if (!list) return std::nullopt;
  ASSAY_TRY_ASSIGN(const auto all, list->elements());
  for (const json_cursor& each : all) {
    const auto name = each.find("name");
    if (!name || !name->value().is_string() ||
        name->value().get_ref<const std::string&>() != wanted)
      continue;
    ASSAY_TRY_ASSIGN(const json_cursor value, each.at("value"));
    return std::optional(value);
  }
  return std::nullopt;
}

result<std::string> axis_words(const json_cursor& state) {
  std::string words;
  const auto axes = state.find("axis_values");
  if (!axes) return words;
  ASSAY_TRY_ASSIGN(const auto all, axes->elements());
  for (const json_cursor& each : all) {
    ASSAY_TRY_ASSIGN(const json_cursor name_at, each.at("name"));
    ASSAY_TRY_ASSIGN(const json_cursor value_at, each.at("value"));
    ASSAY_TRY_ASSIGN(const std::string name, name_at.text());
    words += fmt::format(
        " {}={}", name,
        value_at.value().is_string()
            ? value_at.value().get<std::string>()
            : value_at.value().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  return words;
}

class state_reader {
 public:
  state_reader(const json_cursor& state, const sample_file_reader& open)
      : state_(state), open_(open) {}

  /// Seconds; or why there are none in `failure`.
  result<std::vector<double>> times(std::string& failure, std::string_view& statistic) {
    statistic = best_of_samples;
    const auto list = state_.find("summaries");
    if (!list) return none(failure, "has no summaries");
    ASSAY_TRY_ASSIGN(const auto all, list->elements());
    for (const json_cursor& summary : all)
      if (has_tag(summary, sample_tag)) {
        ASSAY_TRY_ASSIGN(auto samples, from_file(summary, failure));
        if (!samples.empty() || !failure.empty()) return samples;
      }
    for (const auto& [tag, what] : time_tags)
      for (const json_cursor& summary : all) {
        if (!has_tag(summary, tag)) continue;
        ASSAY_TRY_ASSIGN(const auto value, named_value(summary, "value"));
        if (!value) continue;
        ASSAY_TRY_ASSIGN(const double seconds, value->number());
        statistic = what;
        return std::vector{seconds};
      }
    return none(failure, "has no cold GPU time");
  }

 private:
  static std::vector<double> none(std::string& failure, const char* why) {
    failure = why;
    return {};
  }

  // Without a name nvbench could not write the file: the summaries are all there is.
  result<std::vector<double>> from_file(const json_cursor& summary, std::string& failure) {
    ASSAY_TRY_ASSIGN(const auto name_at, named_value(summary, "filename"));
    ASSAY_TRY_ASSIGN(const auto size_at, named_value(summary, "size"));
    if (!name_at || !size_at) return std::vector<double>();
    ASSAY_TRY_ASSIGN(const std::string name, name_at->text());
    ASSAY_TRY_ASSIGN(const double count, size_at->number());
    if (!(count >= 0 && count < 1e9)) return size_at->refuse("is no count of samples");
    const auto bytes = open_(name);
    if (!bytes) return std::vector<double>();
    const auto samples = float32_samples(*bytes, static_cast<std::uint64_t>(count));
    if (!samples) {
      failure = fmt::format("its sample file has {} bytes and should have {} samples of 4",
                            bytes->size(), count);
      return std::vector<double>();
    }
    return *samples;
  }

  const json_cursor& state_;
  const sample_file_reader& open_;
};

result<void> read_state(const std::string& benchmark, const json_cursor& state,
                        const sample_file_reader& open, row_book& book) {
  ASSAY_TRY_ASSIGN(const std::string axes, axis_words(state));
  std::string name = benchmark + axes;
  if (const auto device = state.find("device"))
    name += fmt::format(" device={}", device->value().dump());
  model::sample_row& out = book.row(name, "gpu_time");
  const double factor = book.scale(out, "s");
  if (const auto skipped = state.find("is_skipped"); skipped && skipped->value() == true) {
    const auto reason = state.find("skip_reason");
    row_book::fail(out, "skipped: " + (reason && reason->value().is_string()
                                           ? printable(reason->value().get<std::string>())
                                           : std::string("no reason was given")));
    return {};
  }
  std::string failure;
  std::string_view statistic;
  ASSAY_TRY_ASSIGN(const auto times, state_reader(state, open).times(failure, statistic));
  if (!times.empty()) row_book::state_statistic(out, statistic);
  if (!failure.empty()) row_book::fail(out, failure);
  for (const double seconds : times) book.measure(out, 0, seconds * factor);
  return {};
}

}  // namespace

std::optional<std::vector<double>> float32_samples(std::string_view bytes, std::uint64_t count) {
  if (bytes.size() != 4 * count) return std::nullopt;
  std::vector<double> samples;
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    std::uint32_t bits = 0;
    for (std::size_t i = 4; i-- > 0;) bits = bits << 8U | static_cast<unsigned char>(bytes[at + i]);
    samples.push_back(std::bit_cast<float>(bits));
  }
  return samples;
}

result<model::sample_set> parse_nvbench(std::string_view text, std::string_view file,
                                        const sample_file_reader& open) {
  ASSAY_TRY_ASSIGN(const auto tree, parse_json(text, file));
  const json_cursor root(tree, file);
  ASSAY_TRY_ASSIGN(const json_cursor list, root.at("benchmarks"));
  ASSAY_TRY_ASSIGN(const auto benchmarks, list.elements());
  row_book book;
  for (const json_cursor& benchmark : benchmarks) {
    ASSAY_TRY_ASSIGN(const json_cursor name_at, benchmark.at("name"));
    ASSAY_TRY_ASSIGN(const std::string name, name_at.text());
    ASSAY_TRY_ASSIGN(const json_cursor states_at, benchmark.at("states"));
    ASSAY_TRY_ASSIGN(const auto states, states_at.elements());
    for (const json_cursor& state : states) ASSAY_TRY(read_state(name, state, open, book));
  }
  if (book.size() == 0) return list.refuse("has no state: nothing was measured");
  model::sample_set set;
  set.source = file;
  set.format = "nvbench JSON";
  if (const auto devices = root.find("devices")) {
    ASSAY_TRY_ASSIGN(const auto all, devices->elements());
    for (const json_cursor& each : all)
      if (const auto name = each.find("name"); name && name->value().is_string())
        // By number: a file of two devices is of one machine.
        set.environment.push_back(
            {fmt::format("device {}", set.environment.size()), name->value().get<std::string>()});
  }
  set.rows = std::move(book).finish();
  return set;
}

result<model::sample_set> parse_nvbench_file(std::string_view text, std::string_view file,
                                             std::string_view) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(std::string(file)).parent_path();
  return parse_nvbench(text, file, [&](const std::string& name) -> std::optional<std::string> {
    // A file from elsewhere may name any path: only what lies beside it is opened.
    const fs::path relative = fs::path(name).lexically_normal();
    if (relative.is_absolute() || relative.string().starts_with("..")) return std::nullopt;
    const auto bytes = file_text::open((folder / relative).string());
    return bytes ? std::optional(std::string(bytes->view())) : std::nullopt;
  });
}

}  // namespace assay::ingest
