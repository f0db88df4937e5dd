// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/page.h"

namespace assay::reports {

// Below 720 px a row of a table becomes a card, each cell under the heading that it has beside it.
std::string_view page_style() {
  return R"css(:root {
  --ink: #1b1f24; --paper: #ffffff; --faint: #5b6570; --line: #d4d9df; --shade: #f3f5f7;
  --bad: #b3261e; --good: #1a7f37; --doubt: #8a5a00; --band: #dfe5ec; --accent: #0b57d0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e4e8ec; --paper: #14171a; --faint: #9aa4ae; --line: #343b42; --shade: #1d2125;
    --bad: #ff8a80; --good: #6fdd8b; --doubt: #f2c063; --band: #2b333b; --accent: #8ab4f8;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; color: var(--ink); background: var(--paper);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main { max-width: 2400px; margin: 0 auto; padding: 1rem clamp(0.75rem, 2vw, 2.5rem) 3rem; }
h1 { font-size: 1.5rem; margin: 0.5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 0.5rem; }
p, li { max-width: 100ch; overflow-wrap: anywhere; }
.lead { font-size: 1.1rem; font-weight: 600; }
.notice { border-left: 4px solid var(--line); background: var(--shade); padding: 0.5rem 0.75rem; }
.notice.warning { border-color: var(--doubt); }
.tools { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; margin: 0.5rem 0; align-items: center; }
.tools input[type="search"] { flex: 1 1 12rem; max-width: 30rem; }
.tools input, .tools select {
  font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line);
  border-radius: 4px; padding: 0.3rem 0.5rem;
}
.tools select { max-width: 100%; min-width: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 0.3rem 0.45rem; border-bottom: 1px solid var(--line); vertical-align: top; }
thead th { position: sticky; top: 0; background: var(--paper); font-weight: 600; vertical-align: bottom; }
th button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
th button:focus-visible, input:focus-visible, select:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
th[aria-sort="ascending"] button::after { content: " ▲"; }
th[aria-sort="descending"] button::after { content: " ▼"; }
td.number, th.number { text-align: right; }
td.number, td.state { white-space: nowrap; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; list-style: none; padding: 0; margin: 0.75rem 0; }
nav a { color: var(--accent); }
section[id] { scroll-margin-top: 0.5rem; }
td.name { font-family: ui-monospace, "SFMono-Regular", "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; min-width: 14ch; }
td.note { color: var(--faint); overflow-wrap: anywhere; min-width: 16ch; }
tr.bad td.state { color: var(--bad); font-weight: 600; }
tr.good td.state { color: var(--good); font-weight: 600; }
tr.doubt td.state { color: var(--doubt); }
tr.calm td.state { color: var(--faint); }
.plot { width: 180px; height: 18px; display: block; }
.plot .band { fill: var(--band); }
.plot .axis { stroke: var(--faint); stroke-width: 1; }
.plot .range { stroke: var(--ink); stroke-width: 2; }
.plot .point { fill: var(--ink); }
tr.bad .plot .range { stroke: var(--bad); } tr.bad .plot .point { fill: var(--bad); }
tr.good .plot .range { stroke: var(--good); } tr.good .plot .point { fill: var(--good); }
dl { display: grid; grid-template-columns: minmax(10ch, max-content) 1fr; gap: 0.15rem 1rem; }
dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
@media screen and (max-width: 1400px) { .sortable { font-size: 14px; } }
@media (max-width: 719px) {
  table, tbody, tr, td { display: block; }
  thead { display: none; }
  tr { display: flex; flex-wrap: wrap; border: 1px solid var(--line); border-radius: 6px; margin: 0 0 0.5rem; padding: 0.2rem 0; }
  tr[hidden] { display: none; }
  td { display: flex; gap: 0.75rem; flex: 0 0 100%; border: 0; padding: 0.1rem 0.6rem; }
  td.number, td.state { text-align: left; white-space: normal; }
  td.number { flex: 0 0 50%; flex-direction: column; gap: 0; overflow-wrap: anywhere; }
  td::before { content: attr(data-label); flex: 0 0 6rem; color: var(--faint); font-family: system-ui, sans-serif; font-weight: 400; }
  td.number::before { font-size: 0.8rem; flex: none; }
  td:empty, td.none { display: none; }
  dl { grid-template-columns: 1fr; } dd { margin-bottom: 0.4rem; }
}
@media print {
  :root {
    --ink: #000; --paper: #fff; --faint: #444; --line: #bbb; --shade: #fff;
    --bad: #900; --good: #060; --doubt: #640; --band: #ddd;
  }
  .tools, nav { display: none; }
  thead th { position: static; }
  tr { break-inside: avoid; }
  tr[hidden] { display: table-row; }
  main { max-width: none; padding: 0; }
  body { font-size: 11px; }
  .scroll { overflow: visible; }
  th, td { padding: 0.1rem 0.3rem; }
  td.state { white-space: normal; }
  td.name, td.note { min-width: 0; overflow-wrap: anywhere; }
  td { overflow-wrap: break-word; }
}
@page { size: A4 landscape; margin: 10mm; }
)css";
}

}  // namespace assay::reports
