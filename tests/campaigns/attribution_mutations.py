# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""attribution_mutations.py COPY: moves time between parts of a step, one mistake after the other, in
a copy of the source that is configured; which tests turn red, of traces made by hand and of live runs
with planted lengths. Exit code 1: a mistake that neither sees."""
import os
import re
import subprocess
import sys

PASSES = "harness/attribution/pass_fold.cpp"
TIMELINE = "harness/attribution/timeline.cpp"
JOIN = "harness/attribution/call_join.cpp"

# What was done, where, the text and what takes its place.
MUTATIONS = [
    ("h2d and d2h copies exchanged", PASSES,
     "if (direction == ASSAY_H2D) return time_part::h2d;",
     "if (direction == ASSAY_D2H) return time_part::h2d;"),
    ("copies of h2d counted as d2d", PASSES,
     "if (direction == ASSAY_H2D) return time_part::h2d;",
     "if (direction == ASSAY_H2D) return time_part::d2d;"),
    ("d2h copies counted as d2d", PASSES,
     "return direction == ASSAY_D2H ? time_part::d2h : time_part::d2d;",
     "return time_part::d2d;"),
    ("copies counted as compute", PASSES,
     "made.part = part_of_copy(activity.direction);",
     "made.part = part_of_copy(activity.direction); made.part = time_part::launch;"),
    ("launches counted as events", PASSES,
     "    made.part = time_part::launch;\n",
     "    made.part = time_part::event;\n"),
    ("launches counted as h2d", PASSES,
     "    made.part = time_part::launch;\n",
     "    made.part = time_part::h2d;\n"),
    ("waits counted as submission", PASSES,
     "waits ? time_part::sync : time_part::submit",
     "waits ? time_part::submit : time_part::submit"),
    ("submission counted as waits", PASSES,
     "waits ? time_part::sync : time_part::submit",
     "waits ? time_part::sync : time_part::sync"),
    ("the two exchanged", PASSES,
     "waits ? time_part::sync : time_part::submit",
     "waits ? time_part::submit : time_part::sync"),
    ("gaps counted as waits", PASSES,
     "add({work.call_end_ns, activity.start_ns, time_part::gap, 0});",
     "add({work.call_end_ns, activity.start_ns, time_part::sync, 0});"),
    ("gaps left out", PASSES,
     "if (work.has_call && work.call_end_ns < activity.start_ns)",
     "if (false)"),
    ("gaps counted as compute", PASSES,
     "add({work.call_end_ns, activity.start_ns, time_part::gap, 0});",
     "add({work.call_end_ns, activity.start_ns, time_part::launch, 0});"),
    ("gaps begin with the call", PASSES,
     "add({work.call_end_ns, activity.start_ns, time_part::gap, 0});",
     "add({work.call_begin_ns, activity.start_ns, time_part::gap, 0});"),
    ("calls that submit left out", PASSES,
     "add({call.start_ns, call.end_ns, waits ? time_part::sync : time_part::submit, 0});",
     "if (waits) add({call.start_ns, call.end_ns, time_part::sync, 0});"),
    ("calls that wait left out", PASSES,
     "add({call.start_ns, call.end_ns, waits ? time_part::sync : time_part::submit, 0});",
     "if (!waits) add({call.start_ns, call.end_ns, time_part::submit, 0});"),
    ("the residual is what compute leaves", PASSES,
     "line.residual_ns = uncovered_ns(pieces_, begin_ns, record.end_ns);",
     "line.residual_ns = wall_ns - line.parts[0];"),
    ("the residual goes to waits", PASSES,
     "line.residual_ns = uncovered_ns(pieces_, begin_ns, record.end_ns);",
     "line.residual_ns = 0; line.parts[7] += uncovered_ns(pieces_, begin_ns, record.end_ns);"),
    ("the residual goes to compute", PASSES,
     "line.residual_ns = uncovered_ns(pieces_, begin_ns, record.end_ns);",
     "line.residual_ns = 0; line.parts[0] += uncovered_ns(pieces_, begin_ns, record.end_ns);"),
    ("a tenth of compute goes to waits", PASSES,
     "line.parts = parts.on_path_ns;",
     "line.parts = parts.on_path_ns; line.parts[7] += line.parts[0] / 10; line.parts[0] -= "
     "line.parts[0] / 10;"),
    ("30 us of compute go to submission", PASSES,
     "line.parts = parts.on_path_ns;",
     "line.parts = parts.on_path_ns; line.parts[6] += 30'000; line.parts[0] -= 30'000;"),
    ("of several parts the last has an instant", TIMELINE,
     "for (std::size_t part = 0; part < model::time_part_count; ++part) {\n      if "
     "(open_[part] == 0) continue;",
     "for (std::size_t part = model::time_part_count; part-- > 0;) {\n      if (open_[part] == "
     "0) continue;"),
    ("each step has the parts of the one before", PASSES,
     "  if (open_kind_ == ASSAY_WINDOW_DECODE_STEP) steps_.push_back(line);",
     "  static model::part_times_ns kept{}; std::swap(kept, line.parts); if (open_kind_ == "
     "ASSAY_WINDOW_DECODE_STEP) steps_.push_back(line);"),
    ("what ran is joined to the call behind its own", JOIN,
     "    made.call_end_ns = call->end_ns;",
     "    made.call_end_ns = (call + 1 == calls_.end() ? call : call + 1)->end_ns;"),
]


def failed(build, test, filtered):
    """Names of the tests that fail."""
    ran = subprocess.run([os.path.join(build, test), "--gtest_filter=" + filtered],
                         capture_output=True, text=True, check=False)
    return sorted(set(re.findall(r"^\[  FAILED  \] [^.\s]+\.(\w+)", ran.stdout, re.MULTILINE)))


def verdict(copy):
    build = os.path.join(copy, "build/default")
    built = subprocess.run(["nice", "cmake", "--build", build, "-j2", "--target", "selftest_test",
                            "attribution_test"], capture_output=True, text=True, check=False)
    if built.returncode != 0:
        raise SystemExit(built.stdout[-2000:])
    return (failed(build, "tests/selftest/selftest_test", "Planted.*"),
            failed(build, "tests/attribution/attribution_test", "RecordedPlants.*"),
            failed(build, "tests/attribution/attribution_test", "-RecordedPlants.*"))


def told(tests):
    return ", ".join(f"`{each}`" for each in tests) or "none"


def main():
    copy = sys.argv[1]
    before = sum(verdict(copy), [])
    if before:
        raise SystemExit(f"red without a mistake: {before}")
    print("| mistake | where | red in live runs with planted lengths | red in a run recorded on an H200 "
          "| tests of traces made by hand that are red |")
    print("|---|---|---|---|---:|")
    seen = 0
    of_gpu = 0
    for what, path, find, replace in MUTATIONS:
        where = os.path.join(copy, path)
        with open(where, encoding="utf-8") as file:
            whole = file.read()
        if whole.count(find) != 1:
            raise SystemExit(f"{what}: {path} has its text {whole.count(find)} times, wanted once")
        with open(where, "w", encoding="utf-8") as file:
            file.write(whole.replace(find, replace))
        try:
            live, recorded, by_hand = verdict(copy)
        finally:
            with open(where, "w", encoding="utf-8") as file:
                file.write(whole)
        seen += 1 if live or recorded or by_hand else 0
        of_gpu += 1 if recorded else 0
        print(f"| {what} | `{path}` | {told(live)} | {told(recorded)} | {len(by_hand)} |", flush=True)
    print(f"\n{seen} of {len(MUTATIONS)} are seen, {of_gpu} of {len(MUTATIONS)} in the run recorded on an H200.")
    return 0 if seen == len(MUTATIONS) else 1


if __name__ == "__main__":
    sys.exit(main())
