// The timeline: a row for each worker; tasks and tiles by kind; arrows from publishers to readers.

const SCALE = 20, MOST_ARROWS = 3000, MOST_KINDS_TOLD = 24;

function makeTimeline(model) {
  const canvas = document.getElementById("timeline"), told = document.getElementById("timeline-told");
  const pathOnly = document.getElementById("show-path"), allArrows = document.getElementById("show-arrows");
  const rows = model.shown, rowHeight = Math.max(10, Math.min(26, Math.floor(560 / Math.max(1, rows.length))));
  const rowOf = new Map(rows.map((line, row) => [line, row]));
  const view = { from: 0, to: model.end, row: 0, chosen: null };
  const colours = model.kinds.map((_, number) => hueColour(number));
  let labels = 150, width = 1, pending = false;

  const x = (time) => labels + (time - view.from) / (view.to - view.from) * width;
  const timeAt = (place) => view.from + (place - labels) / width * (view.to - view.from);
  const y = (row) => row * rowHeight + 4;

  function drawRow(context, line, row) {
    const perPixel = (view.to - view.from) / width, first = firstAbove(line.reach, view.from);
    // Events below a pixel are added up: the pixel's height is how busy it was, its colour that of the longest.
    let pixel = -1, filled = 0, longest = 0, colour = 0;
    const flush = () => {
      if (filled > 0) {
        const height = Math.max(1, (rowHeight - 3) * Math.min(1, filled / perPixel));
        context.fillStyle = colours[colour];
        context.fillRect(labels + pixel, y(row) + rowHeight - 3 - height, 1, height);
      }
      filled = longest = 0;
    };
    for (let i = first; i < line.count && line.start[i] < view.to; i++) {
      const name = line.name[i];
      if (name < 0 || line.end[i] <= view.from || (pathOnly.checked && !line.onPath[i])) continue;
      const length = line.end[i] - line.start[i];
      if (length >= perPixel) {
        const from = Math.max(labels, x(line.start[i])), to = Math.min(labels + width, x(line.end[i]));
        context.fillStyle = colours[name];
        context.fillRect(from, y(row), Math.max(1, to - from - (to - from > 3 ? 1 : 0)), rowHeight - 3);
        continue;
      }
      const at = Math.floor(x(line.start[i]) - labels);
      if (at !== pixel) { flush(); pixel = at; }
      filled += length;
      if (length >= longest) { longest = length; colour = name; }
    }
    flush();
  }

  function drawArrow(context, process, arrows, at) {
    const from = process.lines_of[arrows[at]], to = process.lines_of[arrows[at + 2]];
    const x1 = x(from.end[arrows[at + 1]]), x2 = x(to.start[arrows[at + 3]]);
    const y1 = y(rowOf.get(from)) + rowHeight / 2, y2 = y(rowOf.get(to)) + rowHeight / 2;
    context.beginPath();
    context.moveTo(x1, y1);
    context.bezierCurveTo(x1 + 12, y1, x2 - 12, y2, x2, y2);
    context.stroke();
    context.beginPath();
    context.moveTo(x2, y2);
    context.lineTo(x2 - 5, y2 - 3);
    context.lineTo(x2 - 5, y2 + 3);
    context.fill();
  }

  /** The arrows to draw: those of the chosen event, or all in view unless they are too many. */
  function drawArrows(context) {
    const chosen = view.chosen;
    let drawn = 0, left = 0;
    context.strokeStyle = context.fillStyle = styleOf("--text");
    context.lineWidth = 1;
    for (const process of model.processes) {
      const arrows = process.arrows;
      for (let at = 0; at < arrows.length; at += 4) {
        const from = process.lines_of[arrows[at]], to = process.lines_of[arrows[at + 2]];
        const ofChosen = chosen !== null && ((from === chosen.line && arrows[at + 1] === chosen.i)
          || (to === chosen.line && arrows[at + 3] === chosen.i));
        const inView = allArrows.checked && to.start[arrows[at + 3]] >= view.from && from.end[arrows[at + 1]] <= view.to
          && (!pathOnly.checked || (from.onPath[arrows[at + 1]] && to.onPath[arrows[at + 3]]));
        if (!ofChosen && !inView) continue;
        if (!rowOf.has(from) || !rowOf.has(to)) continue;
        if (drawn >= MOST_ARROWS) { left++; continue; }
        drawArrow(context, process, arrows, at);
        drawn++;
      }
    }
    canvas.dataset.arrows = drawn;
    return left;
  }

  function draw() {
    pending = false;
    const height = rows.length * rowHeight + SCALE + 8;
    const { context, width: whole } = prepare(canvas, height);
    labels = Math.min(150, whole / 4);
    width = Math.max(50, whole - labels - 8);
    drawTimeScale(context, labels, width, 2, rows.length * rowHeight + 4, view.from, view.to);
    rows.forEach((line, row) => {
      if (row === view.row && document.activeElement === canvas) {
        context.fillStyle = styleOf("--line");
        context.fillRect(0, y(row) - 1, labels - 4, rowHeight - 1);
      }
      context.fillStyle = styleOf("--text");
      context.textAlign = "left";
      if (rowHeight >= 13 || row % 2 === 0) context.fillText(line.title, 6, y(row) + rowHeight / 2, labels - 12);
      drawRow(context, line, row);
    });
    context.save();
    context.beginPath();
    context.rect(labels, 0, width, height - SCALE);
    context.clip();
    const left = drawArrows(context);
    if (view.chosen !== null) {
      const { line, i } = view.chosen, from = x(line.start[i]);
      context.strokeStyle = styleOf("--text");
      context.lineWidth = 2;
      context.strokeRect(from, y(rowOf.get(line)) - 1, Math.max(3, x(line.end[i]) - from), rowHeight - 1);
    }
    context.restore();
    canvas.dataset.from = view.from;
    canvas.dataset.to = view.to;
    tell(left);
  }

  function tell(left) {
    const parts = [];
    if (view.chosen !== null) parts.push(describe(model, view.chosen.line, view.chosen.i) + ".");
    if (left > 0) parts.push(showCount(left) + " more arrows are not drawn: zoom in.");
    if (parts.length === 0) parts.push(showTime(view.from) + " to " + showTime(view.to) + ".");
    const text = parts.join(" ");
    if (told.textContent !== text) told.textContent = text;
  }

  function redraw() {
    if (!pending) { pending = true; requestAnimationFrame(draw); }
  }
  function show(from, to) {
    const length = Math.min(model.end, Math.max(20, to - from));
    view.from = Math.min(Math.max(0, from), model.end - length);
    view.to = view.from + length;
    redraw();
  }
  function zoom(factor, centre) {
    const around = centre === undefined ? (view.from + view.to) / 2 : centre;
    show(around - (around - view.from) * factor, around + (view.to - around) * factor);
  }
  function move(share) {
    const by = (view.to - view.from) * share;
    show(view.from + by, view.to + by);
  }
  function choose(line, i) {
    view.chosen = line === null ? null : { line, i };
    if (line !== null) {
      view.row = rowOf.get(line);
      const length = view.to - view.from;
      if (line.end[i] < view.from || line.start[i] > view.to) show(line.start[i] - length / 4, line.start[i] + length * 3 / 4);
    }
    redraw();
  }
  /** The innermost task or tile at a time. */
  function find(line, time, slack) {
    let found = -1;
    for (let i = firstAbove(line.reach, time - slack); i < line.count && line.start[i] <= time + slack; i++) {
      if (line.name[i] >= 0 && line.end[i] >= time - slack && !(pathOnly.checked && !line.onPath[i])) found = i;
    }
    return found;
  }
  function step(by) {
    const line = rows[view.row];
    if (!line) return;
    let i = view.chosen !== null && view.chosen.line === line ? view.chosen.i + by
      : by > 0 ? firstAbove(line.start, view.from) : firstAbove(line.start, view.to) - 1;
    while (i >= 0 && i < line.count && (line.name[i] < 0 || (pathOnly.checked && !line.onPath[i]))) i += by;
    if (i >= 0 && i < line.count) choose(line, i);
  }
  function toggle(box) { box.checked = !box.checked; redraw(); }

  const keys = {
    "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2),
    ArrowUp: () => { view.row = Math.max(0, view.row - 1); redraw(); },
    ArrowDown: () => { view.row = Math.min(rows.length - 1, view.row + 1); redraw(); },
    n: () => step(1), p: () => step(-1), c: () => toggle(pathOnly), a: () => toggle(allArrows),
    Home: () => show(0, model.end), Escape: () => choose(null),
  };
  canvas.addEventListener("keydown", (event) => {
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  canvas.addEventListener("focus", redraw);
  canvas.addEventListener("blur", redraw);
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, timeAt(event.offsetX));
  }, { passive: false });
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    drag = { x: event.offsetX, from: view.from, to: view.to, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (drag === null) return;
    const by = (drag.x - event.offsetX) / width * (drag.to - drag.from);
    drag.moved = drag.moved || Math.abs(drag.x - event.offsetX) > 3;
    if (drag.moved) show(drag.from + by, drag.to + by);
  });
  canvas.addEventListener("pointerup", (event) => {
    const moved = drag !== null && drag.moved;
    drag = null;
    if (moved) return;
    const line = rows[Math.floor((event.offsetY - 4) / rowHeight)];
    const i = line ? find(line, timeAt(event.offsetX), (view.to - view.from) / width) : -1;
    if (i >= 0) choose(line, i); else choose(null);
  });
  document.getElementById("zoom-in").addEventListener("click", () => zoom(0.5));
  document.getElementById("zoom-out").addEventListener("click", () => zoom(2));
  document.getElementById("whole").addEventListener("click", () => show(0, model.end));
  pathOnly.addEventListener("change", redraw);
  allArrows.addEventListener("change", redraw);

  const byTime = model.kinds.map((kind, number) => [kind.total, number]).sort((a, b) => b[0] - a[0]).map(([, number]) => number);
  const legend = byTime.slice(0, MOST_KINDS_TOLD).map((number) => [colours[number], kindTitle(model.kinds[number])]);
  if (byTime.length > MOST_KINDS_TOLD) legend.push(["transparent", byTime.length - MOST_KINDS_TOLD + " more"]);
  fillLegend(document.getElementById("legend"), legend);
  return { draw, choose, show };
}

function kindTitle(kind) { return (kind.tile ? "tile " : "task ") + (kind.name || "(no description)"); }
