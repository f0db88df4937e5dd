// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "probes/gpu_link/gpu_link_probe.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "probes/gpu_link/gpu_memory.h"
#include "probes/gpu_link/held_stream.h"
#include "probes/gpu_link/link_kernels.h"
#include "probes/gpu_link/transfer_book.h"
#include "probes/gpu_link/word_pattern.h"

namespace assay::probes {
namespace {

using telemetry::link_class;

constexpr std::uint64_t part_of_free = 8;
constexpr std::uint64_t least_caches = 3;  // a set that the L2 cache holds would be read from there
// While this many copies run, NVML has time to answer: 40 ms on a link of the fifth generation.
constexpr int copies_while_asking = 16;
// Between two requests there is less of it: where the answer comes too late, that sample has none.
constexpr int copies_between_requests = 6;

failure lost_bytes(std::string_view way) {
  return ASSAY_FAIL(internal, "GPU link probe: " + std::string(way) +
                                  " did not move every byte; its rate is no ceiling");
}

result<std::int64_t> attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  ASSAY_CUDA_CALL(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

}  // namespace

struct gpu_link_probe::parts {
  gpu_link_options options;
  std::unique_ptr<held_stream> stream;
  pinned_words sent;
  pinned_words received;
  device_words there;
  device_words sums;
  std::vector<std::uint64_t> pageable;
  word_pattern pattern;
  std::uint64_t fetch_count = 0;
  transfer_book book;
  result<link_state> under_load = ASSAY_FAIL(unavailable, "no copy ran");

  result<void> open();
  result<void> keep(const gpu_transfer& moved, trace::sink& to);
  result<bool> holds(const device_words& words, std::uint64_t from_word, std::uint64_t bytes,
                     std::uint64_t expected);
  result<void> clear_sums();
  result<std::uint64_t> total_of_sums();

  result<void> send(std::optional<gpu_transfer>& into);
  result<void> fetch(std::optional<gpu_transfer>& into);
  result<void> send_pageable(std::optional<gpu_transfer>& into);
  result<void> read(const device_words& set, int& passes, std::optional<gpu_transfer>& into);
  result<void> copy(const device_words& set, int& passes, std::optional<gpu_transfer>& into);

