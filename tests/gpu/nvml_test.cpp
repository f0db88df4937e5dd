// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Without this, bytes over the link could be read from fields that count something else, or with
// sent and received exchanged.
#include "probes/nvml/nvml_probe.h"

#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "runtime/device/cuda/pinned_staging.h"
#include "tests/gpu/gpu_gate.h"

namespace assay::test {
namespace {

using probes::nvml_probe;
using probes::nvml_sample;

constexpr std::uint64_t piece_bytes = std::uint64_t{256} << 20;
constexpr int pieces = 4;  // 1 GiB: a count of 32 bits goes around once at most

std::unique_ptr<nvml_probe> open_current() {
  std::array<char, 32> bus_id{};
  EXPECT_EQ(cudaDeviceGetPCIBusId(bus_id.data(), bus_id.size(), 0), cudaSuccess);
  auto opened = nvml_probe::open({.pci_bus_id = bus_id.data()});
  EXPECT_TRUE(opened) << opened.error().message;
  return opened ? std::move(*opened) : nullptr;
}

template <class T>
std::string words(const result<T>& reading) {
  return reading ? std::to_string(*reading) : "absent: " + reading.error().message;
}

std::string words(const result<probes::nvml_counter>& count) {
  return count ? std::to_string(count->value) + " modulo " + std::to_string(count->modulus)
               : "absent: " + count.error().message;
}

void print(const nvml_sample& sample) {
  std::printf("bytes sent (field 197) %s, received (field 198) %s\n",
              words(sample.pcie_tx_bytes).c_str(), words(sample.pcie_rx_bytes).c_str());
  std::printf("link generation %s of %s, width %s of %s\n", words(sample.link_generation).c_str(),
              words(sample.link_generation_max).c_str(), words(sample.link_width).c_str(),
              words(sample.link_width_max).c_str());
  std::printf("clocks %s Hz and %s Hz, held down by %s; memory used %s bytes; read in %lld ns\n",
              words(sample.sm_clock_hz).c_str(), words(sample.memory_clock_hz).c_str(),
              sample.throttle_mask ? probes::throttle_words(*sample.throttle_mask).c_str()
                                   : sample.throttle_mask.error().message.c_str(),
              words(sample.used_memory_bytes).c_str(),
              static_cast<long long>(sample.to - sample.from));
}

TEST(NvmlOnGpu, reads_a_gpu) {
  ASSAY_NEEDS_GPU();
  const auto probe = open_current();
  ASSERT_TRUE(probe);
  const nvml_sample sample = probe->sample();
  print(sample);
  const auto version = probe->driver_version();
  ASSERT_TRUE(version) << version.error().message;
  std::printf("driver %s\n", version->c_str());
  EXPECT_GT(sample.used_memory_bytes.value(), 0U);
}

// What an audit samples between two requests. The times are for docs/evidence.
TEST(NvmlOnGpu, reads_what_changes_while_a_gpu_works_and_how_long_a_call_takes) {
  ASSAY_NEEDS_GPU();
  const auto probe = open_current();
  ASSERT_TRUE(probe);
  const auto timed = [](const char* what, const auto& read) {
    const host_time from = host_now();
    const auto value = read();
    std::printf("%s: %s in %lld ns\n", what, words(value).c_str(),
                static_cast<long long>(host_now() - from));
    return value;
  };
  for (int i = 0; i < 3; ++i) {
    const auto sm = timed("SM clock, Hz", [&] { return probe->sm_clock_hz(); });
    EXPECT_GT(sm.value(), 100'000'000U);
    const auto memory = timed("memory clock, Hz", [&] { return probe->memory_clock_hz(); });
    EXPECT_GT(memory.value(), 100'000'000U);
    const auto heat = timed("temperature, C", [&] { return probe->temperature_celsius(); });
    EXPECT_GT(heat.value(), 10U);
    EXPECT_LT(heat.value(), 110U);
    const auto power = timed("power, mW", [&] { return probe->power_milliwatt(); });
    EXPECT_GT(power.value(), 10'000U);
    EXPECT_LT(power.value(), 1'500'000U);
    timed("clock events", [&] { return probe->throttle_mask(); });
  }
}

/// What a transfer added to both counts, or nothing with the reason printed.
struct gains {
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
};

std::optional<gains> gained_since(const nvml_probe& probe, const nvml_sample& before) {
  const nvml_sample after = probe.sample();
  if (!before.pcie_tx_bytes || !after.pcie_tx_bytes || !before.pcie_rx_bytes ||
      !after.pcie_rx_bytes) {
    std::printf("no byte counts: %s\n", before.pcie_tx_bytes
                                            ? before.pcie_rx_bytes.error().message.c_str()
                                            : before.pcie_tx_bytes.error().message.c_str());
    return std::nullopt;
  }
  const auto sent = probes::gained(*before.pcie_tx_bytes, *after.pcie_tx_bytes);
  const auto received = probes::gained(*before.pcie_rx_bytes, *after.pcie_rx_bytes);
  EXPECT_TRUE(sent && received);
  if (!sent || !received) return std::nullopt;
  std::printf("sent %llu, received %llu, ambiguity %llu\n",
              static_cast<unsigned long long>(sent->amount),
              static_cast<unsigned long long>(received->amount),
              static_cast<unsigned long long>(received->ambiguity));
  return gains{sent->amount, received->amount};
}

TEST(NvmlOnGpu, counts_the_bytes_of_copies_in_their_direction) {
  ASSAY_NEEDS_GPU();
  const auto probe = open_current();
  ASSERT_TRUE(probe);
  auto host = device::pinned_buffer::create(piece_bytes);
  ASSERT_TRUE(host) << host.error().message;
  void* there = nullptr;
  ASSERT_CUDA(cudaMalloc(&there, piece_bytes));
  const auto copy = [&](cudaMemcpyKind kind) -> std::optional<gains> {
    const nvml_sample before = probe->sample();
    for (int i = 0; i < pieces; ++i) {
      const bool is_h2d = kind == cudaMemcpyHostToDevice;
      EXPECT_EQ(cudaMemcpy(is_h2d ? there : host->data(), is_h2d ? host->data() : there,
                           piece_bytes, kind),
                cudaSuccess);
    }
    return gained_since(*probe, before);
  };
  const auto idle = gained_since(*probe, probe->sample());
  const auto h2d = copy(cudaMemcpyHostToDevice);
  const auto d2h = copy(cudaMemcpyDeviceToHost);
  if (idle && h2d && d2h) {
    // Headers add some 10 %; who else uses the link adds, too.
    constexpr std::uint64_t payload = piece_bytes * pieces;
    EXPECT_GE(h2d->received_bytes, payload);
    EXPECT_LT(h2d->received_bytes, payload * 13 / 10 + (std::uint64_t{64} << 20));
    EXPECT_LT(h2d->sent_bytes, payload / 2);
    EXPECT_GE(d2h->sent_bytes, payload);
    EXPECT_LT(d2h->sent_bytes, payload * 13 / 10 + (std::uint64_t{64} << 20));
    EXPECT_LT(d2h->received_bytes, payload / 2);
  }
  ASSERT_CUDA(cudaFree(there));
}

}  // namespace
}  // namespace assay::test
