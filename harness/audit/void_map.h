// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What of the ground truth cannot be trusted, and why: by cell, by source, or all of it.
#pragma once

#include <array>
#include <string>

#include "harness/audit/evidence.h"

namespace assay::audit {

/// A reason a scope; empty where the scope stands. The first reason of a scope stays.
struct void_map {
  std::string all_device;                            ///< every device record and every event
  std::array<std::string, cell_total> cell;          ///< every measure of the cell
  std::array<std::string, cell_total> cell_times;    ///< its times only
  std::string all_times;                             ///< times of every device record
  std::array<std::string, range_slots> memory;       ///< memory records of the range
  std::array<std::string, range_slots> event_spans;  ///< the harness's own events around the range
  std::array<std::string, source_total> source;      ///< one kind of reference
  std::string no_records;   ///< nobody recorded the device's work: every claim on it
  std::string gaps;         ///< observations that rest on device records with gaps in their windows
  std::string wrong_times;  ///< observations of times that rest on records with wrong times
};

/// Sets a reason unless the scope already has one.
void blame(std::string& scope, const std::string& reason);

/// Marks the references that the map touches as void. Where nobody recorded the device's work, a
/// counter that claims some gets the reference that it lacks, void.
void apply(const void_map& voids, evidence& on);

}  // namespace assay::audit
