// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, the ground truth itself could be short of a record and still judge every counter.
//
// CUPTI has one session a process: the tests stand in an order, and the one that starves it needs a
// process of its own.
#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>
#include <vector>

#include "probes/cupti/cupti_probe.h"
#include "probes/cupti/gpu_run_probe.h"
#include "runtime/device/cuda/cuda_device.h"
#include "runtime/device/cuda/pinned_staging.h"
#include "runtime/graph/captured_step.h"
#include "runtime/graph/prefill_pass.h"
#include "runtime/telemetry/clock.h"
#include "tests/gpu/gpu_gate.h"
#include "tests/gpu/small_model.h"

namespace assay::test {
namespace {

using probes::cupti_probe;
using probes::cupti_tally;

class record_list final : public trace::sink {
 public:
  result<void> contract(std::string_view) override { return {}; }
  result<void> facts(std::string_view) override { return {}; }
  result<void> records(std::span<const assay_record> more) override {
    all.insert(all.end(), more.begin(), more.end());
    return {};
  }
  result<void> snapshot(std::int64_t, std::span<const assay_reading>) override { return {}; }
  result<void> end() override { return {}; }

  std::vector<assay_record> of(std::uint8_t kind, std::uint8_t op) const {
    std::vector<assay_record> found;
    for (const assay_record& each : all)
      if (each.kind == kind && each.op == op) found.push_back(each);
    return found;
  }
  std::vector<assay_record> all;
};

graph::decode_shape two_layers() {
  graph::decode_shape shape;
  shape.hidden = 256;
  shape.intermediate = 512;
  shape.layers = 2;
  shape.heads = 4;
  shape.kv_heads = 2;
  shape.head_dim = 64;
  shape.vocab_rows = 500;
  shape.page_tokens = 16;
  shape.context_pages = 8;
  shape.eps = 1e-6F;
  return shape;
}

constexpr std::uint64_t odd_bytes = (std::uint64_t{64} << 20) + 4099;
constexpr std::uint64_t small_bytes = 123'457;
constexpr std::uint32_t replays = 20;
constexpr std::uint32_t eager_steps = 3;

constexpr std::uint64_t hidden_bytes = 4'099;
constexpr std::uint32_t hidden_replays = 2;

/// A copy that only its graph's launch asks for.
result<void> hidden_copies(const device::pinned_buffer& host, std::byte* device,
                           cudaStream_t stream) {
  graph::captured_step copy(stream, [&]() -> result<void> {
    ASSAY_CUDA_TRY(
        cudaMemcpyAsync(device, host.data(), hidden_bytes, cudaMemcpyHostToDevice, stream));
    return {};
  });
  for (std::uint32_t i = 0; i < hidden_replays; ++i) ASSAY_TRY(copy.run());
  return {};
}

/// Copies and steps with a known number of everything.
result<void> known_work(const small_model& model, const device::pinned_buffer& host,
                        std::byte* device, cudaStream_t stream, std::uint32_t& launches) {
  ops::cuda::launch_site site;
  site.stream = stream;
  const graph::decode_step step = model.step(site);
  launches = step.launches();
  ASSAY_CUDA_TRY(cudaMemcpyAsync(device, host.data(), odd_bytes, cudaMemcpyHostToDevice, stream));
  ASSAY_CUDA_TRY(cudaMemcpyAsync(device, host.data(), small_bytes, cudaMemcpyHostToDevice, stream));
  ASSAY_CUDA_TRY(
      cudaMemcpyAsync(device + odd_bytes, device, small_bytes, cudaMemcpyDeviceToDevice, stream));
  ASSAY_CUDA_TRY(cudaMemsetAsync(device, 7, 4097, stream));
  graph::captured_step replayed(stream, [&] { return step.submit(); });
  for (std::uint32_t i = 0; i < replays; ++i) ASSAY_TRY(replayed.run());
  for (std::uint32_t i = 0; i < eager_steps; ++i) ASSAY_TRY(step.submit());
  ASSAY_TRY(hidden_copies(host, device, stream));
  const std::vector<std::byte> pageable(small_bytes);
  ASSAY_CUDA_TRY(
      cudaMemcpyAsync(device, pageable.data(), small_bytes, cudaMemcpyHostToDevice, stream));
  ASSAY_CUDA_TRY(cudaMemcpyAsync(host.data(), device, 1, cudaMemcpyDeviceToHost, stream));
  ASSAY_CUDA_TRY(cudaStreamSynchronize(stream));
  return {};
}

/// Copies that carry the correlation of a launch.
std::uint32_t hidden_copies_of_launches(const record_list& seen) {
  std::uint32_t hidden = 0;
  for (const assay_record& launch : seen.of(ASSAY_SUBMISSION, ASSAY_OP_LAUNCH))
    for (const assay_record& copy : seen.of(ASSAY_ACTIVITY, ASSAY_OP_COPY))
      if (copy.correlation == launch.correlation && copy.amount == std::int64_t{hidden_bytes})
        ++hidden;
  return hidden;
}

/// 100 us: the driver's own conversion of device times, beside the bracket's error.
void expect_times_within(const record_list& seen, std::int64_t begin_ns, std::int64_t end_ns,
                         std::int64_t error_ns) {
  const std::int64_t slack_ns = error_ns + 100'000;
  for (const assay_record& each : seen.all) {
    if (each.kind != ASSAY_ACTIVITY) continue;
    ASSERT_GE(each.start_ns, begin_ns - slack_ns);
    ASSERT_LE(each.end_ns, end_ns + slack_ns);
    ASSERT_LE(each.start_ns, each.end_ns);
  }
}

TEST(Cupti1Holder, is_named_where_somebody_else_has_it) {
  ASSAY_NEEDS_GPU();
  const auto library = probes::cupti_library::load();
  ASSERT_TRUE(library) << library.error().message;
  CUpti_SubscriberHandle other = nullptr;
  CUpti_SubscriberParams parameters{};
  parameters.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
  parameters.subscriberName = "somebody else";
  const auto ignore = [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {};
  ASSERT_EQ((*library)->subscribe(&other, ignore, nullptr, &parameters), CUPTI_SUCCESS);
  const auto refused = cupti_probe::open();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, error_kind::unavailable);
  EXPECT_NE(refused.error().message.find("somebody else"), std::string::npos)
      << refused.error().message;
  ASSERT_EQ((*library)->unsubscribe(other), CUPTI_SUCCESS);
}

// Of a step that is enqueued kernel by kernel all but the first may begin early, and of a graph's
// kernels none has a call that says so. None begins or ends ahead of the one that it follows.
void expect_edges(const record_list& seen, std::size_t wanted) {
  auto kernels = seen.of(ASSAY_ACTIVITY, ASSAY_OP_LAUNCH);
  std::sort(kernels.begin(), kernels.end(), [](const assay_record& a, const assay_record& b) {
    return a.correlation != b.correlation ? a.correlation < b.correlation : a.start_ns < b.start_ns;
  });
  std::size_t edges = 0;
  std::size_t early = 0;
  for (std::size_t i = 1; i < kernels.size(); ++i) {
    if (kernels[i].flags != ASSAY_PROGRAMMATIC) continue;
    ++edges;
    early += kernels[i].start_ns < kernels[i - 1].end_ns ? 1 : 0;
    EXPECT_GE(kernels[i].start_ns, kernels[i - 1].start_ns);
    EXPECT_GE(kernels[i].end_ns, kernels[i - 1].end_ns);
  }
  EXPECT_EQ(edges, wanted);
  std::printf("%zu of %zu programmatic launches began before the kernel ahead of them had ended\n",
              early, edges);
}

// Each lies between the opening and now, and some are the caller's own: buffers and code are
// fetched on its thread.
void expect_overheads(const std::vector<std::vector<assay_record>>& drains, std::int64_t opened_ns,
                      const cupti_probe& probe) {
  const std::int64_t slack_ns = probe.clock_error_ns() + 100'000;
  std::map<std::pair<int, bool>, std::pair<int, std::int64_t>> kinds;
  std::uint64_t own = 0;
  std::vector<assay_record> records;
  for (const auto& each : drains) records.insert(records.end(), each.begin(), each.end());
  for (const assay_record& each : records) {
    if (each.kind != ASSAY_OVERHEAD) continue;
    EXPECT_LE(each.start_ns, each.end_ns);
    EXPECT_GE(each.start_ns, opened_ns - slack_ns);
    EXPECT_LE(each.end_ns, host_now().ns + slack_ns);
    if (each.tid != 0) {
      EXPECT_EQ(each.tid, static_cast<std::uint32_t>(gettid()));
    }
    own += each.tid != 0 ? 1 : 0;
    auto& [spans, busy_ns] = kinds[{each.op, each.tid != 0}];
    ++spans;
    busy_ns += each.end_ns - each.start_ns;
  }
  EXPECT_GT(own, 0U);
  for (const auto& [kind, sum] : kinds)
    std::printf("overhead %d of %s: %d spans, %lld ns\n", kind.first,
                kind.second ? "the caller" : "another thread", sum.first,
                static_cast<long long>(sum.second));
  std::printf("%llu overheads, %llu without times\n",
              static_cast<unsigned long long>(probe.tally().overheads),
              static_cast<unsigned long long>(probe.tally().untimed_overheads));
}

TEST(Cupti2Records, are_whole_and_exact) {
  ASSAY_NEEDS_GPU();
  const std::int64_t opened_ns = host_now().ns;
  auto opened = cupti_probe::open();
  ASSERT_TRUE(opened) << opened.error().message;
  cupti_probe& probe = **opened;
  EXPECT_FALSE(cupti_probe::open()) << "a second session would have wrong correlation ids";

  const small_model model(two_layers(), {5, 6, 7}, 31);
  auto host = device::pinned_buffer::create(odd_bytes);
  ASSERT_TRUE(host) << host.error().message;
  const device_array<std::byte> memory(odd_bytes + small_bytes);
  cudaStream_t stream = nullptr;
  ASSERT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  ASSERT_CUDA(cudaDeviceSynchronize());
  record_list before;
  const auto settled = probe.drain(before);
  ASSERT_TRUE(settled) << settled.error().message;
  const cupti_tally start = probe.tally();

  const std::int64_t begin_ns = host_now().ns;
  std::uint32_t launches = 0;
  const auto worked = known_work(model, *host, memory.data(), stream, launches);
  ASSERT_TRUE(worked) << worked.error().message;
  const std::int64_t end_ns = host_now().ns;
  record_list seen;
  const auto drained = probe.drain(seen);
  ASSERT_TRUE(drained) << drained.error().message;

  const cupti_tally& now = probe.tally();
  EXPECT_EQ(now.h2d_bytes - start.h2d_bytes,
            odd_bytes + 2 * small_bytes + hidden_replays * hidden_bytes);
  EXPECT_EQ(now.pageable_bytes - start.pageable_bytes, small_bytes);
  EXPECT_EQ(now.d2d_bytes - start.d2d_bytes, small_bytes);
  EXPECT_EQ(now.d2h_bytes - start.d2h_bytes, 1U);
  EXPECT_EQ(now.copies - start.copies, 5U + hidden_replays);
  EXPECT_EQ(now.memset_bytes - start.memset_bytes, 4097U);
  EXPECT_EQ(now.kernels - start.kernels, std::uint64_t{launches} * (replays + eager_steps));
  EXPECT_EQ(now.graph_kernels - start.graph_kernels, std::uint64_t{launches} * replays);
  EXPECT_EQ(model.state().steps, replays + eager_steps);
  EXPECT_EQ(now.unknown_records, 0U);
  EXPECT_EQ(probe.lost_count(), 0U);
  EXPECT_EQ(probe.denied_buffer_count(), 0U);

  EXPECT_EQ(seen.of(ASSAY_ACTIVITY, ASSAY_OP_COPY).size(), 5U + hidden_replays);
  EXPECT_EQ(seen.of(ASSAY_ACTIVITY, ASSAY_OP_LAUNCH).size(), launches * (replays + eager_steps));
  expect_edges(seen, (launches - 1) * eager_steps);
  EXPECT_EQ(seen.of(ASSAY_SUBMISSION, ASSAY_OP_COPY).size(), 6U) << "one was only captured";
  // CUPTI records a launch that is only captured like one that runs: calls without an activity.
  EXPECT_EQ(seen.of(ASSAY_SUBMISSION, ASSAY_OP_LAUNCH).size(),
            launches + replays + launches * eager_steps + hidden_replays);
  EXPECT_EQ(hidden_copies_of_launches(seen), hidden_replays)
      << "a graph's copies carry its launch's correlation";
  EXPECT_EQ(seen.of(ASSAY_SUBMISSION, ASSAY_OP_SYNC).size(), 1U);
  expect_times_within(seen, begin_ns, end_ns, probe.clock_error_ns());
  expect_overheads({before.all, seen.all}, opened_ns, probe);
  std::printf("clock: error %lld ns, drift %.2f ppm\n",
              static_cast<long long>(probe.clock_error_ns()), probe.clock_drift_ppm());
  ASSERT_CUDA(cudaStreamDestroy(stream));
}

TEST(Cupti3Starved, says_what_it_lost) {
  ASSAY_NEEDS_GPU();
  auto opened = cupti_probe::open({.buffers = 1, .buffer_bytes = 16 << 10});
  if (!opened && opened.error().kind == error_kind::usage)
    GTEST_SKIP() << "needs a process of its own: " << opened.error().message;
  ASSERT_TRUE(opened) << opened.error().message;
  const small_model model(two_layers(), {5, 6, 7}, 32);
  const graph::decode_step step = model.step({});
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(step.submit());
  ASSERT_CUDA(cudaDeviceSynchronize());
  record_list seen;
  const auto drained = (*opened)->drain(seen);
  ASSERT_TRUE(drained) << drained.error().message;
  EXPECT_GT((*opened)->denied_buffer_count(), 0U);
  EXPECT_GT((*opened)->lost_count(), 0U);
  std::int64_t told = 0;
  for (const assay_record& each : seen.all)
    if (each.kind == ASSAY_LOSS) told += each.amount;
  EXPECT_EQ(told, static_cast<std::int64_t>((*opened)->lost_count()));
  EXPECT_LT((*opened)->tally().kernels, std::uint64_t{100} * step.launches());
}

graph::enqueue_function telling(device::cuda_device& gpu, device::stream on,
                                std::vector<std::uint32_t>& asked) {
  return [&gpu, on, &asked](std::uint32_t kernels, const auto& work) -> result<void> {
    asked.push_back(kernels);
    return gpu.submit_kernels(on, kernels, [&](void*) { return work(); });
  };
}

/// Passes of the small model over 100 and 9 tokens, each kernel and product a call of `gpu`; gives
/// how many kernels each was told to be.
result<std::vector<std::uint32_t>> told_passes(device::cuda_device& gpu, device::stream stream,
                                               const small_model& model, std::byte* scratch,
                                               void* workspace, graph::prefill_tally& tally) {
  ASSAY_TRY_ASSIGN(auto products,
                   ops::cuda::matrix_products::create(gpu.native(stream), workspace));
  const auto take = [&](std::size_t bytes) {
    return std::exchange(scratch, scratch + 100 * bytes);
  };
  graph::prefill_buffers into;
  into.x = reinterpret_cast<float*>(take(1024));
  into.rows = take(512);
  into.qkv = take(1024);
  into.gate_up = take(2048);
  into.gated = take(1024);
  ops::cuda::launch_site site;
  site.stream = gpu.native(stream);
  graph::prefill_pass pass(model.shape(), model.weights(), model.buffers(), into, 64, site,
                           std::move(products));
  std::vector<std::uint32_t> asked;
  pass.enqueue_through(telling(gpu, stream, asked));
  for (const std::uint32_t tokens : {100U, 9U}) ASSAY_TRY(pass.submit(0, tokens));
  ASSAY_TRY(gpu.synchronize(stream));
  tally = pass.tally();
  return asked;
}

// A recording and a wait for it on the same stream.
result<void> told_wait(device::cuda_device& gpu, device::stream on) {
  ASSAY_TRY_ASSIGN(const device::event what, gpu.create_event());
  ASSAY_TRY(gpu.record_event(on, what));
  ASSAY_TRY(gpu.wait_event(on, what));
  return gpu.synchronize(on);
}

// What stands in a trace of passes: each call with as many kernels as it was told to have, those of
// cuBLAS too, and nothing of nobody's.
TEST(Cupti4Products, are_told_as_part_of_their_call) {
  ASSAY_NEEDS_GPU();
  auto opened = probes::gpu_run_probe::open();
  if (!opened && opened.error().kind == error_kind::usage)
    GTEST_SKIP() << "needs a process of its own: " << opened.error().message;
  ASSERT_TRUE(opened) << opened.error().message;
  probes::gpu_run_probe& probe = **opened;
  auto gpu = device::cuda_device::create({});
  ASSERT_TRUE(gpu) << gpu.error().message;
  (*gpu)->set_observer(&probe);
  const auto stream = (*gpu)->create_stream();
  ASSERT_TRUE(stream);
  const small_model model(two_layers(), std::vector<std::int32_t>(100, 5), 33);
  const device_array<std::byte> scratch(std::size_t{100} * 8192);
  const device_array<std::byte> workspace(ops::cuda::matrix_products::workspace_bytes);
  ASSERT_CUDA(cudaDeviceSynchronize());
  record_list before;
  ASSERT_TRUE(probe.drain(before));
  const std::uint64_t foreign_before = probe.foreign_count();
  graph::prefill_tally tally;
  const auto asked = told_passes(**gpu, *stream, model, scratch.data(), workspace.data(), tally);
  ASSERT_TRUE(asked) << asked.error().message;
  ASSERT_TRUE(told_wait(**gpu, *stream));
  record_list seen;
  const auto drained = probe.drain(seen);
  ASSERT_TRUE(drained) << drained.error().message;
  (*gpu)->set_observer(nullptr);

  EXPECT_EQ(probe.foreign_count() - foreign_before, 0U)
      << "kernels or copies of nobody's call, of cublasCreate say";
  // A drain says what was lost before it says anything else.
  EXPECT_TRUE(seen.of(ASSAY_LOSS, 0).empty());
  const auto waits = seen.of(ASSAY_SUBMISSION, ASSAY_OP_WAIT);
  const auto recordings = seen.of(ASSAY_SUBMISSION, ASSAY_OP_EVENT);
  ASSERT_FALSE(waits.empty() || recordings.empty());
  EXPECT_EQ(static_cast<std::uint64_t>(waits.back().extra[0]), recordings.back().correlation);
  EXPECT_EQ(asked->size(), tally.launches + tally.products);
  std::map<std::uint64_t, std::uint32_t> kernels;
  for (const assay_record& each : seen.of(ASSAY_ACTIVITY, ASSAY_OP_LAUNCH))
    ++kernels[each.correlation];
  const auto calls = seen.of(ASSAY_SUBMISSION, ASSAY_OP_LAUNCH);
  ASSERT_EQ(calls.size(), asked->size());
  std::uint32_t more = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(kernels[calls[i].correlation], (*asked)[i]) << "call " << i;
    more += (*asked)[i] - 1;
  }
  std::printf("%llu products, %u kernels more than one each\n",
              static_cast<unsigned long long>(tally.products), more);
}

}  // namespace
}  // namespace assay::test
