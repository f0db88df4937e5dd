// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What was asked of this run, what it was built with, and how the host is set.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probes/trace/run_facts.h"

namespace assay::cli {

/// A command line out of /proc/PID/cmdline, as a shell would take it again; cut where it is long,
/// and says so. Pure.
std::string command_words(std::string_view nul_separated);

/// The knobs that the environment sets, as it sets them.
std::string knob_words();

/// Command line, knobs, build type, compile flags, C library.
std::vector<trace::named_fact> flag_facts();

/// Frequency governor, turbo, huge pages, quota of the control group: each in words, or why nobody
/// can say. `proc` and `sys` are for tests.
std::vector<trace::named_fact> setting_facts(const std::string& proc = "/proc",
                                             const std::string& sys = "/sys");

/// Of each setting that is another one now: "NAME after". Pure.
std::vector<trace::named_fact> changed_settings(const std::vector<trace::named_fact>& before,
                                                const std::vector<trace::named_fact>& after);

}  // namespace assay::cli
