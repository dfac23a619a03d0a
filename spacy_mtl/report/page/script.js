"use strict";
(function () {
  // a table is sorted by a button in each head, as numbers where its column has them
  function valueOf(row, column) {
    const text = row.cells[column].textContent.trim();
    const number = parseFloat(text.replace(/,/g, ""));
    return Number.isNaN(number) ? text.toLowerCase() : number;
  }
  function compare(a, b) {
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === "number" ? -1 : 1;
  }
  function sortBy(table, head, column) {
    const down = head.classList.contains("n") ? head.getAttribute("aria-sort") !== "descending" : head.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = Array.from(table.tBodies[0].rows).map(function (row, at) { return [valueOf(row, column), at, row]; });
    rows.sort(function (x, y) {
      if ((x[0] === "") !== (y[0] === "")) return x[0] === "" ? 1 : -1;
      return (down ? compare(y[0], x[0]) : compare(x[0], y[0])) || x[1] - y[1];
    });
    for (const entry of rows) table.tBodies[0].appendChild(entry[2]);
  }
  for (const table of document.querySelectorAll("table.sortable")) {
    Array.from(table.tHead.rows[0].cells).forEach(function (head, column) {
      if (head.classList.contains("plain")) return;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", function () { sortBy(table, head, column); });
    });
  }
  for (const input of document.querySelectorAll("input[data-filter]")) {
    const table = document.getElementById(input.dataset.filter);
    const count = document.querySelector("output[data-count='" + input.dataset.filter + "']");
    input.addEventListener("input", function () {
      const wanted = input.value.toLowerCase();
      let shown = 0;
      for (const row of table.tBodies[0].rows) {
        row.hidden = !row.textContent.toLowerCase().includes(wanted);
        shown += row.hidden ? 0 : 1;
      }
      count.textContent = wanted ? shown + " shown" : "";
    });
  }
  window.addEventListener("beforeprint", function () {
    for (const part of document.querySelectorAll("details")) part.open = true;
  });
})();
