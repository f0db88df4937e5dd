# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""evidence.py DIR NAME [--commit ID] [--date YYYY-MM-DD]: NAME.md and NAME.json of what ci/gpu left in DIR.

What a leg did not leave is told as missing. Nothing is judged here: each figure is a log's, or a
median of the raw samples in NAME.json. Times there are rounded to a nanosecond.
"""
import argparse
import json
import pathlib
import re
import statistics

# CUPTI's records and the times that it stamps on events are one party's word.
PARTY = {"device records": "CUPTI", "events": "CUPTI"}
SIGN = {"equal": "=", "near": "≈", "at least": "≥", "at most": "≤"}


def text_of(path):
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def json_of(path):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def rounded(value):
    if isinstance(value, float):
        return round(value, 9) if abs(value) < 1e3 else float(f"{value:.6g}")
    if isinstance(value, list):
        return [rounded(each) for each in value]
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    return value


def machine_lines(at):
    rows = text_of(at / "gpu.csv").strip().splitlines()
    if len(rows) < 2:
        return ["* machine: gpu.csv is missing"]
    named = zip(rows[0].split(", "), rows[1].split(", "))
    return ["* machine: " + ", ".join(f"{name} {value}" for name, value in named)]


def test_lines(at):
    for path in sorted(at.glob("*.log")):
        text = text_of(path)
        ran = re.findall(r"^\[==========\] (\d+) tests? from .* ran\.", text, re.M)
        if not ran:
            if "[ RUN      ]" in text:
                yield f"| {path.stem} | | did not end |"
            continue
        failed = re.findall(r"^\[  FAILED  \] (\S+) \(", text, re.M)
        passed = re.findall(r"^\[  PASSED  \] (\d+)", text, re.M)
        skipped = re.findall(r"^\[  SKIPPED \] (\d+)", text, re.M)
        errors = re.findall(r"ERROR SUMMARY: (\d+)|RACECHECK SUMMARY: (\d+)", text)
        words = f"{passed[0] if passed else 0} passed, {len(set(failed))} failed, {skipped[0] if skipped else 0} skipped"
        if errors:
            words += f"; errors by the tool: {''.join(errors[-1])}"
        if failed:
            words += ": " + ", ".join(sorted(set(failed)))
        yield f"| {path.stem} | {ran[-1]} | {words} |"


def replayed_lines(at):
    """Kernels of the captured step that ran under each tool, as the test itself names them."""
    for tool in ("memcheck", "racecheck", "initcheck"):
        text = text_of(at / f"{tool}.log")
        # A test that failed may have replayed less than it names.
        if "[       OK ] ReplayedStep." in text:
            for times, name in re.findall(r"^replayed kernel: (\d+) x (.+)$", text, re.M):
                yield f"| {tool} | {times} | `{name}` |"


def audit_lines(at, page="audits.md"):
    rows = [[cell.strip() for cell in line.strip("|").split("|")]
            for line in text_of(at / page).splitlines()[2:]]
    scenarios = list(dict.fromkeys(row[0] for row in rows))
    for scenario in scenarios:
        mine = [row for row in rows if row[0] == scenario]
        clean = [row for row in mine if row[2] == "0" and row[3].endswith("; 0 findings")]
        heads = sorted({row[3] for row in mine})
        yield f"| {scenario} | {len(clean)} of {len(mine)} | {'; or '.join(heads)} |"


def quantity(value):
    if "value" not in value:
        return value.get("absence", "")
    number = value["value"]
    return f"{number:,}" if isinstance(number, int) else f"{number:.6g}"


def references_of(counter):
    """Those that were compared and hold, as words; and the parties that they are of."""
    words, parties = [], set()
    for each in counter.get("references", []):
        if each.get("is_void") or not each.get("holds", False):
            continue
        words.append(f"{SIGN.get(each['relation'], each['relation'])} {each['source']}")
        parties.add(PARTY.get(each["source"], each["source"]))
    return list(dict.fromkeys(words)), parties


def counter_lines(report):
    rows = []
    for counter in report["counters"]:
        words, parties = references_of(counter)
        rows.append((len(parties) >= 2, counter, words, parties))
    few = [row for row in rows if not row[0]]
    yield f"{len(rows) - len(few)} counters have two parties' references or more; {len(few)} have fewer and stand first."
    yield ""
    yield "| counter | verdict | claimed | references that hold | parties | why |"
    yield "|---|---|---:|---|---:|---|"
    for _, counter, words, parties in few + [row for row in rows if row[0]]:
        yield (f"| {counter['name']} | {counter['verdict']} | {quantity(counter['claimed'])} | {', '.join(words)} | "
               f"{len(parties)} | {counter.get('reason', '')} |")


def gate_lines(report):
    yield "| gate | state | samples | detail |"
    yield "|---|---|---:|---|"
    for gate in report.get("gates", []):
        tried = gate["evaluated_samples_count"]
        state = "holds" if gate["holds"] else "VOID" if tried else "undecided"
        yield f"| {gate['id']} {gate['name']} | {state} | {tried} | {gate['detail']} |"


def spread(values):
    return f"{statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def prefill_lines(rows):
    yield "| shape | tokens | attention | tokens/s | products ÷ pass: median (least to most) | TFLOP/s of the pass, of the products |"
    yield "|---|---:|---|---:|---|---|"
    for row in rows.get("prefill", []):
        if row["tokens"] < 512:
            continue
        ratios = [plain / mine for plain, mine in zip(row["plain_s"], row["pass_s"])]
        yield (f"| {row['shape']} | {row['tokens']:,} | {row.get('attention', '')} | {row['tokens_per_s']:,.0f} | "
               f"{spread(ratios)} | {row['pass_flops_per_s'] * 1e-12:.0f}, {row['plain_flops_per_s'] * 1e-12:.0f} |")


def part_lines(rows):
    parts = rows.get("part", [])
    shapes = list(dict.fromkeys(row["shape"] for row in parts))
    yield "| part, µs at 2,048 tokens | " + " | ".join(shapes) + " |"
    yield "|---|" + "---:|" * len(shapes)
    for name in dict.fromkeys(row["part"] for row in parts):
        cells = [next((f"{row['median_s'] * 1e6:.1f}" for row in parts
                       if row["part"] == name and row["shape"] == shape), "") for shape in shapes]
        yield f"| {name} | " + " | ".join(cells) + " |"


def decode_lines(rows):
    yield "| shape | context | setting | tokens/s: median (least to most) | of the read bandwidth |"
    yield "|---|---:|---|---|---:|"
    for row in rows.get("decode", []):
        setting = (f"ring {row['ring_bytes'] // 1024} KiB, cluster {row['cluster_blocks']}, "
                   f"{'tensor' if row['has_tensor_attention'] else 'plain'}"
                   f"{', short stages' if row['has_short_stages'] else ''}"
                   f"{', prefetch' if row['prefetch_bytes'] else ''}{'' if row['may_overlap'] else ', in order'}")
        rates = [1 / s for s in row["step_s"]]
        yield (f"| {row['shape']} | {row['context_tokens']:,} | {setting} | {statistics.median(rates):,.1f} "
               f"({min(rates):,.1f} to {max(rates):,.1f}) | {100 * row['read_ratio']:.1f} % |")


def program_lines(at):
    for path in sorted(at.glob("program-*.log")):
        told = [line for line in text_of(path).splitlines() if re.match(r"(claimed|prompts|decode steps)", line)]
        if told:
            yield f"`assay decode --temperature {path.stem.split('-', 1)[1]}`:"
            yield ""
            yield "```"
            yield from told
            yield "```"


def fenced(text):
    return ["```", *text.rstrip().splitlines(), "```"] if text.strip() else ["missing"]


def table(head, rule, rows):
    rows = list(rows)
    return [head, rule, *rows] if rows else ["missing"]


def sections(at, raw):
    yield "Tests and sanitizers", table("| log | tests | outcome |", "|---|---:|---|", test_lines(at))
    yield "Replayed under the sanitizers", table("| tool | times | kernel |", "|---|---:|---|", replayed_lines(at))
    yield "Clean runs", table("| scenario | clean | headline |", "|---|---|---|", audit_lines(at))
    yield "Clean runs while weights stream", table("| limit | clean | headline |", "|---|---|---|",
                                                   audit_lines(at, "limit-audits.md"))
    report = raw["audit"]
    yield "Every counter with its references, 0.6B shape", list(counter_lines(report)) if report else ["missing"]
    yield "Gates of that run", list(gate_lines(report)) if report else ["missing"]
    yield "Lies, 0.6B shape", fenced(text_of(at / "selftest.log"))
    yield "Lies under a limit, 0.6B shape", fenced(text_of(at / "selftest-limit.log"))
    yield "Prefill", list(prefill_lines(raw["prefill"])) + [""] + list(part_lines(raw["prefill"])) \
        if raw["prefill"] else ["missing"]
    yield "Decode", list(decode_lines(raw["decode"])) if raw["decode"] else ["missing"]
    yield "The program", list(program_lines(at)) or ["missing"]
    cost = text_of(at / "cost.md").replace("\n## ", "\n### ").splitlines()[1:]
    yield "What the observers cost", cost or ["missing"]


def trimmed_audit(report):
    """Of the audit what the page says, without each rule's effort."""
    return report and {key: report[key] for key in ("counters", "gates", "facts") if key in report}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("name")
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--date", default="unknown")
    options = parser.parse_args()
    at = options.folder
    raw = {"date": options.date, "commit": options.commit, "gpu": text_of(at / "gpu.csv").strip().splitlines(),
           "audits": text_of(at / "audits.md").splitlines()[2:],
           "limit_audits": text_of(at / "limit-audits.md").splitlines()[2:], "audit": trimmed_audit(json_of(at / "audit-large.json")),
           "prefill": json_of(at / "prefill.json"), "decode": json_of(at / "decode.json"),
           "cost": json_of(at / "cost.json")}
    lines = ["# A GPU, judged and timed", "", f"* date: {options.date}", f"* commit: {options.commit}",
             *machine_lines(at), f"* raw samples: {pathlib.Path(options.name).name}.json", ""]
    for title, body in sections(at, raw):
        lines += [f"## {title}", "", *body, ""]
    pathlib.Path(options.name + ".md").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    pathlib.Path(options.name + ".json").write_text(json.dumps(rounded(raw), separators=(",", ":")) + "\n",
                                                    encoding="utf-8")


if __name__ == "__main__":
    main()
