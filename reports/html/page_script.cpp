// SPDX-FileCopyrightText: The Assay authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/page.h"

namespace assay::reports {

// Sorts and filters every table of class "sortable". Nothing that the page says needs it: without a
// script the table stands as it was written. Text of cells is read, never written.
std::string_view page_script() {
  return R"js("use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  rows.forEach((row, index) => { row.dataset.place = index; });
  const key = (row, column) => {
    const cell = row.cells[column];
    const sort = cell.dataset.sort;
    return sort === undefined ? cell.textContent : sort === "" ? null : Number(sort);
  };
  const compare = (a, b) => typeof a === "number" && typeof b === "number"
    ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
  const heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach((head, column) => {
    const button = head.querySelector("button");
    if (!button) return;
    button.addEventListener("click", () => {
      const was = head.getAttribute("aria-sort");
      for (const each of heads) each.removeAttribute("aria-sort");
      const sign = was === "descending" ? 1 : was === "ascending" ? 0 : -1;
      if (sign !== 0) head.setAttribute("aria-sort", sign < 0 ? "descending" : "ascending");
      const ordered = rows.slice().sort((one, other) => {
        const place = one.dataset.place - other.dataset.place;
        if (sign === 0) return place;
        const a = key(one, column), b = key(other, column);
        if (a === null || b === null) return (a === null) - (b === null) || place;
        return sign * compare(a, b) || place;
      });
      body.append(...ordered);
    });
  });
  const tools = document.querySelector('.tools[data-for="' + table.id + '"]');
  if (!tools) continue;
  tools.hidden = false;
  const words = tools.querySelector("input");
  const group = tools.querySelector("select");
  const count = tools.querySelector("output");
  const filter = () => {
    const wanted = words.value.toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const fits = (group.value === "" || row.dataset.group === group.value)
        && row.textContent.toLowerCase().includes(wanted);
      row.hidden = !fits;
      shown += fits;
    }
    count.textContent = shown + " of " + rows.length;
  };
  words.addEventListener("input", filter);
  group.addEventListener("change", filter);
  filter();
}
)js";
}

}  // namespace assay::reports
