// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/audited_run.h"

#include <array>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "harness/audit/gates.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/memory_flags.h"
#include "harness/cli/observer_cost.h"
#include "harness/cli/recorder.h"
#include "harness/cli/references.h"
#include "harness/cli/run_clock.h"
#include "harness/cli/run_conditions.h"
#include "harness/cli/run_limit.h"
#include "harness/cli/scenario_table.h"
#include "harness/selftest/tapped_device.h"
#include "probes/process/host_account.h"
#include "probes/sentinel/content_check.h"
#include "probes/trace/contract_json.h"
#include "runtime/tokenizer/tokenizer.h"
#include "scenarios/ledger.h"
#include "scenarios/vocabulary_ledger.h"

namespace assay::cli {
namespace {

// A level is compared every so many steps: often enough to see it move, seldom enough to cost
// nothing.
constexpr std::uint32_t steps_between_levels = 16;
constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD

// Of the weights that arrived, this much is fetched back and compared, with each known answer.
constexpr std::int64_t looked_at_bytes = 65'536;

// One run from device to trace. Members are in the order in which they depend on each other.
class run {
 public:
  run(const run_options& options, std::span<const track> tracks, const progress& tell)
      : options_(options),
        tell_(tell),
        writer_(tracks),
        recorder_([this](trace::sink& to) { return backend_->drain(to); }, tracks),
        tracks_(tracks) {}

  result<void> go(const device_maker& make_device);

 private:
  result<void> open_device(const device_maker& make_device);
  void stand_before_device();
  result<void> load();
  void note_kept(request_evidence& to, std::size_t index) const;
  result<void> state_link_traffic(load_evidence& seen);
  result<void> request(std::size_t index);
  result<void> prefill(std::uint64_t index);
  result<void> begin_pass();
  result<void> stop_pass();
  result<void> decode_step(std::uint32_t step);
  void take_step(engine::step_result step);
  void take_text(std::string_view text);
  result<void> close_request();
  result<void> observe(std::vector<reference_value> values);
  result<void> report_content();
  result<void> between_windows();
  result<void> known_answers();
  result<void> unload();
  result<engine::engine_options> engine_options() const;
  result<void> read_shapes(load_evidence& seen);
  result<void> choose_weight();
  result<void> encode(std::size_t index, encode_time_evidence& time);
  result<void> encode_all();
  result<void> state_traffic();
  std::optional<scenarios::gpu_mode> mode_of_gpu() const;

  const run_options& options_;
  const progress& tell_;
  fan_out_writer writer_;
  std::unique_ptr<run_backend> backend_;
  recorder recorder_;
  std::span<const track> tracks_;

  std::optional<run_accounts> accounts_;
  std::optional<selftest::tapped_device> tapped_;
  device::device* seen_by_runtime_ = nullptr;
  std::unique_ptr<engine::decode_engine> engine_;
  std::optional<tokenizer::tokenizer> tokenizer_;
  std::optional<scenarios::vocabulary_ledger> vocabulary_;
  std::optional<probes::content_check> content_;
  /// A weight that stays on the device, and its first bytes as the file has them.
  const std::byte* looked_at_ = nullptr;
  std::vector<std::byte> expected_;
  std::optional<run_conditions> conditions_;

  std::vector<std::vector<std::int32_t>> prompts_;  ///< of each request, encoded

  bool has_stepped_ = false;  ///< some request took a step

