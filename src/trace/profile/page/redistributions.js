// What redistributions moved: a matrix from source memories to target memories for each, shaded by bytes.

/** The most rows or columns of a matrix: with more memories, each stands for several. */
const MOST_CELLS = 32;

/** Equal matrices of several processes are one: each process knows the whole plan, and takes part in each round. */
function distinctMoves(model) {
  const all = new Map();
  for (const process of model.processes) {
    for (const moved of process.redistributions.list) {
      const key = [moved.sources, moved.targets, moved.bytes].join();
      const same = all.get(key);
      if (same === undefined) all.set(key, { ...moved }); else { same.rounds = Math.max(same.rounds, moved.rounds); }
    }
  }
  return [...all.values()];
}

/** The bytes of one round by rows and columns, with their sums. */
function makeMatrix(moved) {
  const wide = Math.max(1, Math.ceil(moved.targets / MOST_CELLS)), high = Math.max(1, Math.ceil(moved.sources / MOST_CELLS));
  const columns = Math.ceil(moved.targets / wide), rows = Math.ceil(moved.sources / high);
  const cells = Array.from({ length: rows }, () => new Array(columns).fill(0));
  for (let at = 0; at < moved.bytes.length; at += 3) {
    cells[Math.floor(moved.bytes[at] / high)][Math.floor(moved.bytes[at + 1] / wide)] += moved.bytes[at + 2];
  }
  const title = (place, step, count) => step === 1 ? String(place)
    : place * step + "-" + (Math.min(count, (place + 1) * step) - 1);
  return {
    cells, rowTitles: cells.map((_, row) => title(row, high, moved.sources)),
    columnTitles: Array.from({ length: columns }, (_, column) => title(column, wide, moved.targets)),
    rowSums: cells.map((row) => row.reduce((a, b) => a + b, 0)),
    columnSums: Array.from({ length: columns }, (_, column) => cells.reduce((sum, row) => sum + row[column], 0)),
  };
}

function makeMatrixTable(moved) {
  const matrix = makeMatrix(moved), table = element("table"), most = Math.max(1, ...matrix.cells.flat());
  const total = matrix.rowSums.reduce((a, b) => a + b, 0);
  table.className = "matrix";
  table.append(element("caption", showCount(moved.rounds) + (moved.rounds === 1 ? " round of " : " rounds of ") + showBytes(total)
    + ", from " + showCount(moved.sources) + " to " + showCount(moved.targets) + " memories"));
  const heading = (text, scope) => {
    const cell = element("th", text);
    cell.scope = scope;
    return cell;
  };
  const head = element("tr");
  head.append(heading("from \u2193 to \u2192", "col"), ...matrix.columnTitles.map((title) => heading(title, "col")), heading("all", "col"));
  const rows = matrix.cells.map((cells, row) => {
    const line = element("tr");
    line.append(heading(matrix.rowTitles[row], "row"), ...cells.map((bytes) => {
      const cell = element("td", bytes > 0 ? showBytes(bytes) : "");
      if (bytes > 0) cell.style.background = "color-mix(in srgb, var(--accent) " + Math.round(10 + 50 * bytes / most) + "%, transparent)";
      return cell;
    }), element("td", showBytes(matrix.rowSums[row])));
    return line;
  });
  const sums = element("tr");
  sums.append(heading("all", "row"), ...[...matrix.columnSums, total].map((bytes) => element("td", showBytes(bytes))));
  table.append(head, ...rows, sums);
  return table;
}

/** Fills the part of the page, which is hidden without redistributions. */
function fillRedistributions(model) {
  const all = distinctMoves(model), left = Math.max(0, ...model.processes.map((process) => process.redistributions.left_out));
  document.getElementById("moved-section").hidden = all.length === 0 && left === 0;
  document.getElementById("moved").replaceChildren(...all.map(makeMatrixTable));
  document.getElementById("moved-told").textContent = left > 0 ? showCount(left) + " more rounds were too many or too large to be noted." : "";
}

