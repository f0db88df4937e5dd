// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Readings that nothing can have, levels that do not come down, and a path that is left out.
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "harness/selftest/lie.h"
#include "probes/trace/contract_json.h"

namespace assay::selftest {
namespace {

using id = telemetry::counter_id;

// Pages go back, and the level is not told; or it is told late, but before anybody reads it.
class not_lowered final : public instrument {
 public:
  explicit not_lowered(strength how) : how_(how) {}
  void set(id counter, std::int64_t value) noexcept override {
    if (counter != id::kv_live_pages) return instrument::set(counter, value);
    if (value == 0 && level_ > 0) {
      instrument::set(counter, std::exchange(level_, 0));
      if (how_ == strength::gross) return;
    }
    level_ = value;
    instrument::set(counter, value);
  }

 private:
  strength how_;
  std::int64_t level_ = 0;
};

// A level that was looked at when it first rose, and never again; or half of it each time, which is
// wrong as well and does not stand still.
class looked_at_once final : public instrument {
 public:
  explicit looked_at_once(strength how) : how_(how) {}
  void set(id counter, std::int64_t value) noexcept override {
    if (counter != id::arena_live_bytes) return instrument::set(counter, value);
    if (how_ == strength::just_inside) return instrument::set(counter, value / 2);
    if (has_risen_) return;
    has_risen_ = value > 0;
    instrument::set(counter, value);
  }

 private:
  strength how_;
  bool has_risen_ = false;
};

// Without a sequence there is no level: says so with -1, or with the 0 that it is.
class marked_missing final : public instrument {
 public:
  explicit marked_missing(strength how) : how_(how) {}
  void set(id counter, std::int64_t value) noexcept override {
    const bool is_none = counter == id::kv_live_pages && value == 0;
    instrument::set(counter, is_none && how_ == strength::gross ? -1 : value);
  }

 private:
  strength how_;
};

// The first rate of a request is taken before there is a time to divide by; or it is left at 0.
class undefined_rate final : public instrument {
 public:
  explicit undefined_rate(strength how) : how_(how) {}
  void begin_request() noexcept override {
    instrument::begin_request();
    is_first_ = true;
  }
  void set_real(id counter, double value) noexcept override {
    if (counter == id::engine_decode_tokens_per_s && std::exchange(is_first_, false))
      value = how_ == strength::gross ? std::numeric_limits<double>::quiet_NaN() : 0.0;
    instrument::set_real(counter, value);
  }

 private:
  strength how_;
  bool is_first_ = true;
};

// Sums up in a register that is too narrow, and starts again at 0 when it is full.
class narrow_register final : public instrument {
 public:
  explicit narrow_register(int bits) : mask_((std::int64_t{1} << bits) - 1) {}
  void begin_request() noexcept override {
    instrument::begin_request();
    sum_ = 0;
  }
  void add(id counter, std::int64_t amount) noexcept override {
    if (counter != id::compute_weight_bytes) return instrument::add(counter, amount);
    sum_ = (sum_ + amount) & mask_;
    instrument::set(counter, sum_);
  }

 private:
  std::int64_t mask_;
  std::int64_t sum_ = 0;
};

// Its contract does not know some of the copies; or leaves their number out, and keeps their bytes.
class path_left_out final : public instrument {
 public:
  path_left_out(telemetry::device_class on, std::vector<id> forgotten)
      : on_(on), forgotten_(std::move(forgotten)) {}
  std::string contract(std::string_view) const override {
    std::vector<trace::contract_row> rows = trace::catalog_rows(on_);
    for (const id counter : forgotten_) {
      trace::claim_row& claims = rows.at(static_cast<std::size_t>(counter)).claims;
      claims = {};
      claims.reason = "counted where it is submitted";
    }
    return trace::to_json(rows);
  }

 private:
  telemetry::device_class on_;
  std::vector<id> forgotten_;
};

}  // namespace

std::unique_ptr<instrument> make_not_lowered(strength how) {
  return std::make_unique<not_lowered>(how);
}

std::unique_ptr<instrument> make_looked_at_once(strength how) {
  return std::make_unique<looked_at_once>(how);
}

std::unique_ptr<instrument> make_marked_missing(strength how) {
  return std::make_unique<marked_missing>(how);
}

std::unique_ptr<instrument> make_undefined_rate(strength how) {
  return std::make_unique<undefined_rate>(how);
}

// A request reads some 80 MB of weights or more: 24 bits hold 16.8 MB.
std::unique_ptr<instrument> make_narrow_register(strength how) {
  return std::make_unique<narrow_register>(how == strength::gross ? 24 : 48);
}

std::unique_ptr<instrument> make_path_left_out(strength how) {
  std::vector<id> forgotten{id::kv_append_copies_count};
  if (how == strength::gross) forgotten.push_back(id::kv_append_bytes);
  return std::make_unique<path_left_out>(telemetry::device_class::host, std::move(forgotten));
}

std::unique_ptr<instrument> make_choices_left_out(strength how) {
  std::vector<id> forgotten{id::choices_d2h_copies_count};
  if (how == strength::gross)
    forgotten.insert(forgotten.end(), {id::choices_d2h_bytes, id::choices_d2h_ns});
  return std::make_unique<path_left_out>(telemetry::device_class::cuda, std::move(forgotten));
}

}  // namespace assay::selftest
