// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/campaigns/pool_rows.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "scenarios/kernels/kernels.h"

namespace assay::campaigns {
namespace {

using scenarios::declared_work;
using scenarios::kernel_list;
using scenarios::kernel_row;
using scenarios::kernel_run;

constexpr std::size_t wanted_rows = 100;
constexpr std::uint64_t quick_work = 700'000;  // bytes and operations of a call of some 100 µs
// Its tables of 16 MiB take longer to make than a process of the pool may last.
constexpr std::string_view long_to_make = "/16384x256by128/";

template <class T>
void keep(T& value) {
  asm volatile("" : "+r,m"(value) : : "memory");
}

class small_kernel : public kernel_run {
 public:
  std::uint64_t tallied_weight_bytes() override { return 0; }
  std::uint32_t realised_threads() override { return 1; }
};

class hash_kernel final : public small_kernel {
 public:
  explicit hash_kernel(std::size_t bytes) : bytes_(bytes, 'x') {}
  void call(std::uint64_t times) override {
    for (std::uint64_t i = 0; i < times; ++i) {
      std::uint64_t hash = 0xcbf29ce484222325ULL + i;
      for (const char c : bytes_) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
      keep(hash);
    }
  }

 private:
  std::vector<char> bytes_;
};

class sort_kernel final : public small_kernel {
 public:
  explicit sort_kernel(std::size_t count) : from_(count), to_(count) {
    std::uint32_t x = 1;
    for (std::uint32_t& each : from_) each = x = x * 1664525U + 1013904223U;
  }
  void call(std::uint64_t times) override {
    for (std::uint64_t i = 0; i < times; ++i) {
      to_ = from_;
      std::sort(to_.begin(), to_.end());
      keep(to_[0]);
    }
  }

 private:
  std::vector<std::uint32_t> from_, to_;
};

// The buffers are walked from end to end: what is copied is never what was copied last. Both are
// filled first, or what is timed would be the kernel handing out pages.
class copy_kernel final : public small_kernel {
 public:
  explicit copy_kernel(std::size_t chunk)
      : chunk_(chunk), from_(walked_bytes, 'x'), to_(walked_bytes, 'y') {}
  void call(std::uint64_t times) override {
    for (std::uint64_t i = 0; i < times; ++i) {
      std::memcpy(to_.data() + at_, from_.data() + at_, chunk_);
      keep(to_[at_]);
      at_ = at_ + 2 * chunk_ <= walked_bytes ? at_ + chunk_ : 0;
    }
  }

 private:
  static constexpr std::size_t walked_bytes = std::size_t{512} << 10;
  std::size_t chunk_;
  std::vector<char> from_, to_;
  std::size_t at_ = 0;
};

// A ring of places `stride` bytes apart, each of which says where the next one is.
class chase_kernel final : public small_kernel {
 public:
  chase_kernel(std::size_t places, std::size_t stride, std::size_t steps)
      : steps_(steps), ring_(places * stride / sizeof(std::uint32_t)) {
    std::vector<std::uint32_t> order(places);
    std::iota(order.begin(), order.end(), 0U);
    std::uint32_t x = 1;
    for (std::size_t left = places; left > 1; --left) {
      x = x * 1664525U + 1013904223U;
      std::swap(order[left - 1], order[(x >> 8) % left]);
    }
    const auto words = static_cast<std::uint32_t>(stride / sizeof(std::uint32_t));
    for (std::size_t i = 0; i < places; ++i)
      ring_[order[i] * words] = order[(i + 1) % places] * words;
  }
  void call(std::uint64_t times) override {
    for (std::uint64_t i = 0; i < times; ++i) {
      for (std::size_t step = 0; step < steps_; ++step) at_ = ring_[at_];
      keep(at_);
    }
  }

 private:
  std::size_t steps_;
  std::vector<std::uint32_t> ring_;
  std::uint32_t at_ = 0;
};

class malloc_kernel final : public small_kernel {
 public:
  explicit malloc_kernel(std::size_t blocks) : blocks_(blocks) {}
  void call(std::uint64_t times) override {
    for (std::uint64_t i = 0; i < times; ++i) {
      for (std::size_t at = 0; at < blocks_.size(); ++at) {
        blocks_[at] = std::malloc(16 + 48 * (at % 21));
        keep(blocks_[at]);
      }
      for (void* each : blocks_) std::free(each);
    }
  }

