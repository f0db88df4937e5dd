// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// What a worker and the one who drives it say to each other, a line at a time. The driver
// (harness/compare/slice_worker.h) has its own copy of these words: the two are different programs.
#pragma once

#include <string_view>

namespace assay::bench {

/// Asked with --benchmark_list_tests, which a foreign binary takes for a wish to list: none starts
/// to measure by mistake.
inline constexpr std::string_view protocol_flag = "--assay_worker_protocol";
inline constexpr std::string_view protocol_words = "assay worker 1";

/// "--assay_worker=NAME": the row to run.
inline constexpr std::string_view worker_flag = "--assay_worker=";
/// The worker's first line, once its operands are there and have been used.
inline constexpr std::string_view ready_words = "ready";
/// To the worker: "slice NS". Its answer: "slice CALLS NS", what it did and how long that took.
inline constexpr std::string_view slice_word = "slice";

}  // namespace assay::bench
