// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine/weight_paging.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "runtime/telemetry/check.h"
#include "runtime/telemetry/range.h"

namespace assay::engine {

using telemetry::counter_id;

weight_paging::weight_paging(checkpoint::checkpoint from, weight_schedule schedule,
                             std::shared_ptr<memory::arena> into, device::device& on,
                             telemetry::counter_writer& counters, memory::residency_kind kind,
                             submitter copies, std::unique_ptr<streamed_source> source)
    : from_(std::move(from)),
      schedule_(std::move(schedule)),
      arena_(std::move(into)),
      on_(on),
      counters_(counters),
      kind_(kind),
      copies_(std::move(copies)),
      proofs_(on),
      source_(std::move(source)),
      operators_(schedule_.operators.size()) {}

weight_paging::~weight_paging() {
  if (copies_.has_pending()) static_cast<void>(copies_.synchronize());
}

result<std::unique_ptr<weight_paging>> weight_paging::create(
    checkpoint::checkpoint from, std::shared_ptr<memory::arena> into, device::device& on,
    telemetry::counter_writer& counters, std::uint64_t budget_bytes, memory::residency_kind kind,
    std::unique_ptr<streamed_source> source) {
  ASSAY_TRY_ASSIGN(weight_schedule schedule, schedule_of(from.config(), from.weights()));
  ASSAY_TRY_ASSIGN(submitter copies, submitter::create(on, counters));
  std::unique_ptr<weight_paging> made(new weight_paging(std::move(from), std::move(schedule),
                                                        std::move(into), on, counters, kind,
                                                        std::move(copies), std::move(source)));
  ASSAY_TRY(made->take_stamps());
  ASSAY_TRY(made->make_events());
  for (const counter_id id : {counter_id::paging_admitted_bytes, counter_id::paging_admitted_count,
                              counter_id::paging_evicted_bytes, counter_id::paging_evictions_count})
    counters.add(id, 0);
  ASSAY_TRY(made->change_budget(budget_bytes));
  return made;
}

result<void> weight_paging::take_stamps() {
  std::set<std::filesystem::path> files;
  for (const scheduled_weight& each : schedule_.weights)
    files.insert(from_.weights().file_of(from_.weights().find(each.name)));
  for (const std::filesystem::path& file : files) {
    ASSAY_TRY_ASSIGN(auto stamp, checkpoint::file_stamp::of(file));
    stamps_.push_back(std::move(stamp));
  }
  return {};
}

result<void> weight_paging::make_events() {
  for (streamed_operator& each : operators_) {
    ASSAY_TRY_ASSIGN(each.copies, event_pair::create(on_));
    ASSAY_TRY_ASSIGN(each.wait, event_pair::create(on_));
    ASSAY_TRY_ASSIGN(each.read, on_.create_event());
  }
  return {};
}

result<void> weight_paging::change_budget(std::uint64_t budget_bytes) {
  ASSAY_TRY(check_ring());
  const auto placed_bytes = schedule_.placed_bytes();
  auto at = memory::place(schedule_.operators, placed_bytes, budget_bytes);
  if (!at)
    return ASSAY_FAIL(
        out_of_memory,
        "memory limit: " + std::to_string(budget_bytes) + " bytes for weights are less than the " +
            std::to_string(memory::least_budget_bytes(schedule_.operators, placed_bytes)) +
            " that streaming needs; raise the limit");
  if (kind_ == memory::residency_kind::lru && at->staging_bytes > 0) {
    at->is_resident.assign(at->is_resident.size(), false);
    at->resident_bytes = 0;
    at->staging_bytes = budget_bytes;
  }
  drop_all();
  return settle(*at, budget_bytes);
}

void weight_paging::drop_all() {
  counters_.add(counter_id::paging_evictions_count, kept_count_);
  counters_.add(counter_id::paging_evicted_bytes, kept_bytes_);
  note_resident(-kept_count_, -kept_bytes_);
  is_settled_ = false;
  held_.clear();
  residents_ = {};
  area_ = {};
  for (streamed_operator& each : operators_) each.is_staged = false;
}

result<void> weight_paging::settle(const memory::placement& at, std::uint64_t budget_bytes) {
  placed_ = at;
  resident_at_.assign(schedule_.weights.size(), nullptr);
  if (at.resident_bytes > 0) {
    ASSAY_TRY_ASSIGN(residents_, arena_->allocate(at.resident_bytes));
  }
  if (at.staging_bytes > 0) {
    ASSAY_TRY_ASSIGN(area_, arena_->allocate(at.staging_bytes));
  }
  ring_ = memory::staging_ring(at.staging_bytes);
  list_streamed();
  ASSAY_TRY(hold_streamed());
  const bool is_cache = kind_ == memory::residency_kind::lru;
  counters_.set(counter_id::paging_budget_bytes, static_cast<std::int64_t>(budget_bytes));
  counters_.set(counter_id::paging_staging_bytes,
                is_cache ? 0 : static_cast<std::int64_t>(at.staging_bytes));
  ASSAY_TRY(fill());
  // Whoever wrote to a file meanwhile has left weights of two kinds.
  ASSAY_TRY(check_files());
  point_residents();
  is_settled_ = true;
  return {};
}

void weight_paging::list_streamed() {
  resident_bytes_ = 0;
  for (std::size_t i = 0; i < operators_.size(); ++i) {
    streamed_operator& each = operators_[i];
    each.weights.clear();
    each.placed_bytes = each.content_bytes = 0;
    for (const std::uint32_t weight : schedule_.operators[i]) {
      const std::uint64_t bytes = schedule_.weights[weight].content.size();
      if (placed_.is_resident[weight]) {
        resident_bytes_ += bytes;
        continue;
      }
      each.weights.push_back(weight);
      each.placed_bytes += memory::granted_bytes(bytes);
      each.content_bytes += bytes;
    }
  }
}

// Behind the weights comes the embedding, where it is not among them: its rows are read from there.
result<void> weight_paging::hold_streamed() {
  if (!source_) return {};
  std::vector<std::span<const std::byte>> wanted(schedule_.weights.size() + 1);
  for (const streamed_operator& each : operators_)
    for (const std::uint32_t weight : each.weights)
      wanted[weight] = schedule_.weights[weight].content;
  // A tied head that is streamed is the table as well, and the last of the weights.
  const bool is_tied = from_.config().is_head_tied;
  if (!is_tied) wanted.back() = embedding_on_host();
  ASSAY_TRY(source_->hold(wanted, schedule_.weights.size() - (is_tied ? 1 : 0)));
  // Whoever wrote to a file while it was read has left something else in the source.
  return check_files();
}

std::span<const std::byte> weight_paging::content_of(std::uint32_t weight) const {
  return source_ ? source_->content(weight) : schedule_.weights[weight].content;
}

const std::byte* weight_paging::embedding_for_kernels() const {
  if (!from_.config().is_head_tied) return source_->content(schedule_.weights.size()).data();
  const auto head = static_cast<std::uint32_t>(schedule_.weights.size() - 1);
  return resident_at_[head] != nullptr ? resident_at_[head] : content_of(head).data();
}

// One bracket around the copies of the fill, as around those of a load without a limit.
result<void> weight_paging::fill() {
  counters_.add(counter_id::weights_h2d_bytes, 0);
  counters_.add(counter_id::weights_h2d_copies_count, 0);
  counters_.add(counter_id::checkpoint_loaded_tensors_count, 0);
  note_resident(0, 0);
  if (resident_bytes_ == 0) return {};
  const device::scoped_range label(on_, telemetry::range::weights);
  ASSAY_TRY_ASSIGN(const event_pair bracket, event_pair::create(on_));
  ASSAY_TRY(copies_.record(bracket.before));
  auto copied = copy_resident(copies_);
  if (copied) copied = copies_.record(bracket.after);
  // Waits even where a copy was refused: what it fills is given back then.
  ASSAY_TRY(copies_.synchronize());
  if (!copied) return copied;
  ASSAY_TRY_ASSIGN(const std::int64_t h2d_ns, copies_.elapsed_ns(bracket));
  counters_.add(counter_id::weights_h2d_ns, h2d_ns);
  if (h2d_ns > 0)
    counters_.set_real(counter_id::weights_h2d_bytes_per_s,
                       static_cast<double>(resident_bytes_) * 1e9 / static_cast<double>(h2d_ns));
  return {};
}

result<void> weight_paging::copy_resident(submitter& transfer) {
  std::byte* at = residents_.address();
  for (std::size_t i = 0; i < schedule_.weights.size(); ++i) {
    if (!placed_.is_resident[i]) continue;
    const auto content = schedule_.weights[i].content;
    ASSAY_TRY(transfer.copy(at, content.data(), content.size(), device::copy_direction::h2d));
    const auto bytes = static_cast<std::int64_t>(content.size());
    counters_.add(counter_id::weights_h2d_bytes, bytes);
    counters_.add(counter_id::weights_h2d_copies_count, 1);
    counters_.add(counter_id::checkpoint_loaded_tensors_count, 1);
    counters_.add(counter_id::paging_admitted_bytes, bytes);
    counters_.add(counter_id::paging_admitted_count, 1);
    note_resident(1, bytes);
    resident_at_[i] = at;
    at += memory::granted_bytes(content.size());
  }
  return {};
}

void weight_paging::bind(resident_model& model) {
  slots_ = slots_of(model);
  ASSAY_CHECK(slots_.size() == schedule_.weights.size(),
              "the model has other weights than its schedule");
  point_residents();
}

void weight_paging::point_residents() {
  for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i]->data = resident_at_[i];
}

void weight_paging::note_resident(std::int64_t count, std::int64_t bytes) {
  kept_count_ += count;
  kept_bytes_ += bytes;
  counters_.set(counter_id::paging_resident_count, kept_count_);
  counters_.set(counter_id::paging_resident_bytes, kept_bytes_);
}

std::span<const std::byte> weight_paging::embedding_on_host() const {
  const checkpoint::tensor_view* const table = from_.weights().find("model.embed_tokens.weight");
  ASSAY_CHECK(table != nullptr, "an opened checkpoint lacks its embedding");
  return table->bytes;
}

std::optional<std::pair<std::uint32_t, const std::byte*>> weight_paging::first_resident() const {
  for (std::uint32_t i = 0; i < resident_at_.size(); ++i)
    if (resident_at_[i] != nullptr) return std::pair{i, resident_at_[i]};
  return std::nullopt;
}

}  // namespace assay::engine