 private:
  std::vector<void*> blocks_;
};

class syscall_kernel final : public small_kernel {
 public:
  explicit syscall_kernel(std::size_t calls) : calls_(calls) {}
  void call(std::uint64_t times) override {
    for (std::uint64_t i = 0; i < times * calls_; ++i) {
      pid_t parent = ::getppid();
      keep(parent);
    }
  }

 private:
  std::size_t calls_;
};

class float_kernel final : public small_kernel {
 public:
  explicit float_kernel(std::size_t steps) : steps_(steps) {}
  void call(std::uint64_t times) override {
    for (std::uint64_t i = 0; i < times; ++i) {
      double x = 1.0;
      for (std::size_t step = 0; step < steps_; ++step) {
        x = x * 0.999999 + 1e-6;
        keep(x);
      }
    }
  }

 private:
  std::size_t steps_;
};

struct small_family {
  const char* name;
  std::size_t least;  // size of its first row; each further one is that much larger
  std::unique_ptr<kernel_run> (*make)(std::size_t size);
};

template <class Kernel>
std::unique_ptr<kernel_run> made(std::size_t size) {
  return std::make_unique<Kernel>(size);
}

constexpr std::size_t line_bytes = 64;
constexpr std::size_t page_bytes = 4096;

constexpr std::array<small_family, 8> families{{
    {"hash", 256, made<hash_kernel>},
    {"sort", 16, made<sort_kernel>},
    {"memcpy_1mib", 1024, made<copy_kernel>},
    {"chase_256kib", 64,
     [](std::size_t steps) -> std::unique_ptr<kernel_run> {
       return std::make_unique<chase_kernel>(4096, line_bytes, steps);
     }},
    {"chase_pages", 16,
     [](std::size_t steps) -> std::unique_ptr<kernel_run> {
       return std::make_unique<chase_kernel>(256, page_bytes, steps);
     }},
    {"malloc", 16, made<malloc_kernel>},
    {"syscall", 2, made<syscall_kernel>},
    {"float_chain", 64, made<float_kernel>},
}};

// Makes `percent` of a hundred calls twice.
class planted_run final : public kernel_run {
 public:
  planted_run(std::unique_ptr<kernel_run> inner, unsigned percent)
      : inner_(std::move(inner)), percent_(percent) {}
  void call(std::uint64_t times) override {
    owed_ += times * percent_;
    inner_->call(times + owed_ / 100);
    owed_ %= 100;
  }
  std::uint64_t tallied_weight_bytes() override { return inner_->tallied_weight_bytes(); }
  std::uint32_t realised_threads() override { return inner_->realised_threads(); }

 private:
  std::unique_ptr<kernel_run> inner_;
  unsigned percent_;
  std::uint64_t owed_ = 0;
};

void plant(kernel_list& list, unsigned percent) {
  for (kernel_row& row : list.rows) {
    if (percent == 0 || !is_planted(row.name)) continue;
    row.make = [make = row.make, percent]() -> result<std::unique_ptr<kernel_run>> {
      ASSAY_TRY_ASSIGN(auto inner, make());
      return std::make_unique<planted_run>(std::move(inner), percent);
    };
  }
}

}  // namespace

bool is_planted(const std::string& name) {
  // As Google Benchmark lists it, or as it is registered.
  constexpr std::string_view listed_suffix = "/real_time";
  std::string_view bare = name;
  if (bare.ends_with(listed_suffix)) bare.remove_suffix(listed_suffix.size());
  std::uint32_t hash = 2166136261U;
  for (const char c : bare) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash % 5 == 0;
}

kernel_list pool_rows(unsigned planted_percent) {
  kernel_list list;
  for (kernel_row& row : scenarios::kernel_rows(1).rows)
    if (row.work.bytes() + row.work.operations < quick_work &&
        row.name.find(long_to_make) == std::string::npos)
      list.rows.push_back(std::move(row));
  for (std::size_t at = 0; list.rows.size() < wanted_rows; ++at) {
    const small_family& family = families[at % families.size()];
    const std::size_t size = family.least * (1 + at / families.size());
    kernel_row row;
    row.name = fmt::format("{}/{}", family.name, size);
    row.family = family.name;
    row.work = {0, 1, 0};  // nothing is claimed of them that a ceiling could judge
    row.make = [make = family.make, size]() -> result<std::unique_ptr<kernel_run>> {
      return make(size);
    };
    list.rows.push_back(std::move(row));
  }
  plant(list, planted_percent);
  return list;
}

}  // namespace assay::campaigns
