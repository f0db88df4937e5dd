# SPDX-FileCopyrightText: The Assay authors
# SPDX-License-Identifier: Apache-2.0
"""Without this, a page could throw, fetch, run over the edge of a telephone, or plot figures that
are not those of the JSON, and every test of its text would pass.
browser_test.py ASSAY FOLDER: exit code 77 where there is no Chromium."""
import json
import os
import subprocess
import sys
import unittest

import browser

ASSAY, FOLDER = sys.argv[1:3]
PARTS = {"compute": "compute_ns", "h2d": "h2d_ns", "d2h": "d2h_ns", "d2d": "d2d_ns",
         "events": "events_ns", "launch gaps": "launch_gaps_ns", "submission": "submission_ns",
         "synchronisation": "synchronisation_ns"}
DATA = "JSON.parse(document.querySelector('#%s script').textContent)"
ROWS = "document.querySelectorAll('table:not(.u-legend) tbody tr').length"
WIDTHS = (360, 800, 1280, 2560)


def path(name):
    return os.path.join(FOLDER, name)


def run(*command):
    got = subprocess.run([ASSAY, *command], capture_output=True, text=True, check=False)
    if got.returncode not in (0, 1, 3, 4):
        raise RuntimeError(f"assay {' '.join(command)}: {got.returncode}: {got.stderr}")


def make_pages():
    """Of traces made here and now; a busy machine may leave a verdict undecided."""
    if os.path.exists(path("kept.db")):
        os.remove(path("kept.db"))
    run("audit", "--vram-limit", "0.5", "--out-trace", path("one.trace"))
    run("report", path("one.trace"), "--html", path("one.html"), "--json", path("one.json"))
    run("audit", "--out-trace", path("other.trace"))
    run("report", path("other.trace"), path("one.trace"), "--html", path("two.html"), "--json",
        path("two.json"))
    for at in range(18):  # of fewer no step could be told from chance, among so many series
        run("report", path("one.trace" if at < 9 else "other.trace"), "--history",
            path("kept.db"), "--commit", f"c{at:03}")
    run("history", "changes", "--history", path("kept.db"), "--html", path("trends.html"))


def read(name):
    with open(path(name), encoding="utf-8") as file:
        return json.load(file)


class Detectors(unittest.TestCase):
    """Each complaint is made of a page that earns it."""

    def complaints_of(self, body, width=360):
        with open(path("bad.html"), "w", encoding="utf-8") as file:
            file.write("<!doctype html><meta charset=utf-8><title>bad</title>" + body)
        PAGE.open(path("bad.html"), width)
        return PAGE.complaints()

    def test_a_page_that_does_nothing_earns_none(self):
        self.assertEqual(self.complaints_of("<p>fine"), [])
        self.assertLessEqual(PAGE.overflow(), 0)

    def test_each_earns_its_own(self):
        for body, wanted in (("<script>console.error('x')</script>", "console"),
                             ("<script>nothing.there()</script>", "threw"),
                             ("<img src='other.png'>", "asked for"),
                             ("<script>fetch('http://127.0.0.1:9/x').catch(()=>0)</script>",
                              "asked for")):
            self.assertTrue(any(wanted in each for each in self.complaints_of(body)), body)

    def test_a_wide_page_runs_over(self):
        self.complaints_of("<div style='width:400px'>x</div>")
        self.assertEqual(PAGE.overflow(), 48)  # its margin is 8


class OpenPage(unittest.TestCase):
    """Each test begins on the page as it is loaded, and no test may leave a complaint."""

    def setUp(self):
        PAGE.scripts(True)
        PAGE.media()
        PAGE.open(path(self.page))

    def tearDown(self):
        self.assertEqual(PAGE.complaints(), [])

    def check_widths(self, picture, height_px):
        for width in WIDTHS:
            PAGE.size(width)
            PAGE.settle()
            self.assertLessEqual(PAGE.overflow(), 0, width)
        PAGE.size(1280)
        PAGE.picture(path(picture), height_px)


