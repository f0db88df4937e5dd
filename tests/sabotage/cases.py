# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Damage that the guard or the audit must see: each case is one mistake that somebody could make,
done to a copy of the source. Run by ci/sabotage."""
from dataclasses import dataclass

GUARD = "guard"  # assay guard --self COPY
AUDIT = "audit"  # assay audit
STEP = "runtime/engine/engine_step.cpp"
FLOW = "runtime/engine/request_flow.cpp"
MODEL = "runtime/engine/resident_model.cpp"
PAGES = "runtime/kv/kv_cache.cpp"
SUBMIT = "runtime/engine/submitter.cpp"
KNOBS = "runtime/telemetry/knobs.cpp"


@dataclass
class Case:
    name: str
    tells: str     # what somebody did
    path: str
    edits: list    # (find, replace); each stands in the file exactly once where code is built
    by: str        # what must turn red
    rule: str      # the rule that must say so
    subject: str   # and of what
    is_built: bool = True   # False: no code is touched that the program was built of
    is_cheap: bool = False  # one of those that continuous integration runs
    explained_by: str = ""  # the rule that must say why, where one must


CASES = [
    # Counters that nobody writes, moves, shows or explains.
    Case("writer-deleted", "the only write of a counter is gone", STEP,
         [("  counters.add(counter_id::kv_append_copies_count, tally.kv_append_copies);\n", "")],
         GUARD, "R25", "runtime.kv.append_copies_count"),
    Case("writer-deleted-seen-by-audit", "the same, and the audit alone looks", STEP,
         [("  counters.add(counter_id::logits_d2h_bytes, static_cast<std::int64_t>(bytes));\n", "")],
         AUDIT, "R13", "runtime.logits.d2h_bytes"),
    Case("hard-coded-zero", "a counter is written, and always 0", "runtime/sampling/sampler.cpp",
         [("greedy ? 0 : 1", "0")], GUARD, "R13", "runtime.sampling.random_draws_count"),
    Case("row-hidden", "one counter's row is left out of text and Markdown",
         "reports/wording/audit_words.cpp",
         [("if (line.verdict == wanted) lines.push_back(&line);",
           "if (line.verdict == wanted && !line.name.ends_with(\"ttft_ns\")) "
           "lines.push_back(&line);")], GUARD, "R26", "runtime.engine.ttft_ns"),
    Case("row-hidden-from-prometheus", "a counter of pages is no metric any more",
         "reports/prometheus/audit_prometheus.cpp",
         [("if (has_number(line.claimed) && is_first) {",
           "if (line.name.ends_with(\"capacity_pages\")) continue;\n"
           "    if (has_number(line.claimed) && is_first) {")], GUARD, "R26",
         "runtime.kv.capacity_pages"),
    Case("section-silenced", "a section opens and does not print what opened it",
         "reports/text/audit_text.cpp",
         [("    for (const auto& each : report_.unclaimed)",
           "    if (false)\n    for (const auto& each : report_.unclaimed)")], GUARD, "R26",
         "unclaimed activity"),
    Case("row-undocumented", "a counter's row of the page has another name", "docs/counters.md",
         [("runtime.arena.peak_bytes", "runtime.arena.top_bytes")], GUARD, "R26",
         "runtime.arena.peak_bytes", False),
    # Knobs.
    Case("knob-undocumented", "a knob's line is gone from the page", "docs/knobs.md",
         [("`ASSAY_HOST_SPIN_NS`", "`SPIN`")], GUARD, "R27", "ASSAY_HOST_SPIN_NS", False),
    Case("knob-documented-and-gone", "the page names a variable that nothing reads",
         "docs/knobs.md", [("`NO_COLOR`", "`ASSAY_HOST_PREFETCH` and `NO_COLOR`")], GUARD, "R27",
         "ASSAY_HOST_PREFETCH", False, True),
    Case("knob-latched", "the first value of each knob is kept for good", KNOBS,
         [("  const char* set = std::getenv(std::string(k.variable).c_str());\n"
           "  const std::string_view text =",
           "  static const char* kept[32] = {};\n"
           "  static bool is_read[32] = {};\n"
           "  const auto at = static_cast<std::size_t>(id);\n"
           "  if (!is_read[at]) kept[at] = std::getenv(std::string(k.variable).c_str());\n"
           "  is_read[at] = true;\n"
           "  const char* set = kept[at];\n"
           "  const std::string_view text =")], GUARD, "R27", "ASSAY_KV_PAGE_TOKENS"),
    Case("knob-frozen", "a knob is read and a constant is used", "harness/cli/run_options.cpp",
         [("  ASSAY_TRY_ASSIGN(options.page_tokens, "
           "telemetry::knob_value(telemetry::knob_id::kv_page_tokens));",
           "  options.page_tokens = 16;")], GUARD, "R27", "ASSAY_KV_PAGE_TOKENS"),
    Case("knob-ignored-by-its-user", "the number of threads is taken for a yes or no",
         "harness/cli/host_choice.cpp",
         [("static_cast<std::uint32_t>(std::min(wanted, most))",
           "static_cast<std::uint32_t>(wanted > 0 ? most : 1)")], GUARD, "R27",
         "ASSAY_HOST_THREADS"),
    # A comment must not count, so the copy has one of each.
    Case("name-in-code", "a counter's name stands in a string outside of the tables",
         "harness/cli/terminal.cpp",
         [("namespace assay::cli {\n",
           "namespace assay::cli {\n// \"runtime.kv.read_bytes\" in a comment is no use of it.\n"
           "[[maybe_unused]] constexpr const char* stray = \"runtime.kv.append_bytes\";\n")],
         GUARD, "R26", "runtime.kv.append_bytes", False, True),
    # Times.
    Case("timer-stops-at-the-enqueue", "the load is timed to the last call's return", MODEL,
         [("  auto placed = copy_all(from, at, transfer, counters);\n",
           "  const host_time entry = host_now();\n"
           "  auto placed = copy_all(from, at, transfer, counters);\n"
           "  const std::int64_t enqueue_ns = host_now() - entry;\n"),
          ("  counters.add(counter_id::weights_h2d_ns, h2d_ns);",
           "  counters.add(counter_id::weights_h2d_ns, enqueue_ns);")], AUDIT, "R05",
         "runtime.weights.h2d_ns"),
    Case("us-for-ns", "a time is added in microseconds", STEP,
         [("  counters.add(counter_id::compute_device_ns, compute_ns);",
           "  counters.add(counter_id::compute_device_ns, compute_ns / 1000);")], AUDIT, "R01",
         "runtime.compute.device_ns", explained_by="R10"),
    # No bytes go with a wait and no calls make it up: only the harness's own spans bound it.
    Case("us-for-ns-of-a-wait", "the time of each wait is added in microseconds", SUBMIT,
         [("  counters_->add(counter_id::device_sync_wait_ns, wait_ns);",
           "  counters_->add(counter_id::device_sync_wait_ns, wait_ns / 1000);")], AUDIT, "R05",
         "runtime.device.sync_wait_ns"),
    Case("drain-folded-into-a-step", "another stage's time and 0.1 ms are added to the kernels'",
         STEP,
         [("  counters.add(counter_id::compute_device_ns, compute_ns);",
           "  counters.add(counter_id::compute_device_ns, compute_ns + logits_ns + 100000);")],
         AUDIT, "R05", "runtime.compute.device_ns"),
    Case("stop-before-start", "a time's sign is turned", STEP,
         [("  counters.add(counter_id::inputs_h2d_ns, inputs_ns);",
           "  counters.add(counter_id::inputs_h2d_ns, -inputs_ns);")], AUDIT, "R16",
         "runtime.inputs.h2d_ns"),
    Case("host-wait-not-timed", "a hundredth of each wait is counted", SUBMIT,
         [("  const std::int64_t wait_ns = host_now() - entry;",
           "  const std::int64_t wait_ns = (host_now() - entry) / 100;")], AUDIT, "R05",
         "runtime.device.sync_wait_ns"),
    Case("rate-of-another-base", "a rate is made of the last step's time alone", FLOW,
         [("static_cast<double>(decode_steps_) * 1e9 / static_cast<double>(itl_ns_)",
           "static_cast<double>(decode_steps_) * 1e9 / static_cast<double>(itl_ns)")], AUDIT,
         "R05", "runtime.engine.decode_tokens_per_s"),
    # Amounts.
    Case("units-swapped", "bits for bytes", STEP,
         [("  counters.add(counter_id::kv_read_bytes, tally.kv_read_bytes);",
           "  counters.add(counter_id::kv_read_bytes, 8 * tally.kv_read_bytes);")], AUDIT, "R04",
         "runtime.kv.read_bytes"),
    Case("copy-counted-twice", "the copy and its completion both count", STEP,
         [("  counters.add(counter_id::inputs_h2d_copies_count, 1);",
           "  counters.add(counter_id::inputs_h2d_copies_count, 2);")], AUDIT, "R04",
         "runtime.inputs.h2d_copies_count"),
    Case("free-not-counted", "pages that are given back are not counted", PAGES,
         [("  add(counter_id::kv_freed_pages, &page_tally::freed_pages);\n", "")], AUDIT, "R13",
         "runtime.kv.freed_pages"),
    Case("count-of-a-copy-that-failed", "every seventh copy is counted with its retry", MODEL,
         [("    counters.add(counter_id::weights_h2d_copies_count, 1);",
           "    counters.add(counter_id::weights_h2d_copies_count, "
           "tensor.name.size() % 7 == 0 ? 2 : 1);")], AUDIT, "R04",
         "runtime.weights.h2d_copies_count"),
    Case("wait-left-out", "short waits are not counted", SUBMIT,
         [("  counters_->add(counter_id::device_syncs_count, 1);",
           "  counters_->add(counter_id::device_syncs_count, wait_ns > 50000000 ? 1 : 0);")], AUDIT,
         "R13", "runtime.device.syncs_count"),
    Case("host-wait-uncounted", "a wait is made that no counter knows of", SUBMIT,
         [("  auto waited = device_->synchronize(stream_);\n",
           "  auto waited = device_->synchronize(stream_);\n"
           "  if (waited) waited = device_->synchronize(stream_);\n")], AUDIT, "R04",
         "runtime.device.syncs_count"),
    Case("bytes-of-the-request", "a copy's bytes are those of its whole buffer", STEP,
         [("  counters.add(counter_id::inputs_h2d_bytes, static_cast<std::int64_t>(bytes));",
           "  counters.add(counter_id::inputs_h2d_bytes, 4096);")], AUDIT, "R04",
         "runtime.inputs.h2d_bytes"),
]
