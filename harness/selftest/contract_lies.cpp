// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Lies under a contract that promises more than the catalog does: figures that are made of others,
// a level that calls itself a counter, a timer that does not say that it waits.
#include <array>
#include <functional>
#include <utility>

#include "harness/selftest/lie.h"
#include "probes/trace/contract_json.h"
#include "runtime/telemetry/range.h"

namespace assay::selftest {
namespace {

using id = telemetry::counter_id;
using row_list = std::vector<trace::contract_row>;

std::string changed(std::string_view json, const std::function<void(row_list&)>& change) {
  auto rows = trace::parse_contract(json);
  if (!rows) return std::string(json);
  change(*rows);
  return trace::to_json(*rows);
}

trace::contract_row& row_of(row_list& rows, id counter) {
  return rows.at(static_cast<std::size_t>(counter));
}

std::string name_of(id counter) {
  return std::string(telemetry::contract_of(counter).name.value);
}

// A rate that promises to be its own bytes over its own time, and was accumulated elsewhere.
class another_accumulator final : public instrument {
 public:
  explicit another_accumulator(strength how) : how_(how) {}
  std::string contract(std::string_view json) const override {
    return changed(json, [](row_list& rows) {
      row_of(rows, id::weights_h2d_bytes_per_s).identity = name_of(id::weights_h2d_bytes_per_s) +
                                                           " = " + name_of(id::weights_h2d_bytes) +
                                                           " / " + name_of(id::weights_h2d_ns);
    });
  }
  // A thousandth is far within what a time may be off, and no rounding.
  void set_real(id counter, double value) noexcept override {
    const double off = how_ == strength::gross ? 1e-3 : 0.9e-6;
    const bool is_it = counter == id::weights_h2d_bytes_per_s;
    instrument::set_real(counter, is_it ? value * (1.0 + off) : value);
  }

 private:
  strength how_;
};

// Two shares of one whole, in rows that this run has no use for: each prints 0.00.
class shares_of_zero final : public instrument {
 public:
  explicit shares_of_zero(strength how) : how_(how) {}
  std::string contract(std::string_view json) const override {
    return changed(json, [](row_list& rows) {
      for (const id share : shares)
        row_of(rows, share).identity = name_of(shares[0]) + " + " + name_of(shares[1]) + " = 1";
    });
  }
  void mark_not_applicable(id counter, std::string_view why) noexcept override {
    if (counter != shares[0] && counter != shares[1])
      return instrument::mark_not_applicable(counter, why);
    const double share = counter == shares[0] ? 0.7455 : 0.25;
    instrument::set_real(counter, how_ == strength::gross ? 0.0 : share);
  }

 private:
  static constexpr std::array<id, 2> shares{id::paging_count_hit_ratio, id::paging_byte_hit_ratio};
  strength how_;
};

// A rate of reading, in a row that this run has no use for: what the operators asked for over the
// time that they took. Each weight is asked for a hundred thousand times over, so that a cache
// serves all but the first; or once, as they are.
class warm_repeats final : public instrument {
 public:
  explicit warm_repeats(strength how) : repeats_(how == strength::gross ? 1e5 : 1.0) {}
  std::string contract(std::string_view json) const override {
    return changed(json, [](row_list& rows) {
      const auto link = row_of(rows, id::compute_device_ns).pairs_with.link;
      row_of(rows, rate).pairs_with.link = link;
    });
  }
  void add(id counter, std::int64_t amount) noexcept override {
    instrument::add(counter, amount);
    if (counter == id::compute_weight_bytes) bytes_ += static_cast<double>(amount);
    if (counter != id::compute_device_ns || amount <= 0) return;
    ns_ += static_cast<double>(amount);
    instrument::set_real(rate, repeats_ * bytes_ * 1e9 / ns_);
  }
  void mark_not_applicable(id counter, std::string_view why) noexcept override {
    if (counter != rate) instrument::mark_not_applicable(counter, why);
  }

 private:
  static constexpr id rate = id::paging_h2d_bytes_per_s;
  double repeats_;
  double bytes_ = 0.0;
  double ns_ = 0.0;
};

// What came last, under the name of what came so far; or so much more that it is not that either.
class last_for_all final : public instrument {
 public:
  explicit last_for_all(strength how) : how_(how) {}
  void add(id counter, std::int64_t amount) noexcept override {
    if (counter != id::inputs_h2d_bytes) return instrument::add(counter, amount);
    instrument::set(counter, how_ == strength::gross ? amount : amount + 1);
  }

 private:
  strength how_;
};

// A timer that waits between two calls of what it times, and a telemetry that counts no wait of its
// own: the waits are on record alone.
class waits_in_secret final : public instrument {
 public:
  explicit waits_in_secret(strength how) : how_(how) {}
  std::string contract(std::string_view json) const override {
    return changed(json, [](row_list& rows) {
      for (const id counter : {id::device_syncs_count, id::device_submissions_count}) {
        trace::claim_row& claims = row_of(rows, counter).claims;
        claims = {};
        claims.reason = "without what the telemetry asks for";
      }
    });
  }
  std::span<const assay_record> filter(std::span<const assay_record> seen,
                                       std::vector<assay_record>& kept) override {
    for (const assay_record& record : seen) {
      kept.push_back(record);
      if (record.kind == ASSAY_WINDOW_BEGIN) launches_ = 0;
      const bool is_launch = record.kind == ASSAY_SUBMISSION && record.op == ASSAY_OP_LAUNCH &&
                             record.range == static_cast<int>(telemetry::range::compute);
      if (!is_launch || ++launches_ != 3) continue;
      assay_record wait = record;
      wait.op = ASSAY_OP_SYNC;
      wait.range = static_cast<std::uint16_t>(telemetry::range::any);
      wait.correlation = ++last_correlation_;
      // Just inside it waits for a stream on which nothing of this runs.
      if (how_ == strength::just_inside) wait.stream += 1000;
      wait.start_ns = record.end_ns;
      wait.end_ns = record.end_ns;
      wait.amount = 0;
      kept.push_back(wait);
    }
    return kept;
  }

 private:
  strength how_;
  int launches_ = 0;
  std::uint64_t last_correlation_ = std::uint64_t{1} << 40;
};

}  // namespace

std::unique_ptr<instrument> make_another_accumulator(strength how) {
  return std::make_unique<another_accumulator>(how);
}

std::unique_ptr<instrument> make_shares_of_zero(strength how) {
  return std::make_unique<shares_of_zero>(how);
}

std::unique_ptr<instrument> make_warm_repeats(strength how) {
  return std::make_unique<warm_repeats>(how);
}

std::unique_ptr<instrument> make_last_for_all(strength how) {
  return std::make_unique<last_for_all>(how);
}

std::unique_ptr<instrument> make_waits_in_secret(strength how) {
  return std::make_unique<waits_in_secret>(how);
}

}  // namespace assay::selftest
