// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
// Draws every figure of class "chart" over its picture. Data is read as JSON and set as text, never
// as markup. What a pointer can do a key can: arrows walk, + and - zoom, Escape shows all again.
"use strict";
(() => {
const scaled = (value, units, step) => {
  let at = 0;
  while (at + 1 < units.length && Math.abs(value) >= step) { value /= step; ++at; }
  return (Number.isInteger(value) ? value : Number(value.toPrecision(4))) + " " + units[at];
};
const words = (value, unit) => value === null || value === undefined ? "-"
  : unit === "ns" ? scaled(value, ["ns", "µs", "ms", "s"], 1000)
  : unit === "operations_per_s" ? scaled(value, ["FLOP/s", "kFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s"], 1000)
  : unit === "bytes" ? scaled(value, ["B", "KiB", "MiB", "GiB", "TiB"], 1024)
  : value.toLocaleString("en");
const exact = (value, unit) => unit === "ns" || unit === "bytes"
  ? words(value, unit) + " (" + value.toLocaleString("en") + ")" : words(value, unit);
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const short = (value) => value === null ? "" : Number(value.toPrecision(4)).toLocaleString("en");
// A logarithmic axis names its decades alone: the marks between come as null.
const axisWords = (value, unit, isLog) => !isLog ? words(value, unit)
  : value === null || unit !== "operations_per_s" ? short(value) : words(value, unit);

// On a logarithmic axis, from decade to decade.
const decades = (u, least, most) => {
  if (!(least > 0) || !(most > 0)) return [1, 10];
  return [10 ** Math.floor(Math.log10(least)), 10 ** Math.ceil(Math.log10(most) + 1e-9)];
};
const scalesOf = (isLog) => isLog
  ? { x: { time: false, distr: 3, log: 10 }, y: { distr: 3, log: 10, range: decades } }
  : { x: { time: false }, y: { range: heights } };

// Zero stays in sight, as in the picture.
const heights = (u, least, most) => {
  if (least === null || most === null) return [0, 1];
  const low = Math.min(0, least), high = Math.max(0, most);
  const room = (high - low || 1) * 0.05;
  return [low < 0 ? low - room : 0, high > 0 ? high + room : high || (low < 0 ? 0 : 1)];
};

// Marks of bytes lie at powers of two, as their units do.
const marksOf = (unit) => unit === "bytes"
  ? { incrs: Array.from({ length: 50 }, (_, power) => 2 ** power) } : {};

const drawMarks = (u, marks) => {
  const pen = u.ctx;
  pen.save();
  pen.strokeStyle = colour("--doubt");
  pen.setLineDash([6, 4]);
  for (const mark of marks) {
    const x = u.valToPos(mark.place, "x", true);
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
    pen.beginPath();
    pen.moveTo(x, u.bbox.top);
    pen.lineTo(x, u.bbox.top + u.bbox.height);
    pen.stroke();
  }
  pen.restore();
};

const optionsOf = (data, view, title, width) => ({
  width, height: 260, ms: 1, title: "",
  scales: scalesOf(view.isLog),
  legend: { live: true },
  cursor: { drag: { x: true, y: false }, points: { size: 7 } },
  axes: [
    { stroke: colour("--faint"), grid: { stroke: colour("--line"), width: 1 },
      ticks: { stroke: colour("--line") },
      values: (u, marks) => marks.map((each) => axisWords(each, data.placeUnit, view.isLog)) },
    { stroke: colour("--faint"), grid: { stroke: colour("--line"), width: 1 },
      ticks: { stroke: colour("--line") }, size: view.isLog ? 96 : 78, ...marksOf(view.unit),
      values: (u, marks) => marks.map((each) => axisWords(each, view.unit, view.isLog)) },
  ],
  series: [
    { label: data.place, value: (u, each) => words(each, data.placeUnit) },
    ...view.series.map((line, at) => ({
      label: line.name, stroke: colour("--s" + at % 10), width: 1.2, spanGaps: true,
      points: line.isPoints ? { show: true, size: 9 } : { show: view.places.length < 40 },
      ...(line.isPoints ? { paths: () => null } : {}),
      value: (u, each) => words(each, view.unit),
    })),
  ],
  hooks: { draw: [(u) => drawMarks(u, view.marks ?? [])] },
  bands: view.isRange ? [{ series: [2, 1], fill: colour("--band") }] : [],
});

class Plot {
  constructor(figure) {
    this.figure = figure;
    this.data = JSON.parse(figure.querySelector("script").textContent);
    this.title = figure.querySelector("figcaption").textContent;
    this.stage = figure.querySelector(".stage");
    this.host = document.createElement("div");
    this.host.className = "plot-host";
    this.host.tabIndex = 0;
    this.host.setAttribute("role", "group");
    this.host.setAttribute("aria-label", this.title
      + ": plot. Arrow keys walk, plus and minus zoom, Escape shows all. Its table follows.");
    this.said = document.createElement("p");
    this.said.className = "said";
    this.said.setAttribute("role", "status");
    this.at = -1;
    this.view = this.data.views[0];
    if (this.data.views.length > 1) this.stage.append(this.chooser());
    this.stage.append(this.host, this.said);
    this.host.addEventListener("keydown", (event) => this.onKey(event));
    this.draw();
    this.stage.classList.add("drawn");
    new ResizeObserver(() => this.fit()).observe(this.stage);
  }

  chooser() {
    const select = document.createElement("select");
    select.className = "views";
    select.setAttribute("aria-label", "what " + this.title + " shows");
    this.data.views.forEach((view, at) => select.append(new Option(view.name, String(at))));
    select.addEventListener("change", () => {
      this.view = this.data.views[Number(select.value)];
      this.draw();
    });
    return select;
  }

  width() { return Math.max(240, Math.floor(this.stage.clientWidth)); }

  fit() {
    const width = this.width();
    if (width !== this.plot.width) this.plot.setSize({ width, height: 260 });
  }

  draw() {
    if (this.plot) this.plot.destroy();
    this.at = -1;
    this.said.textContent = "";
    const rows = [this.view.places, ...this.view.series.map((line) => line.values)];
    this.plot = new uPlot(optionsOf(this.data, this.view, this.title, this.width()), rows, this.host);
    this.host.querySelectorAll(".u-legend .u-series th").forEach((head, at) => {
      if (at === 0) return;
      head.tabIndex = 0;
      head.setAttribute("role", "button");
      head.setAttribute("aria-pressed", "true");
      const toggled = () => head.setAttribute("aria-pressed", String(this.plot.series[at].show));
      head.addEventListener("click", toggled);
      head.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        this.plot.setSeries(at, { show: !this.plot.series[at].show });
        toggled();
      });
    });
  }

  onKey(event) {
    if (event.target !== this.host || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.view.places.length - 1;
    const walk = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20 }[event.key];
    if (walk !== undefined) this.go(this.at < 0 ? (walk > 0 ? 0 : last) : this.at + walk);
    else if (event.key === "Home") this.go(0);
    else if (event.key === "End") this.go(last);
    else if (event.key === "+" || event.key === "=") this.zoom(0.5);
    else if (event.key === "-") this.zoom(2);
    else if (event.key === "Escape") this.zoom(Infinity);
    else return;
    event.preventDefault();
  }

  go(wanted) {
    const places = this.view.places;
    this.at = Math.min(Math.max(wanted, 0), places.length - 1);
    const { min, max } = this.plot.scales.x;
    if (places[this.at] < min || places[this.at] > max) this.zoom(Infinity);
    this.plot.setCursor({ left: this.plot.valToPos(places[this.at], "x"), top: 20 });
    const marks = (this.view.marks ?? []).filter((each) => each.place === places[this.at]);
    this.said.textContent = this.data.place + " " + exact(places[this.at], this.data.placeUnit)
      + (this.view.placeNames ? " (" + this.view.placeNames[this.at] + ")" : "")
      + this.view.series.map((line) => "; " + line.name + " "
        + exact(line.values[this.at], this.view.unit)).join("")
      + marks.map((each) => "; " + each.why).join("");
  }

  zoom(factor) {
    const places = this.view.places;
    const first = places[0], last = places[places.length - 1];
    // Where an axis is logarithmic, so is what is near.
    const [to, back] = this.view.isLog ? [Math.log, Math.exp] : [(x) => x, (x) => x];
    const min = to(this.plot.scales.x.min), max = to(this.plot.scales.x.max);
    const centre = this.at < 0 ? (min + max) / 2 : to(places[this.at]);
    const half = (max - min) / 2 * factor;
    const low = Math.max(first, back(centre - half)), high = Math.min(last, back(centre + half));
    if (!(high > low)) return;
    this.plot.setScale("x", factor === Infinity ? { min: first, max: last } : { min: low, max: high });
  }
}

const plots = Array.from(document.querySelectorAll("figure.chart"), (figure) => new Plot(figure));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change",
  () => plots.forEach((each) => each.draw()));
})();
