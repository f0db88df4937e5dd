// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Writers that book the right amounts in the wrong place, at the wrong time, or not at all.
#include <utility>

#include "harness/selftest/lie.h"

namespace assay::selftest {
namespace {

using id = telemetry::counter_id;

// Books two counters under each other's name, one of them with so much more an addition.
class swapped final : public instrument {
 public:
  swapped(id one, id other, std::int64_t more) : one_(one), other_(other), more_(more) {}
  void add(id counter, std::int64_t amount) noexcept override {
    if (counter == one_)
      instrument::add(other_, amount);
    else if (counter == other_)
      instrument::add(one_, amount + more_);
    else
      instrument::add(counter, amount);
  }

 private:
  id one_;
  id other_;
  std::int64_t more_;
};

// Starts each request's counter from where the request before left it.
class reset_forgotten final : public instrument {
 public:
  explicit reset_forgotten(id subject) : subject_(subject) {}
  void begin_request() noexcept override {
    const auto before = registry_.read(subject_);
    instrument::begin_request();
    if (before.has_value()) registry_.add(subject_, before.integer());
  }

 private:
  id subject_;
};

// Counts the first additions of each request and then no more; or, just inside, falls silent for
// two additions and makes them good with the third.
class frozen final : public instrument {
 public:
  frozen(id subject, strength how) : subject_(subject), how_(how) {}
  void begin_request() noexcept override {
    instrument::begin_request();
    seen_ = 0;
    held_ = 0;
  }
  void add(id counter, std::int64_t amount) noexcept override {
    if (counter != subject_) return instrument::add(counter, amount);
    ++seen_;
    if (how_ == strength::gross) return instrument::add(counter, seen_ <= live_adds ? amount : 0);
    held_ += amount;
    if (seen_ == live_adds || seen_ == live_adds + 1) return;
    instrument::add(counter, std::exchange(held_, 0));
  }

 private:
  static constexpr int live_adds = 4;
  id subject_;
  strength how_;
  int seen_ = 0;
  std::int64_t held_ = 0;
};

// A counter whose writer was never connected.
class never_written final : public instrument {
 public:
  explicit never_written(id subject) : subject_(subject) {}
  void add(id counter, std::int64_t amount) noexcept override {
    if (counter != subject_) instrument::add(counter, amount);
  }

 private:
  id subject_;
};

// Books work at each request's begin that nobody did.
class phantom final : public instrument {
 public:
  phantom(id subject, std::int64_t amount) : subject_(subject), amount_(amount) {}
  void begin_request() noexcept override {
    instrument::begin_request();
    registry_.add(subject_, amount_);
  }

 private:
  id subject_;
  std::int64_t amount_;
};

// Counts what the first addition of the process, or of each request, brings, and nothing of what
// follows; or all.
class counted_once final : public instrument {
 public:
  enum class of : std::uint8_t { a_process, a_request };
  counted_once(id subject, of each, strength how) : subject_(subject), each_(each), how_(how) {}
  void begin_request() noexcept override {
    instrument::begin_request();
    if (each_ == of::a_request) seen_ = 0;
  }
  void add(id counter, std::int64_t amount) noexcept override {
    const bool is_late = counter == subject_ && how_ == strength::gross && seen_++ > 0;
    instrument::add(counter, is_late ? 0 : amount);
  }

 private:
  id subject_;
  of each_;
  strength how_;
  int seen_ = 0;
};

// Books what a request's first addition brings, which is its prefill's, so many times.
class first_multiplied final : public instrument {
 public:
  first_multiplied(id subject, std::int64_t times) : subject_(subject), times_(times) {}
  void begin_request() noexcept override {
    instrument::begin_request();
    is_first_ = true;
  }
  void add(id counter, std::int64_t amount) noexcept override {
    if (counter != subject_) return instrument::add(counter, amount);
    instrument::add(counter, std::exchange(is_first_, false) ? amount * times_ : amount);
  }

 private:
  id subject_;
  std::int64_t times_;
  bool is_first_ = true;
};

}  // namespace

// With a byte more a copy both are still wrong, but neither holds what is the other's.
std::unique_ptr<instrument> make_directions_swapped(strength how) {
  return std::make_unique<swapped>(id::inputs_h2d_bytes, id::logits_d2h_bytes,
                                   how == strength::gross ? 0 : 1);
}

// A reset forgotten on a counter that stays at zero changes nothing.
std::unique_ptr<instrument> make_reset_forgotten(strength how) {
  return std::make_unique<reset_forgotten>(
      how == strength::gross ? id::kv_append_bytes : id::sampling_random_draws_count);
}

std::unique_ptr<instrument> make_frozen(strength how) {
  return std::make_unique<frozen>(id::logits_d2h_bytes, how);
}

// Nothing to write, nothing written: an absence, and no lie.
std::unique_ptr<instrument> make_never_written(strength how) {
  return std::make_unique<never_written>(how == strength::gross ? id::kv_append_copies_count
                                                                : id::sampling_random_draws_count);
}

std::unique_ptr<instrument> make_phantom_copy(strength how) {
  return std::make_unique<phantom>(id::weights_h2d_bytes, how == strength::gross ? 4096 : 0);
}

std::unique_ptr<instrument> make_choices_swapped(strength how) {
  return std::make_unique<swapped>(id::compute_launches_count, id::choices_d2h_copies_count,
                                   how == strength::gross ? 0 : 1);
}

std::unique_ptr<instrument> make_frozen_choices(strength how) {
  return std::make_unique<frozen>(id::choices_d2h_bytes, how);
}

std::unique_ptr<instrument> make_never_written_choices(strength how) {
  return std::make_unique<never_written>(how == strength::gross ? id::choices_d2h_copies_count
                                                                : id::sampling_random_draws_count);
}

std::unique_ptr<instrument> make_counted_at_capture(strength how) {
  return std::make_unique<counted_once>(id::compute_launches_count, counted_once::of::a_process,
                                        how);
}

std::unique_ptr<instrument> make_bytes_at_capture(strength how) {
  return std::make_unique<counted_once>(id::compute_weight_bytes, counted_once::of::a_request, how);
}

std::unique_ptr<instrument> make_launch_that_failed(strength how) {
  return std::make_unique<phantom>(id::compute_launches_count, how == strength::gross ? 21 : 0);
}

std::unique_ptr<instrument> make_pass_left_out(strength how) {
  return std::make_unique<first_multiplied>(id::compute_launches_count,
                                            how == strength::gross ? 0 : 1);
}

std::unique_ptr<instrument> make_pass_counted_twice(strength how) {
  return std::make_unique<first_multiplied>(id::prefill_calls_count,
                                            how == strength::gross ? 2 : 1);
}

}  // namespace assay::selftest