  // Of the request that is open.
  assay_record before_pass_{};  ///< the caller's account
  request_evidence seen_;
  std::optional<tokenizer::stream_decoder> decoder_;
  std::vector<std::int32_t> received_;
  given_ids given_;  ///< over all requests
  engine::stop_reason stopped_ = engine::stop_reason::none;
  std::int64_t first_token_ns_ = 0;
};

result<void> run::open_device(const device_maker& make_device) {
  const bool is_gpu = options_.device == telemetry::device_class::cuda;
  ASSAY_TRY_ASSIGN(backend_,
                   is_gpu ? make_gpu_backend(options_) : make_host_backend(options_, make_device));
  stand_before_device();
  return {};
}

void run::stand_before_device() {
  std::vector<selftest::instrument*> instruments;
  for (const track& each : tracks_) instruments.push_back(each.instrument);
  tapped_.emplace(backend_->runtime_front(), instruments);
  // The honest instrument alone does not listen to calls: nothing is put in their way.
  seen_by_runtime_ = tracks_.size() > 1 ? &*tapped_ : &backend_->runtime_front();
}

// What was made from records that nobody took is no observation of nothing.
result<void> run::observe(std::vector<reference_value> values) {
  if (!backend_->has_records())
    std::erase_if(values, [](const reference_value& each) {
      return each.source == ASSAY_SOURCE_DEVICE_RECORDS;
    });
  return recorder_.observe(values);
}

result<void> run::report_content() {
  return backend_->has_records() ? content_->report(recorder_) : result<void>{};
}

// What no count says, or too few bytes, is a reference less, and the trace says why.
result<void> run::state_link_traffic(load_evidence& seen) {
  if (options_.device != telemetry::device_class::cuda) return {};
  const auto came_in = backend_->end_traffic_bytes();
  if (came_in) seen.link_bytes = *came_in;
  trace::run_facts facts;
  std::string words = came_in ? fmt::format("{} received by NVML's count", *came_in)
                              : "not counted: " + came_in.error().message;
  if (came_in && !is_traffic_telling(seen.link_bytes))
    words += ", too few to stand out of what else crosses the link";
  facts.add_fact(std::string(audit::link_bytes_fact), words);
  return recorder_.facts(trace::to_json(facts));
}

result<void> run::load() {
  tell_("loading " + options_.checkpoint.string());
  load_evidence seen;
  seen.on = options_.device;
  ASSAY_TRY_ASSIGN(const auto weight_files, scenarios::weight_files_of(options_.checkpoint));
  for (const std::filesystem::path& file : weight_files) {
    std::error_code why_not;
    seen.stat_file_bytes += static_cast<std::int64_t>(std::filesystem::file_size(file, why_not));
    if (why_not)
      return ASSAY_FAIL(io, file.string() + ": cannot be read; check the path and its permissions");
  }
  ASSAY_TRY_ASSIGN(const auto usage_before, probes::usage_of_this_thread());
  ASSAY_TRY_ASSIGN(const engine::engine_options wanted, engine_options());
  ASSAY_TRY(accounts_->start());
  backend_->begin_traffic();
  ASSAY_TRY(recorder_.begin_window(ASSAY_WINDOW_LOAD, 0));
  ASSAY_TRY_ASSIGN(engine_,
                   backend_->load(options_.checkpoint, *seen_by_runtime_, writer_, wanted));
  ASSAY_TRY(recorder_.stop());
  ASSAY_TRY(state_link_traffic(seen));
  ASSAY_TRY(accounts_->watch_workers(backend_->worker_tids()));
  ASSAY_TRY_ASSIGN(seen.caller, accounts_->since_start());
  ASSAY_TRY_ASSIGN(const auto usage_after, probes::usage_of_this_thread());
  seen.major_faults_count = (usage_after - usage_before).major_faults_count;
  ASSAY_TRY(read_shapes(seen));
  seen.has_passes = seen_.mode.has_passes = backend_->has_passes(seen.model, seen.cache);
  seen.span = recorder_.stopped_span();
  seen.weights = seen_.fill = recorder_.window_tally().of(telemetry::range::weights);
  seen.operations = recorder_.window_tally().operations();
  seen.arena_bytes = recorder_.window_tally().memory_bytes();
  seen.copy_ceiling_bytes_per_s =
      run_conditions::copy_ceiling_bytes_per_s(backend_->ceilings(), options_.device);
  seen_.copy_ceiling_bytes_per_s = seen.copy_ceiling_bytes_per_s;
  ASSAY_TRY(observe(references_of(seen)));
  ASSAY_TRY(recorder_.end_window());
  return {};
}

result<engine::engine_options> run::engine_options() const {
  engine::engine_options wanted{options_.context_tokens,
                                static_cast<std::uint32_t>(options_.page_tokens)};
  if (!is_limited(options_)) return wanted;
  ASSAY_TRY_ASSIGN(const scenarios::limit_shape given, limit_of(options_, *backend_));
  wanted.memory_limit_bytes = static_cast<std::uint64_t>(given.limit_bytes);
  wanted.reserved_bytes = static_cast<std::uint64_t>(given.reserved_bytes);
  wanted.residency = options_.residency;
  return wanted;
}

// What the ledger says of files, context and limit.
result<void> run::read_shapes(load_evidence& seen) {
  ASSAY_TRY_ASSIGN(seen.model, scenarios::read_model_shape(options_.checkpoint));
  seen.cache = {context_of(options_, seen.model), options_.page_tokens};
  if (is_limited(options_)) {
    ASSAY_TRY_ASSIGN(seen.limit, limit_of(options_, *backend_));
    ASSAY_TRY_ASSIGN(seen.paging,
                     paging_under(seen.limit, options_, *backend_, seen.model, seen.cache));
  }
  ASSAY_TRY(recorder_.facts(run_conditions::facts_of_shape(seen.model, options_.device)));
  seen_.model = seen.model;
  seen_.cache = seen.cache;
  seen_.paging = seen.paging;
  return {};
}

// Of the weights that arrived one stays in view; where none stays, nothing can be looked at.
result<void> run::choose_weight() {
  looked_at_ = engine_->embedding_address();
  std::string name = "model.embed_tokens.weight";
  if (looked_at_ == nullptr) {
    const auto first = engine_->first_resident();
    if (!first) return {};
    looked_at_ = first->address;
    name = first->name;
  }
  ASSAY_TRY_ASSIGN(expected_, scenarios::tensor_head(options_.checkpoint, name, looked_at_bytes));
  return {};
}

result<void> run::encode(std::size_t index, encode_time_evidence& time) {
  const scenarios::scenario_request& wanted = options_.scenario.requests[index];
  ASSAY_TRY(recorder_.begin_window(ASSAY_WINDOW_OTHER, index));
  // Each read of the CPU-time clock lies between two stamps: what the caller burnt outside of the
  // call is at most that long, whatever interrupted it there.
  const std::int64_t before_ns = host_now().ns;
  const std::int64_t cpu_before_ns = thread_cpu_ns();
  const std::int64_t begin_ns = host_now().ns;
  std::vector<std::int32_t> ids = tokenizer_->encode(wanted.prompt);
  const std::int64_t end_ns = host_now().ns;
  time.cpu_ns += thread_cpu_ns() - cpu_before_ns;
  time.around_ns += begin_ns - before_ns + host_now().ns - end_ns;
  time.span_ns += end_ns - begin_ns;
  ++time.calls;
  ASSAY_TRY(recorder_.stop());
  encode_evidence seen;
  seen.text_bytes = static_cast<std::int64_t>(wanted.prompt.size());
  seen.ids = static_cast<std::int64_t>(ids.size());
  seen.vocabulary_bytes = vocabulary_->written_bytes(ids);
  seen.is_text_normal = scenarios::is_surely_normal(wanted.prompt);
  seen.oracle_ids = wanted.oracle_prompt_tokens;
  prompts_.push_back(std::move(ids));
  ASSAY_TRY(observe(references_of(seen)));
  ASSAY_TRY(recorder_.end_window());
  return {};
}

result<void> run::encode_all() {
  encode_time_evidence time;
  const std::size_t prompts = options_.scenario.requests.size();
  ASSAY_TRY_ASSIGN(const auto usage_before, probes::usage_of_this_thread());
  ASSAY_TRY(accounts_->start());
  ASSAY_TRY(recorder_.begin_window(ASSAY_WINDOW_OTHER, prompts));
  for (std::size_t i = 0; i < prompts; ++i) ASSAY_TRY(encode(i, time));
  ASSAY_TRY(recorder_.stop());
  ASSAY_TRY_ASSIGN(time.caller, accounts_->since_start());
  ASSAY_TRY_ASSIGN(const auto usage_after, probes::usage_of_this_thread());
  time.major_faults_count = (usage_after - usage_before).major_faults_count;
  ASSAY_TRY(observe(references_of(time)));
  ASSAY_TRY(recorder_.end_window());
  return {};
}

result<void> run::state_traffic() {
  const auto shapes = shapes_of(options_.scenario, prompts_, seen_.cache.context_tokens);
  const auto* paging = seen_.paging ? &*seen_.paging : nullptr;
  return recorder_.facts(run_conditions::facts_of_traffic(
      {seen_.model, seen_.cache, shapes, mode_of_gpu(), paging}, !options_.scenario.stops_at_eos));
}

std::optional<scenarios::gpu_mode> run::mode_of_gpu() const {
  if (options_.device == telemetry::device_class::host) return std::nullopt;
  return scenarios::gpu_mode{!has_stepped_, seen_.mode.has_passes, options_.temperature > 0.0,
                             seen_.paging};
}

void run::take_text(std::string_view text) {
  seen_.text_bytes += static_cast<std::int64_t>(text.size());
  seen_.is_text_mended = seen_.is_text_mended || text.find(replacement) != text.npos;
}

void run::take_step(engine::step_result step) {
  stopped_ = step.stopped;
  received_.push_back(step.token);
  given_.take(step.token);
  take_text(decoder_->push(step.token));
}

// A pass lies between two readings of the caller's account, and holds neither: one costs some
// microseconds, which a short step would be called wrong for.
result<void> run::begin_pass() {
  ASSAY_TRY_ASSIGN(before_pass_, accounts_->read_caller());
  recorder_.mark_begin();
  return {};
}

result<void> run::stop_pass() {
  recorder_.mark_end();
  ASSAY_TRY_ASSIGN(const assay_record after, accounts_->read_caller());
  ASSAY_TRY(recorder_.stop());
  return recorder_.records(std::array{before_pass_, after});
}

result<void> run::prefill(std::uint64_t index) {
  const std::vector<std::int32_t>& ids = prompts_[index];
  ASSAY_TRY(recorder_.begin_window(ASSAY_WINDOW_REQUEST, index));
  ASSAY_TRY(accounts_->start());
  ASSAY_TRY(recorder_.begin_window(ASSAY_WINDOW_PREFILL, index));
  const step_label label(*backend_, "prefill", index);
  ASSAY_TRY(begin_pass());
  ASSAY_TRY(
      engine_->begin_request(ids, {options_.scenario.max_new_tokens, options_.temperature,
                                   options_.seed, options_.scenario.stops_at_eos, seen_.is_kept}));
  ASSAY_TRY_ASSIGN(const auto step, engine_->prefill());
  ASSAY_TRY(stop_pass());
  ASSAY_TRY_ASSIGN(seen_.prefill, recorder_.end_window());
  ASSAY_TRY_ASSIGN(seen_.prefill_caller, accounts_->since_start());
  seen_.prompt_ids = static_cast<std::int64_t>(ids.size());
  seen_.prefill_busy_ns = recorder_.window_tally().busy_ns();
  seen_.prefill_input_bytes = recorder_.window_tally().of(telemetry::range::inputs).bytes;
  const range_tally& compute = recorder_.window_tally().of(telemetry::range::compute);
  seen_.prefill_launches = compute.launches;
  seen_.prefill_launch_calls = compute.launch_calls;
  if (seen_.paging) seen_.overlap += recorder_.window_tally().overlap();
  first_token_ns_ = seen_.prefill.end_ns;
  take_step(step);
  return {};
}

result<void> run::decode_step(std::uint32_t step) {
  ASSAY_TRY(recorder_.begin_window(ASSAY_WINDOW_DECODE_STEP, step));
  ASSAY_TRY(begin_pass());
  ASSAY_TRY_ASSIGN(const auto given, [&] {
    const step_label label(*backend_, "decode step", step);
    return engine_->decode_step();
  }());
  ASSAY_TRY(stop_pass());
  ++seen_.asked_steps;
  if (step % steps_between_levels == 0)
    ASSAY_TRY(observe(
        references_of_levels(seen_, recorder_.request_tally(), seen_.prompt_ids + seen_.asked_steps,
                             {static_cast<std::int64_t>(engine_->kv_pages_by_walk()),
                              static_cast<std::int64_t>(engine_->kv_shared_pages_by_walk())})));
  ASSAY_TRY_ASSIGN(const auto span, recorder_.end_window());
  seen_.decode_steps_ns += span.length_ns();
  seen_.first_to_last_token_ns = span.end_ns - first_token_ns_;
  seen_.decode_busy_ns += recorder_.window_tally().busy_ns();
  if (seen_.paging) seen_.overlap += recorder_.window_tally().overlap();
  take_step(given);
  return {};
}

result<void> run::close_request() {
  take_text(decoder_->finish());
  seen_.received_ids = static_cast<std::int64_t>(received_.size());
  seen_.vocabulary_bytes = vocabulary_->text_bytes(received_);
  seen_.pages_by_walk = static_cast<std::int64_t>(engine_->kv_pages_by_walk());
  ASSAY_TRY(engine_->end_request());
  seen_.pages_by_walk_after = static_cast<std::int64_t>(engine_->kv_pages_by_walk());
  if (const std::byte* there = backend_->step_count_address()) {
    ASSAY_TRY_ASSIGN(const std::uint32_t steps, content_->fetch_count(there));
    seen_.device_steps = steps;
  }
  ASSAY_TRY(recorder_.stop());
  ASSAY_TRY(report_content());
  seen_.activity = recorder_.request_tally();
  ASSAY_TRY(observe(references_of(seen_)));
  ASSAY_TRY(recorder_.end_window());
  return {};
}

// A GPU keeps no prompt.
void run::note_kept(request_evidence& to, std::size_t index) const {
  if (!options_.scenario.keeps_first_prompt || to.on == telemetry::device_class::cuda) return;
  const auto shape = shapes_of(options_.scenario, prompts_, seen_.cache.context_tokens).at(index);
  to.is_kept = shape.is_kept;
  to.reused_ids = shape.reused_tokens;
  to.kept_ids = static_cast<std::int64_t>(prompts_.front().size());
}

result<void> run::request(std::size_t index) {
  tell_(fmt::format("request {} of {}", index + 1, options_.scenario.requests.size()));
  request_evidence fresh;
  fresh.on = options_.device;
  if (const auto mode = mode_of_gpu()) fresh.mode = *mode;
  fresh.model = seen_.model;
  fresh.cache = seen_.cache;
  fresh.paging = seen_.paging;
  fresh.fill = seen_.fill;
  fresh.copy_ceiling_bytes_per_s = seen_.copy_ceiling_bytes_per_s;
  fresh.read_ceiling_bytes_per_s =
      backend_->read_ceiling_bytes_per_s(scenarios::weight_bytes(seen_.model));
  fresh.spin_ns = options_.spin_ns;
  fresh.launch_threads = options_.threads;
  fresh.pages_by_walk_before = static_cast<std::int64_t>(engine_->kv_pages_by_walk());
  note_kept(fresh, index);
  seen_ = fresh;
  received_.clear();
  decoder_.emplace(*tokenizer_);
  ASSAY_TRY(prefill(index));
  ASSAY_TRY(accounts_->start());
  for (std::uint32_t step = 0; stopped_ == engine::stop_reason::none; ++step) {
    if (is_interrupted()) return ASSAY_FAIL(interrupted, "interrupted before the run was whole");
    ASSAY_TRY(decode_step(step));
  }
  ASSAY_TRY_ASSIGN(seen_.decode_caller, accounts_->since_start());
  has_stepped_ =
      has_stepped_ || scenarios::gpu_steps({seen_.prompt_ids, seen_.asked_steps}, seen_.mode) > 0;
  return close_request();
}

// Ceilings, and known answers each second, while no window is open.
result<void> run::between_windows() {
  ASSAY_TRY(backend_->sample_ceilings(recorder_));
  ASSAY_TRY(accounts_->sample(recorder_));
  ASSAY_TRY(conditions_->sample(recorder_));
  return backend_->are_known_answers_due(host_now()) ? known_answers() : result<void>{};
}

result<void> run::known_answers() {
  ASSAY_TRY(backend_->sample_clock(recorder_));
  ASSAY_TRY(backend_->issue_known_answers());
  if (looked_at_ != nullptr) ASSAY_TRY(content_->compare(looked_at_, expected_));
  ASSAY_TRY(recorder_.drain());
  ASSAY_TRY(backend_->report_known_answers(recorder_));
  return report_content();
}

result<void> run::unload() {
  backend_->close_known_answers();
  if (const auto facts = engine_->facts(); !facts.empty())
    ASSAY_TRY(recorder_.facts(run_conditions::facts_of_engine(facts)));
  ASSAY_TRY(recorder_.begin_window(ASSAY_WINDOW_OTHER, options_.scenario.requests.size() + 1));
  engine_.reset();
  ASSAY_TRY(recorder_.stop());
  ASSAY_TRY(observe(mode_of_gpu() ? references_of_gpu_unload(seen_.mode)
                                  : references_of_unload(seen_.paging)));
  ASSAY_TRY(recorder_.end_window());
  return {};
}

result<void> run::go(const device_maker& make_device) {
  ASSAY_TRY(recorder_.contract(trace::to_json(trace::catalog_rows(options_.device))));
  ASSAY_TRY_ASSIGN(accounts_, run_accounts::open());
  ASSAY_TRY(open_device(make_device));
  ASSAY_TRY_ASSIGN(conditions_, run_conditions::open(options_, *backend_));
  ASSAY_TRY(recorder_.facts(conditions_->facts_before()));
  tell_("measuring what this machine's memory can carry");
  ASSAY_TRY(backend_->calibrate(recorder_));
  ASSAY_TRY(conditions_->sample(recorder_));
  ASSAY_TRY(recorder_.facts(run_conditions::facts_of_ceilings(*backend_)));
  ASSAY_TRY_ASSIGN(tokenizer_,
                   tokenizer::tokenizer::load(options_.checkpoint / "tokenizer.json", writer_));
  ASSAY_TRY_ASSIGN(vocabulary_,
                   scenarios::vocabulary_ledger::read(options_.checkpoint / "tokenizer.json"));
  ASSAY_TRY(load());
  ASSAY_TRY(backend_->open_known_answers(engine_->compute_stream()));
  content_.emplace(backend_->front(), engine_->compute_stream());
  ASSAY_TRY(choose_weight());
  ASSAY_TRY(encode_all());
  ASSAY_TRY(state_traffic());
  for (std::size_t i = 0; i < options_.scenario.requests.size(); ++i) {
    ASSAY_TRY(between_windows());
    ASSAY_TRY(request(i));
  }
  ASSAY_TRY(conditions_->sample(recorder_));
  ASSAY_TRY(known_answers());
  ASSAY_TRY(unload());
  ASSAY_TRY(recorder_.facts(conditions_->facts_after(*backend_, given_)));
  ASSAY_TRY(
      recorder_.facts(observer_facts(options_, prompts_.front(), recorder_.records_a_step())));
  return recorder_.end();
}

}  // namespace

result<void> audited_run(const run_options& options, std::span<const track> tracks,
                         const progress& tell, const device_maker& make_device) {
  auto outcome = run(options, tracks, tell).go(make_device);
  tell("");
  return outcome;
}

}  // namespace assay::cli
