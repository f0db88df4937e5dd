#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""timeline_viewer.py ENGINE CATAPULT PICTURES TIMELINE…: what two viewers read out of timelines, held
against what stands in the files: slices by track and name, arrows by the two slices that they join. ENGINE: a folder with Perfetto's trace processor, the parser behind
ui.perfetto.dev; CATAPULT: catapult_trace_viewer.html, the viewer of chrome://tracing, which is opened in
headless Chromium and leaves a picture of each timeline. Prints a table in Markdown; fails where a viewer
lacks an event, names a track otherwise, or complains."""
import bisect
import collections
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "reports"))
import browser  # noqa: E402

IMPORT = """(() => {
  const model = new tr.Model();
  new tr.importer.Import(model).importTraces([given]);
  const slices = {}, processes = {}, arrows = {};
  for (const each of model.flowEvents) {
    const key = (each.startSlice || {}).title + ' > ' + (each.endSlice || {}).title;
    arrows[key] = (arrows[key] || 0) + 1;
  }
  let samples = 0, instants = 0;
  for (const process of model.getAllProcesses()) {
    processes[process.pid] = process.name;
    instants += process.instantEvents.length;
    for (const counter of Object.values(process.counters)) samples += counter.timestamps.length;
    for (const thread of Object.values(process.threads))
      for (const slice of thread.sliceGroup.slices) {
        const key = process.pid + '|' + thread.name + '|' + slice.title;
        slices[key] = (slices[key] || 0) + 1;
      }
  }
  return JSON.stringify({slices, processes, samples, instants, arrows,
    complaints: model.importWarnings.map(each => each.type + ': ' + each.message)});
})()"""


def written(path):
    """What stands in the file, counted as a viewer shows it."""
    with open(path, encoding="utf-8") as read:
        events = json.load(read)["traceEvents"]
    names = {(each["pid"], each["tid"]): each["args"]["name"] for each in events if each["name"] == "thread_name"}
    slices = collections.Counter(f"{each['pid']}|{names[each['pid'], each['tid']]}|{each['name']}"
                                 for each in events if each["ph"] in "XB")
    lying = collections.defaultdict(list)
    for each in events:
        if each["ph"] == "X":
            lying[each["pid"], each["tid"]].append((each["ts"], each["name"]))
    for track in lying.values():
        track.sort()
    ends = collections.defaultdict(dict)
    for each in events:
        if each["ph"] in "sf":
            track = lying[each["pid"], each["tid"]]
            ends[each["id"]][each["ph"]] = track[bisect.bisect(track, (each["ts"], chr(0x10ffff))) - 1][1]
    arrows = collections.Counter(f"{each['s']} > {each['f']}" for each in ends.values())
    count = lambda phase: sum(each["ph"] == phase for each in events)
    return {"slices": dict(slices), "samples": count("C"), "instants": count("i"), "arrows": dict(arrows),
            "processes": {str(each["pid"]): each["args"]["name"] for each in events if each["name"] == "process_name"},
            "complaints": []}


def by_perfetto(engine, path):
    done = subprocess.run(["node", os.path.join(HERE, "timeline_processor.mjs"), engine, path], check=True,
                          capture_output=True, text=True)
    told = json.loads(done.stdout)
    slices = collections.Counter()
    for process, _, track, name, count, *_ in told["slices"]:
        slices[f"{process}|{track}|{name}"] += count
    return {"slices": dict(slices), "samples": sum(row[1] for row in told["counters"]),
            "instants": sum(row[2] for row in told["elsewhere"]),
            "arrows": {f"{start} > {end}": count for start, end, count in told["flows"]},
            "processes": {str(pid): name for pid, name in told["processes"]},
            "complaints": [f"{name}: {value}" for name, _, value in told["complaints"]]}


def by_chrome(page, path, picture):
    one = browser.Browser()
    try:
        one.open(page, 1600, 900)
        with open(path, encoding="utf-8") as read:
            one.value("window.given = " + json.dumps(read.read()) + "; 1")
        told = json.loads(one.value(IMPORT))
        one.value("document.querySelector('x-profiling-view').setActiveTrace('timeline', given); 1")
        one.value("new Promise(done => setTimeout(() => done(1), 8000))")
        one.picture(picture)
        return told
    finally:
        one.close()


def main():
    engine, page, pictures, *paths = sys.argv[1:]
    wrong = []
    print("| timeline | told by | ranges, calls and work | tracks | counter samples | instants | arrows | copy to launch | copy to sync | complaints |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for path in paths:
        name = os.path.splitext(os.path.basename(path))[0]
        file = written(path)
        for who, told in (("the file", file), ("Perfetto", by_perfetto(engine, path)),
                          ("chrome://tracing", by_chrome(page, path, os.path.join(pictures, name + ".png")))):
            tracks = {key.rsplit("|", 1)[0] for key in told["slices"]}
            arrows = {end: sum(count for key, count in told["arrows"].items()
                               if key.startswith("copy") and key.split(" > ")[1].startswith(end))
                      for end in ("launch", "sync")}
            print(f"| {name} | {who} | {sum(told['slices'].values()):,} | {len(tracks)} | {told['samples']:,} | "
                  f"{told['instants']} | {sum(told['arrows'].values()):,} | {arrows['launch']:,} | {arrows['sync']:,} | {len(told['complaints'])} |", flush=True)
            wrong += [f"{name}, {who}: {what} differ" for what in file if told[what] != file[what]]
            wrong += [f"{name}, {who}: {each}" for each in told["complaints"][:3]]
    return "\n".join(wrong) if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