  using one_transfer = std::function<result<void>(std::optional<gpu_transfer>&)>;
  result<void> measure(const one_transfer& once, trace::sink& to);
  result<std::uint64_t> device_set_bytes() const;
  result<void> measure_device(trace::sink& to);
  result<void> bound_memory();
  result<link_state> ask_link(int copies);
  void bound_link();
};

result<void> gpu_link_probe::parts::open() {
  for (const std::uint64_t bytes :
       {options.copy_bytes, options.pageable_bytes, options.device_set_bytes})
    if (bytes == 0 || bytes % kernel_block_bytes != 0)
      return ASSAY_FAIL(usage, "GPU link probe: " + std::to_string(bytes) +
                                   " bytes; give a multiple of " +
                                   std::to_string(kernel_block_bytes));
  ASSAY_CUDA_CALL(cudaSetDevice(options.device));
  ASSAY_TRY_ASSIGN(stream, held_stream::create());
  ASSAY_TRY_ASSIGN(sent, pinned_words::create(options.copy_bytes));
  ASSAY_TRY_ASSIGN(received, pinned_words::create(options.copy_bytes));
  ASSAY_TRY_ASSIGN(there,
                   device_words::create(std::max(options.copy_bytes, options.pageable_bytes)));
  ASSAY_TRY_ASSIGN(sums, device_words::create(partial_sums * sizeof(std::uint64_t)));
  pattern.fill(sent.words());
  pageable.resize(options.pageable_bytes / sizeof(std::uint64_t));
  pattern.fill(pageable);
  return {};
}

result<void> gpu_link_probe::parts::keep(const gpu_transfer& moved, trace::sink& to) {
  ASSAY_TRY_ASSIGN(const assay_record record, book.take(moved));
  return to.records(std::span(&record, 1));
}

result<void> gpu_link_probe::parts::clear_sums() {
  ASSAY_CUDA_CALL(cudaMemsetAsync(sums.data(), 0, sums.bytes(), stream->native()));
  return {};
}

result<std::uint64_t> gpu_link_probe::parts::total_of_sums() {
  std::array<std::uint64_t, partial_sums> all{};
  ASSAY_CUDA_CALL(cudaMemcpyAsync(all.data(), sums.data(), sizeof all, cudaMemcpyDeviceToHost,
                                  stream->native()));
  ASSAY_CUDA_CALL(cudaStreamSynchronize(stream->native()));
  return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
}

result<bool> gpu_link_probe::parts::holds(const device_words& words, std::uint64_t from_word,
                                          std::uint64_t bytes, std::uint64_t expected) {
  ASSAY_TRY(clear_sums());
  ASSAY_CUDA_CALL(enqueue_sum(stream->native(), words.data() + from_word, bytes, sums.data()));
  ASSAY_TRY_ASSIGN(const std::uint64_t total, total_of_sums());
  return total == expected;
}

result<void> gpu_link_probe::parts::send(std::optional<gpu_transfer>& into) {
  // What an earlier copy left would pass for this one's.
  ASSAY_CUDA_CALL(cudaMemsetAsync(there.data(), 0, there.bytes(), stream->native()));
  ASSAY_TRY_ASSIGN(const held_span span, stream->time([this]() -> result<void> {
    ASSAY_CUDA_CALL(cudaMemcpyAsync(there.data(), sent.data(), sent.bytes(), cudaMemcpyHostToDevice,
                                    stream->native()));
    return {};
  }));
  ASSAY_TRY_ASSIGN(const bool is_there, holds(there, 0, sent.bytes(), pattern.sum(sent.count())));
  if (!is_there) return lost_bytes("pinned h2d");
  into = gpu_transfer{ASSAY_LINK_PCIE, "pinned h2d", sent.bytes(), span.took_ns,
                      span.released,   span.done,    sent.bytes()};
  return {};
}

result<void> gpu_link_probe::parts::fetch(std::optional<gpu_transfer>& into) {
  // Another first word each time: nothing that an earlier copy left is taken for this one's.
  const word_pattern fresh{++fetch_count};
  ASSAY_CUDA_CALL(enqueue_fill(stream->native(), there.data(), received.bytes(), fresh.first,
                               word_pattern::step));
  ASSAY_TRY_ASSIGN(const held_span span, stream->time([this]() -> result<void> {
    ASSAY_CUDA_CALL(cudaMemcpyAsync(received.data(), there.data(), received.bytes(),
                                    cudaMemcpyDeviceToHost, stream->native()));
    return {};
  }));
  if (!fresh.is_in(received.words())) return lost_bytes("pinned d2h");
  into = gpu_transfer{ASSAY_LINK_PCIE, "pinned d2h", received.bytes(), span.took_ns,
                      span.released,   span.done,    received.bytes()};
  return {};
}

result<void> gpu_link_probe::parts::send_pageable(std::optional<gpu_transfer>& into) {
  const std::uint64_t bytes = options.pageable_bytes;
  ASSAY_CUDA_CALL(cudaMemsetAsync(there.data(), 0, there.bytes(), stream->native()));
  ASSAY_CUDA_CALL(cudaStreamSynchronize(stream->native()));
  // The driver stages through memory of its own and needs the stream for it: behind a kernel that
  // waits for the host, both would wait.
  const host_time from = host_now();
  ASSAY_CUDA_CALL(cudaMemcpyAsync(there.data(), pageable.data(), bytes, cudaMemcpyHostToDevice,
                                  stream->native()));
  ASSAY_CUDA_CALL(cudaStreamSynchronize(stream->native()));
  const host_time to = host_now();
  ASSAY_TRY_ASSIGN(const bool is_there, holds(there, 0, bytes, pattern.sum(pageable.size())));
  if (!is_there) return lost_bytes("pageable h2d");
  into = gpu_transfer{ASSAY_LINK_PCIE_PAGEABLE, "pageable h2d", bytes, to - from, from, to, bytes};
  return {};
}

namespace {

// After a sample that was too short: as many passes as would have been long enough, and a half
// more.
int longer(int passes, std::int64_t took_ns) {
  if (took_ns >= transfer_book::least_transfer_ns) return passes;
  const std::int64_t wanted = transfer_book::least_transfer_ns * 3 / 2;
  return static_cast<int>(passes * wanted / std::max<std::int64_t>(took_ns, 1)) + 1;
}

}  // namespace

result<void> gpu_link_probe::parts::read(const device_words& set, int& passes,
                                         std::optional<gpu_transfer>& into) {
  ASSAY_TRY(clear_sums());
  const int made = passes;
  ASSAY_TRY_ASSIGN(const held_span span, stream->time([&]() -> result<void> {
    for (int i = 0; i < made; ++i)
      ASSAY_CUDA_CALL(enqueue_sum(stream->native(), set.data(), set.bytes(), sums.data()));
    return {};
  }));
  const auto times = static_cast<std::uint64_t>(made);
  ASSAY_TRY_ASSIGN(const std::uint64_t total, total_of_sums());
  if (total != times * pattern.sum(set.count())) return lost_bytes("16-byte loads");
  passes = longer(passes, span.took_ns);
  if (passes == made)
    into = gpu_transfer{ASSAY_LINK_DEVICE_READ, "16-byte loads", times * set.bytes(), span.took_ns,
                        span.released,          span.done,       set.bytes()};
  return {};
}

result<void> gpu_link_probe::parts::copy(const device_words& set, int& passes,
                                         std::optional<gpu_transfer>& into) {
  const std::uint64_t half_words = set.count() / 2;
  const std::uint64_t bytes = set.bytes() / 2;
  std::uint64_t* const upper = set.data() + half_words;
  ASSAY_CUDA_CALL(cudaMemsetAsync(upper, 0, bytes, stream->native()));
  const int made = passes;
  ASSAY_TRY_ASSIGN(const held_span span, stream->time([&]() -> result<void> {
    for (int i = 0; i < made; ++i)
      ASSAY_CUDA_CALL(
          cudaMemcpyAsync(upper, set.data(), bytes, cudaMemcpyDeviceToDevice, stream->native()));
    return {};
  }));
  ASSAY_TRY_ASSIGN(const bool is_there, holds(set, half_words, bytes, pattern.sum(half_words)));
  if (!is_there) return lost_bytes("copy within the device");
  passes = longer(passes, span.took_ns);
  if (passes == made)
    into = gpu_transfer{ASSAY_LINK_DEVICE_COPY,
                        "copy within the device",
                        static_cast<std::uint64_t>(made) * bytes,
                        span.took_ns,
                        span.released,
                        span.done,
                        set.bytes()};
  return {};
}

result<void> gpu_link_probe::parts::measure(const one_transfer& once, trace::sink& to) {
  std::optional<gpu_transfer> moved;
  ASSAY_TRY(once(moved));  // warms, and says how many passes a sample needs
  for (int i = 0; i < options.samples; ++i) {
    moved.reset();
    ASSAY_TRY(once(moved));
    if (moved) ASSAY_TRY(keep(*moved, to));
  }
  return {};
}

result<std::uint64_t> gpu_link_probe::parts::device_set_bytes() const {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  ASSAY_CUDA_CALL(cudaMemGetInfo(&free_bytes, &total_bytes));
  constexpr std::uint64_t halves = 2 * kernel_block_bytes;
  const std::uint64_t bytes =
      std::min<std::uint64_t>(options.device_set_bytes, free_bytes / part_of_free) / halves *
      halves;
  ASSAY_TRY_ASSIGN(const std::int64_t cache_bytes,
                   attribute(cudaDevAttrL2CacheSize, options.device));
  if (bytes < least_caches * static_cast<std::uint64_t>(cache_bytes))
    return ASSAY_FAIL(out_of_memory, "a set of " + std::to_string(bytes) +
                                         " bytes (an eighth of the " + std::to_string(free_bytes) +
                                         " free) is less than three times the L2 cache of " +
                                         std::to_string(cache_bytes) + "; free device memory");
  return bytes;
}

result<void> gpu_link_probe::parts::measure_device(trace::sink& to) {
  ASSAY_TRY_ASSIGN(const std::uint64_t bytes, device_set_bytes());
  ASSAY_TRY_ASSIGN(const device_words set, device_words::create(bytes));
  ASSAY_CUDA_CALL(
      enqueue_fill(stream->native(), set.data(), bytes, pattern.first, word_pattern::step));
  // Once without a hold: what the driver loads at a first copy might wait for the kernel that
  // holds.
  ASSAY_CUDA_CALL(cudaMemcpyAsync(set.data() + set.count() / 2, set.data(), bytes / 2,
                                  cudaMemcpyDeviceToDevice, stream->native()));
  ASSAY_CUDA_CALL(
      enqueue_fill(stream->native(), set.data(), bytes, pattern.first, word_pattern::step));
  int read_passes = 1;
  ASSAY_TRY(measure([&](auto& into) { return read(set, read_passes, into); }, to));
  int copy_passes = 1;
  return measure([&](auto& into) { return copy(set, copy_passes, into); }, to);
}

result<void> gpu_link_probe::parts::bound_memory() {
  ASSAY_TRY_ASSIGN(const std::int64_t clock_khz,
                   attribute(cudaDevAttrMemoryClockRate, options.device));
  ASSAY_TRY_ASSIGN(const std::int64_t bus_bits,
                   attribute(cudaDevAttrGlobalMemoryBusWidth, options.device));
  ASSAY_TRY_ASSIGN(const double hard, raw_memory_bytes_per_s(clock_khz, bus_bits));
  const std::string how =
      "2 x " + std::to_string(clock_khz) + " kHz x " + std::to_string(bus_bits / 8) + " bytes";
  book.set_hard(link_class::device_read, hard, how);
  book.set_hard(link_class::device_copy, hard / 2, how + ", read and written");
  return {};
}

result<link_state> gpu_link_probe::parts::ask_link(int copies) {
  result<link_state> seen = ASSAY_FAIL(unavailable, "no copy ran");
  bool was_running = false;
  const auto copied = stream->time(
      [&]() -> result<void> {
        for (int i = 0; i < copies; ++i)
          ASSAY_CUDA_CALL(cudaMemcpyAsync(there.data(), sent.data(), sent.bytes(),
                                          cudaMemcpyHostToDevice, stream->native()));
        return {};
      },
      [&] {
        seen = options.read_link();
        was_running = stream->is_busy();
      });
  if (!copied) return failure(copied.error());
  if (seen && !was_running)
    return ASSAY_FAIL(
        unavailable,
        "the copies had ended before the link's state was read, and an idle link trains down");
  return seen;
}

void gpu_link_probe::parts::bound_link() {
  if (!options.read_link) return;
  under_load = ask_link(copies_while_asking);
  const auto raw = under_load.and_then(raw_link_bytes_per_s);
  if (!raw) {
    book.set_no_hard(link_class::pcie, raw.error().message);
    book.set_no_hard(link_class::pcie_pageable, raw.error().message);
    return;
  }
  const std::string how = "PCIe generation " + std::to_string(under_load->generation) + " x" +
                          std::to_string(under_load->width) + " while copies ran";
  book.set_hard(link_class::pcie, *raw, how);
  book.set_hard(link_class::pcie_pageable, *raw, how);
}

gpu_link_probe::gpu_link_probe(std::unique_ptr<parts> all) : parts_(std::move(all)) {}
gpu_link_probe::~gpu_link_probe() = default;

result<std::unique_ptr<gpu_link_probe>> gpu_link_probe::create(const gpu_link_options& options) {
  auto all = std::make_unique<parts>();
  all->options = options;
  for (const link_class link : {link_class::pcie, link_class::pcie_pageable})
    all->book.set_no_hard(link, "nobody was there to read the link's generation and width");
  ASSAY_TRY(all->open());
  return std::unique_ptr<gpu_link_probe>(new gpu_link_probe(std::move(all)));
}

result<void> gpu_link_probe::calibrate(trace::sink& to) {
  parts& all = *parts_;
  ASSAY_TRY(all.measure([&](auto& into) { return all.send(into); }, to));
  ASSAY_TRY(all.measure([&](auto& into) { return all.fetch(into); }, to));
  ASSAY_TRY(all.measure([&](auto& into) { return all.send_pageable(into); }, to));
  all.bound_link();
  if (const auto bounded = all.bound_memory(); !bounded)
    for (const link_class link : {link_class::device_read, link_class::device_copy})
      all.book.set_no_hard(link, bounded.error().message);
  const auto measured = all.measure_device(to);
  if (measured || measured.error().kind != error_kind::out_of_memory) return measured;
  for (const link_class link : {link_class::device_read, link_class::device_copy})
    all.book.set_no_soft(link, measured.error().message);
  return {};
}

result<void> gpu_link_probe::sample(trace::sink& to) {
  std::optional<gpu_transfer> moved;
  ASSAY_TRY(parts_->send(moved));
  ASSAY_TRY(parts_->keep(*moved, to));
  ASSAY_TRY(parts_->fetch(moved));
  if (parts_->options.read_link) parts_->under_load = parts_->ask_link(copies_between_requests);
  return parts_->keep(*moved, to);
}

result<link_state> gpu_link_probe::link_under_load() const {
  return parts_->under_load;
}

std::vector<trace::link_ceiling> gpu_link_probe::ceilings() const {
  return parts_->book.ceilings();
}

}  // namespace assay::probes
