// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Amounts in the wrong unit, on the wrong base, or with too much in them.
#include <cstdint>
#include <utility>

#include "harness/selftest/lie.h"

namespace assay::selftest {
namespace {

using id = telemetry::counter_id;

// Publishes one counter with each addition turned into another.
template <class Change>
class altered final : public instrument {
 public:
  altered(id subject, Change change) : subject_(subject), change_(std::move(change)) {}
  void add(id counter, std::int64_t amount) noexcept override {
    instrument::add(counter, counter == subject_ ? change_(amount) : amount);
  }

 private:
  id subject_;
  Change change_;
};

template <class Change>
std::unique_ptr<instrument> alter(id subject, Change change) {
  return std::make_unique<altered<Change>>(subject, std::move(change));
}

// Counts an attempt that fails, and the one that succeeds; or withdraws the first again.
class retry_counted final : public instrument {
 public:
  explicit retry_counted(strength how) : how_(how) {}
  void begin_request() noexcept override {
    instrument::begin_request();
    is_first_ = true;
  }
  void add(id counter, std::int64_t amount) noexcept override {
    instrument::add(counter, amount);
    if (counter != id::inputs_h2d_copies_count || !std::exchange(is_first_, false)) return;
    instrument::add(counter, amount);
    if (how_ == strength::just_inside) instrument::add(counter, -amount);
  }

 private:
  strength how_;
  bool is_first_ = true;
};

// Publishes what a draw looked at on average, where the contract says the sum.
class mean_for_sum final : public instrument {
 public:
  explicit mean_for_sum(strength how) : how_(how) {}
  void begin_request() noexcept override {
    instrument::begin_request();
    sum_ = 0;
    draws_ = 0;
  }
  void add(id counter, std::int64_t amount) noexcept override {
    if (counter != id::sampling_candidates_count) return instrument::add(counter, amount);
    sum_ += amount;
    ++draws_;
    const std::int64_t mean = sum_ / draws_;
    // A twentieth more is no mean of anything: still wrong, and no base explains it.
    instrument::set(counter, how_ == strength::gross ? mean : mean * 21 / 20);
  }

 private:
  strength how_;
  std::int64_t sum_ = 0;
  std::int64_t draws_ = 0;
};

// Starts the first request's inputs with what the load had copied; or with half of it, which is
// wrong as well and no account of the load.
class load_included final : public instrument {
 public:
  explicit load_included(strength how) : how_(how) {}
  void begin_request() noexcept override {
    instrument::begin_request();
    const std::int64_t more = std::exchange(loaded_bytes_, 0);
    registry_.add(id::inputs_h2d_bytes, how_ == strength::gross ? more : more / 2);
  }
  void add(id counter, std::int64_t amount) noexcept override {
    instrument::add(counter, amount);
    if (counter == id::weights_h2d_bytes) loaded_bytes_ += amount;
  }

 private:
  strength how_;
  std::int64_t loaded_bytes_ = 0;
};

}  // namespace

// What was asked of the allocator, in its granules, for what crossed the link. An id has 4 bytes:
// granules of that size change nothing.
std::unique_ptr<instrument> make_request_bytes(strength how) {
  const std::int64_t granule = how == strength::gross ? 64 : 4;
  return alter(id::inputs_h2d_bytes, [granule](std::int64_t amount) {
    return (amount + granule - 1) / granule * granule;
  });
}

std::unique_ptr<instrument> make_retry_counted(strength how) {
  return std::make_unique<retry_counted>(how);
}

// The vocabulary of another model; or what the first draw looked at, which stays true here.
std::unique_ptr<instrument> make_hard_coded(strength how) {
  std::int64_t value = how == strength::gross ? 32'000 : 0;
  return alter(id::sampling_candidates_count, [value](std::int64_t amount) mutable {
    if (value == 0) value = amount;
    return value;
  });
}

// 8.2 is further from 8 than a unit may be: still wrong, and no unit explains it.
std::unique_ptr<instrument> make_bits_for_bytes(strength how) {
  const std::int64_t tenths = how == strength::gross ? 80 : 82;
  return alter(id::kv_read_bytes, [tenths](std::int64_t amount) { return amount * tenths / 10; });
}

std::unique_ptr<instrument> make_mean_for_sum(strength how) {
  return std::make_unique<mean_for_sum>(how);
}

// The engine adds 0 after each prefill, and 1 after each decode step. Two more a request is wrong
// as well, and not what the prefills would add.
std::unique_ptr<instrument> make_warmup_counted(strength how) {
  const std::int64_t more = how == strength::gross ? 1 : 2;
  return alter(id::engine_decode_steps_count,
               [more](std::int64_t amount) { return amount == 0 ? more : amount; });
}

std::unique_ptr<instrument> make_load_included(strength how) {
  return std::make_unique<load_included>(how);
}

}  // namespace assay::selftest
