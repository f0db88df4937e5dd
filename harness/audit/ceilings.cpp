// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/audit/ceilings.h"

#include <algorithm>

#include "harness/audit/saturating.h"

namespace assay::audit {

namespace {

constexpr bool is_same(telemetry::link_class link, assay_link number) {
  return static_cast<int>(link) == static_cast<int>(number);
}
static_assert(is_same(telemetry::link_class::host_memcpy, ASSAY_LINK_HOST_MEMCPY));
static_assert(is_same(telemetry::link_class::host_read, ASSAY_LINK_HOST_READ));
static_assert(is_same(telemetry::link_class::pcie, ASSAY_LINK_PCIE));
static_assert(is_same(telemetry::link_class::device_read, ASSAY_LINK_DEVICE_READ));
static_assert(is_same(telemetry::link_class::device_copy, ASSAY_LINK_DEVICE_COPY));
static_assert(is_same(telemetry::link_class::pcie_pageable, ASSAY_LINK_PCIE_PAGEABLE));

}  // namespace

void ceiling_book::take(const assay_record& record) {
  if (record.direction == 0 || record.direction >= link_classes) return;
  const std::int64_t took_ns = saturating_sub(record.end_ns, record.start_ns);
  if (took_ns <= 0 || record.amount <= 0) return;
  measured& link = measured_[record.direction];
  const double rate = static_cast<double>(record.amount) * 1e9 / static_cast<double>(took_ns);
  link.best_bytes_per_s = std::max(link.best_bytes_per_s, rate);
  ++link.samples;
  link.working_set_bytes = std::max(link.working_set_bytes, record.extra[0]);
}

void ceiling_book::state(telemetry::link_class link, const ceiling& stated) {
  stated_[static_cast<std::size_t>(link)] = stated;
}

ceiling ceiling_book::of(telemetry::link_class link) const {
  ceiling out = stated_[static_cast<std::size_t>(link)];
  const measured& own = measured_[static_cast<std::size_t>(link)];
  out.working_set_bytes = own.working_set_bytes;
  if (out.soft_bytes_per_s > 0.0) return out;
  out.samples = own.samples;
  if (own.samples >= soft_min_samples) out.soft_bytes_per_s = own.best_bytes_per_s * soft_margin;
  return out;
}

}  // namespace assay::audit
