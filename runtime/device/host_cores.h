// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// How many cores this process may keep busy.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::device {

/// Cores that a cgroup's cpu.max grants, rounded up; nothing where it sets no limit or is not one.
/// Shape of the text: "QUOTA PERIOD" in µs, QUOTA may be "max".
std::optional<std::uint32_t> cores_of_quota(std::string_view cpu_max) noexcept;

/// The affinity mask's cores, or fewer where this process's cgroup or one above it grants fewer.
/// At least 1.
std::uint32_t usable_cores();

}  // namespace assay::device