class Investigation(OpenPage):
    page = "one.html"

    @classmethod
    def setUpClass(cls):
        cls.json = read("one.json")

    def test_it_fits_every_width_with_everything_open(self):
        for width in WIDTHS:
            PAGE.size(width)
            PAGE.settle()
            self.assertLessEqual(PAGE.overflow(), 0, width)
        PAGE.value("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        for width in WIDTHS:
            PAGE.size(width)
            PAGE.settle()
            self.assertLessEqual(PAGE.overflow(), 0, f"{width}, open")

    def test_screenshots(self):
        for width in (360, 1280, 2560):
            PAGE.size(width)
            PAGE.settle()
            PAGE.picture(path(f"one-{width}.png"), 4000)
        PAGE.size(1280)
        PAGE.media(prefers_color_scheme="dark")
        PAGE.picture(path("one-dark.png"), 4000)

    def test_steps_are_those_of_the_json(self):
        view = PAGE.value(DATA % "steps")["views"][0]
        steps = self.json["steps"]
        self.assertGreater(len(steps), 100)
        plotted = {each["name"]: each["values"] for each in view["series"]}
        for name in plotted:
            wanted = [each["wall_ns"] if name == "wall" else each["residual_ns"]
                      if name == "residual" else each["parts"][PARTS[name]] for each in steps]
            self.assertEqual(plotted[name], wanted, name)
        for name, key in PARTS.items():
            if name not in plotted:
                self.assertFalse(any(each["parts"][key] for each in steps), name)
        # The table beside the plot says the same.
        rows = PAGE.value("Array.from(document.querySelectorAll('#steps-0 tbody tr'), row => "
                          "Array.from(row.cells, cell => Number(cell.textContent)))")
        self.assertEqual([row[0] for row in rows], view["places"])
        for at, each in enumerate(view["series"]):
            self.assertEqual([row[at + 1] for row in rows], each["values"])

    def test_operators_lie_under_their_roofs_where_the_json_has_them(self):
        roof = self.json["roofline"]
        shown = [each for each in roof["points"]
                 if each["operations_per_s"].get("value", 0) > 0
                 and "value" in each["roof_ratio"]]
        self.assertGreater(len(shown), 5)
        view = PAGE.value(DATA % "roofline-plot")["views"][0]
        lines = {each["name"]: each["values"] for each in view["series"]}
        plotted = sorted((at, y) for at, y in zip(view["places"], lines["achieved"]) if y)
        self.assertEqual(plotted, sorted(
            ((each["told_operations_per_byte"].get("value")
              or each["ledger_operations_per_byte"]["value"]), each["operations_per_s"]["value"])
            for each in shown))
        reads = roof["read_bytes_per_s"]["value"]
        most = roof["arithmetic"][0]["operations_per_s"]["value"]
        for at, y in zip(view["places"], lines["roof, f32 multiply-adds"]):
            self.assertAlmostEqual(y / min(reads * at, most), 1, places=9)
        # Keys walk from the left end to the right one and name what is there.
        PAGE.value("document.querySelector('#roofline-plot .plot-host').focus()")
        said = []
        for _ in view["places"]:
            PAGE.key("ArrowRight")
            said.append(PAGE.value("document.querySelector('#roofline-plot .said').textContent"))
        for name, words in zip(view["placeNames"], said):
            self.assertIn(name, words)
        self.assertIn("FLOP/s", said[1])
        PAGE.key("+", "+")
        PAGE.key("Escape")
        rows = PAGE.value("Array.from(document.querySelectorAll('#roofline tbody tr'), row => "
                          "row.cells[9].textContent)")
        self.assertEqual(len(rows), len(roof["points"]))

    def test_courses_are_those_of_the_json(self):
        for plot, key in (("levels-plot", "levels"), ("flows-plot", "flows"),
                          ("deviations-plot", "deviations"), ("machine-plot", "conditions")):
            wanted = {}
            for each in self.json[key]:
                if key == "conditions" and (each["samples_count"] < 2 or each["kind"] == "bits"):
                    continue
                if each["least"] != each["most"]:
                    name = each["name"] + (" less " + each["against"] if "against" in each else "")
                    wanted[name] = [[s[k] for s in each["stretches"]]
                                    for k in ("begin_ns", "least", "most")]
            got = {each["name"]: [each["places"], *(s["values"] for s in each["series"])]
                   for each in PAGE.value(DATA % plot)["views"]} if wanted else {}
            self.assertEqual(got, wanted, plot)
            self.assertTrue(wanted, plot)

    def test_tables_are_those_of_the_json(self):
        cells = PAGE.value("Array.from(document.querySelectorAll('#time tbody tr'), row => "
                           "Array.from(row.cells, cell => cell.dataset.sort ?? cell.textContent))")
        seen = {(row[0], row[1]): row[2] for row in cells}
        for kind in ("decode", "prefill"):
            for name, key in PARTS.items():
                self.assertAlmostEqual(float(seen[kind, name]), self.json[kind]["parts"][key],
                                       delta=1e-8 * self.json[kind]["wall_ns"])
            for name, key in (("residual", "residual_ns"), ("wall", "wall_ns")):
                self.assertAlmostEqual(float(seen[kind, name]), self.json[kind][key],
                                       delta=1e-8 * self.json[kind]["wall_ns"])
        verdicts = PAGE.value("Object.fromEntries(Array.from(document.querySelectorAll("
                              "'#counters tbody tr'), row => [row.cells[1].textContent, "
                              "row.cells[0].textContent]))")
        self.assertEqual(verdicts, {each["name"]: each["verdict"]
                                    for each in self.json["audit"]["counters"]})

    def test_every_figure_is_drawn(self):
        drawn = PAGE.value(
            "Array.from(document.querySelectorAll('figure.chart canvas'), canvas => { const all = "
            "canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data; "
            "return new Set(new Uint32Array(all.buffer)).size; })")
        self.assertEqual(len(drawn), PAGE.value("document.querySelectorAll('figure.chart').length"))
        self.assertGreaterEqual(len(drawn), 4)
        for colours in drawn:
            self.assertGreater(colours, 3)

    def test_tables_sort_and_filter(self):
        heads = ("document.querySelectorAll('#slowest thead button')[2]", "Number(row.cells[2]"
                 ".dataset.sort)")
        column = f"Array.from(document.querySelectorAll('#slowest tbody tr'), row => {heads[1]})"
        for wanted in (True, False):
            PAGE.value(heads[0] + ".click()")
            values = PAGE.value(column)
            self.assertEqual(values, sorted(values, reverse=wanted))
        PAGE.value("(() => { const box = document.querySelector('.tools[data-for=counters] input');"
                   "box.value = 'paging.hits'; box.dispatchEvent(new Event('input')); })()")
        shown = PAGE.value("Array.from(document.querySelectorAll('#counters tbody tr:not([hidden])')"
                           ", row => row.cells[1].textContent)")
        self.assertTrue(shown)
        for name in shown:
            self.assertIn("paging.hits", name)

    def test_keys_walk_through_a_plot_and_say_where_they_are(self):
        PAGE.value("document.querySelector('#steps .plot-host').focus()")
        said = "document.querySelector('#steps .said').textContent"
        for key, at in (("ArrowRight", 0), ("ArrowRight", 1), ("End", -1), ("Home", 0)):
            PAGE.key(key)
            wall = self.json["steps"][at]["wall_ns"]
            self.assertIn(f"({wall:,})", PAGE.value(said), key)
        PAGE.key("+", "+")
        PAGE.key("Escape")
        PAGE.value("document.querySelector('#steps .u-legend .u-series:nth-child(2) th').focus()")
        PAGE.key("Enter")
        self.assertEqual(PAGE.value("document.activeElement.getAttribute('aria-pressed')"), "false")

    def test_another_view_can_be_chosen(self):
        chosen = PAGE.value(
            "(() => { const box = document.querySelector('#flows-plot select'); box.value = '1'; "
            "box.dispatchEvent(new Event('change')); return box.options[1].text; })()")
        self.assertEqual(chosen, PAGE.value(DATA % "flows-plot")["views"][1]["name"])

    def test_the_contents_lead_to_every_section(self):
        led = PAGE.value("Array.from(document.querySelectorAll('nav a'), each => each.hash.slice(1))")
        self.assertGreater(len(led), 10)
        for each in led:
            self.assertTrue(PAGE.value(f"document.getElementById('{each}') !== null"), each)

    def test_no_table_is_cut_off_on_a_screen_of_usual_width(self):
        PAGE.size(1280)
        PAGE.settle()
        cut = PAGE.value("Array.from(document.querySelectorAll('.scroll')).filter(each => "
                         "each.scrollWidth > each.clientWidth).map(each => "
                         "each.querySelector('table').id)")
        self.assertEqual(cut, [])

    def test_a_card_leaves_out_what_is_not_there(self):
        shown = ("Array.from(document.querySelectorAll('table.sortable td')).filter(each => "
                 "each.textContent === '-' && each.getBoundingClientRect().height > 0).length")
        self.assertGreater(PAGE.value(shown), 10)
        PAGE.size(360)
        PAGE.settle()
        self.assertEqual(PAGE.value(shown), 0)

    def test_on_paper_a_number_stands_beside_its_unit(self):
        PAGE.size(1046)
        PAGE.media(media="print")
        split = PAGE.value("Array.from(document.querySelectorAll('#bandwidth td.number')).filter("
                           "each => { const all = document.createRange(); all.selectNodeContents("
                           "each); return all.getClientRects().length > 1; }).length")
        self.assertEqual(split, 0)

    def test_dark_is_dark_and_draws_again(self):
        light = PAGE.value("getComputedStyle(document.body).backgroundColor")
        PAGE.media(prefers_color_scheme="dark")
        self.assertNotEqual(PAGE.value("getComputedStyle(document.body).backgroundColor"), light)
        self.test_every_figure_is_drawn()

    def test_on_paper_the_picture_stands_for_the_plot(self):
        display = "getComputedStyle(document.querySelector('#steps %s')).display"
        self.assertEqual(PAGE.value(display % ".picture"), "none")
        PAGE.media(media="print")
        self.assertEqual(PAGE.value(display % ".picture"), "block")
        self.assertEqual(PAGE.value(display % ".plot-host"), "none")

    def test_on_paper_no_table_is_cut_off(self):
        PAGE.size(1046)  # A4 across, less its margins
        PAGE.media(media="print")
        cut = PAGE.value("Array.from(document.querySelectorAll('table')).filter(table => "
                         "table.getBoundingClientRect().right > innerWidth + 1)"
                         ".map(table => table.id)")
        self.assertEqual(cut, [])

    def test_without_scripts_everything_can_be_read(self):
        words = PAGE.value(ROWS)
        PAGE.scripts(False)
        PAGE.open(path("one.html"), 360)
        PAGE.scripts(True)  # only what runs in the page was off; now it can be asked
        self.assertEqual(PAGE.value("document.querySelectorAll('.uplot').length"), 0)
        self.assertEqual(PAGE.value(ROWS), words)
        self.assertEqual(PAGE.value("getComputedStyle(document.querySelector('#steps .picture'))"
                                    ".display"), "block")
        self.assertLessEqual(PAGE.overflow(), 0)

    def test_whatever_takes_the_focus_has_a_name(self):
        tree = PAGE.ask("Accessibility.getFullAXTree")["nodes"]
        nameless = [node for node in tree if not node.get("ignored")
                    and node.get("role", {}).get("value") not in ("RootWebArea", "generic", None)
                    and any(p["name"] == "focusable" and p["value"].get("value")
                            for p in node.get("properties", []))
                    and not node.get("name", {}).get("value")]
        self.assertEqual([node["role"]["value"] for node in nameless], [])
        pictures = [node for node in tree if node.get("role", {}).get("value") in ("img", "image")]
        for node in pictures:
            self.assertTrue(node.get("name", {}).get("value"), node)


class Difference(OpenPage):
    page = "two.html"

    @classmethod
    def setUpClass(cls):
        cls.json = read("two.json")

    def test_it_fits_every_width(self):
        self.check_widths("two-1280.png", 2500)

    def test_figures_are_those_of_the_json(self):
        views = PAGE.value(DATA % "pairs")["views"]
        for line, key in zip(views[0]["series"], ("first_wall_ns", "second_wall_ns")):
            self.assertEqual(line["values"], [each[key] for each in self.json["pairs"]])
        rows = PAGE.value("Array.from(document.querySelectorAll('#times tbody tr'), row => Array."
                          "from(row.cells, cell => cell.dataset.sort ?? cell.textContent))")
        self.assertEqual([[row[0], row[1]] for row in rows],
                         [[each["verdict"], each["subject"]] for each in self.json["times"]])
        for row, each in zip(rows, self.json["times"]):
            for cell, key in ((2, "first_ns"), (3, "second_ns"), (4, "change_ns")):
                self.assertAlmostEqual(float(row[cell]), each[key], delta=1 + 1e-8 * each[key])
        self.assertGreater(len(rows), 12)
        counts = PAGE.value("document.querySelectorAll('#counts tbody tr').length")
        self.assertEqual(counts, len(self.json["counts"]) + 1)  # and the token ids


class Trends(OpenPage):
    page = "trends.html"

    def test_it_fits_every_width(self):
        self.check_widths("trends-1280.png", 1600)

    def test_a_change_is_marked_where_the_trace_changed(self):
        view = PAGE.value(DATA % "trends")["views"][0]
        self.assertEqual(len(view["places"]), 18)
        self.assertEqual([each["place"] for each in view["marks"]], [10])
        self.assertIn("c008..c009", view["marks"][0]["why"])
        exported = subprocess.run([ASSAY, "history", "export", "--history", path("kept.db")],
                                  capture_output=True, text=True, check=True).stdout.splitlines()
        name = view["name"].split(": ", 1)[1]
        kept = [each["value"] for line in exported for each in json.loads(line)["measures"]
                if name in (each["name"], f"{each['name']} ({each.get('metric')})")]
        self.assertEqual(view["series"][0]["values"], kept)
        PAGE.value("document.querySelector('#trends .plot-host').focus()")
        for _ in range(10):
            PAGE.key("ArrowRight")
        self.assertIn("changed in c008..c009",
                      PAGE.value("document.querySelector('#trends .said').textContent"))


if __name__ == "__main__":
    if not browser.program():
        print("skipped: no chromium here; ci/install --test installs it")
        sys.exit(77)
    os.makedirs(FOLDER, exist_ok=True)
    make_pages()
    PAGE = browser.Browser()
    try:
        done = unittest.main(argv=sys.argv[:1] + sys.argv[3:], exit=False).result
    finally:
        PAGE.close()
    sys.exit(0 if done.wasSuccessful() else 1)
