// Drawings over time, and tiles in their space.

const USES = [["busy", "busy", "--busy"], ["between", "between tasks: libdvm, in search of one", "--between"],
  ["asleep", "asleep while another worker was busy: no task was ready", "--asleep"],
  ["nobody", "no worker was busy: the program's own threads worked or waited", "--nobody"]];

/** What the workers of all processes did, as parts of one hundred. */
function makeUse(model) {
  const canvas = document.getElementById("use"), sums = USES.map(([name]) =>
    model.processes.reduce((sum, process) => sum + process.occupancy[name + "_ns"].reduce((a, b) => a + b, 0), 0));
  const whole = sums.reduce((a, b) => a + b, 0);
  fillLegend(document.getElementById("use-legend"), USES.map(([, text, colour], at) =>
    ["var(" + colour + ")", text + " (" + showShare(sums[at], whole) + ")"]));
  return function draw() {
    const { context, width, height } = prepare(canvas, 150);
    const left = 44, right = width - left - 8, bottom = height - 20, columns = Math.max(1, Math.floor(right));
    drawTimeScale(context, left, right, 4, bottom, 0, model.end);
    const workers = model.processes.map((process) => process.lines.filter((line) => line.worker).length);
    const all = Math.max(1, workers.reduce((a, b) => a + b, 0));
    for (let column = 0; column < columns; column++) {
      const time = (column + 0.5) / columns * model.end;
      let top = bottom;
      for (const [name, , colour] of USES) {
        let share = 0;
        for (const process of model.processes) {
          const { span_ns: span } = process.occupancy, at = Math.floor((time - process.offset) / span);
          const length = Math.min(span, process.elapsed_ns - at * span);
          if (time >= process.offset && length > 0) share += (process.occupancy[name + "_ns"][at] || 0) / length / all;
        }
        const part = share * (bottom - 4);
        context.fillStyle = styleOfCached(colour);
        context.fillRect(left + column, top - part, 1, part);
        top -= part;
      }
    }
    drawValues(context, left, 4, bottom, ["100 %", "50 %", "0"]);
  };
}

const cachedStyles = new Map();
function styleOfCached(name) {
  if (!cachedStyles.has(name)) cachedStyles.set(name, styleOf(name));
  return cachedStyles.get(name);
}

function drawValues(context, left, top, bottom, texts) {
  context.fillStyle = styleOf("--dim");
  context.textAlign = "right";
  texts.forEach((text, at) => context.fillText(text, left - 4, Math.max(top + 5, top + (bottom - top) * at / (texts.length - 1) - 3)));
}

function makeMemory(model) {
  const canvas = document.getElementById("memory"), told = document.getElementById("memory-told");
  const most = Math.max(1, ...model.processes.flatMap((process) => process.memory.filter((_, at) => at % 2 === 1)));
  told.textContent = model.processes.map((process) => (model.several ? "process " + process.process + ": " : "")
    + "at most " + showBytes(process.peak_bytes)).join("; ") + ".";
  return function draw() {
    const { context, width, height } = prepare(canvas, 110);
    const left = 70, right = width - left - 8, bottom = height - 20;
    drawTimeScale(context, left, right, 4, bottom, 0, model.end);
    context.lineWidth = 1.5;
    model.processes.forEach((process, number) => {
      context.strokeStyle = hueColour(number);
      context.beginPath();
      for (let at = 0; at < process.memory.length; at += 2) {
        const x = left + (process.memory[at] + process.offset) / model.end * right;
        const y = bottom - process.memory[at + 1] / most * (bottom - 6);
        if (at === 0) context.moveTo(x, y); else { context.lineTo(x, y); }
      }
      context.stroke();
    });
    drawValues(context, left, 4, bottom, [showBytes(most), "0"]);
  };
}

/** Tiles of one region by two of their coordinates; of tiles at one place the latest is seen. */
function makeSpace(model) {
  const canvas = document.getElementById("space"), told = document.getElementById("space-told");
  const choice = (name) => document.getElementById("space-" + name);
  const regions = new Map();
  for (const line of model.lines) {
    for (let i = 0; i < line.count; i++) {
      if (line.kind[i] !== "i" || line.raw.more[i] === 0) continue;
      const name = line.name[i];
      if (!regions.has(name)) regions.set(name, { name, dimension: 0, lines: [], places: [] });
      const region = regions.get(name);
      region.dimension = Math.max(region.dimension, line.raw.more[i]);
      region.lines.push(line);
      region.places.push(i);
    }
  }
  if (regions.size === 0) {
    document.getElementById("space-section").hidden = true;
    return () => {};
  }
  const list = [...regions.values()].sort((a, b) => b.places.length - a.places.length);
  for (const region of list) {
    const order = region.places.map((_, at) => at).sort((a, b) =>
      region.lines[a].start[region.places[a]] - region.lines[b].start[region.places[b]]);
    region.lines = order.map((at) => region.lines[at]);
    region.places = order.map((at) => region.places[at]);
    choice("region").append(element("option", model.kinds[region.name].name + " (" + showCount(order.length) + " tiles)"));
  }
  const workers = new Map(model.lines.map((line, number) => [line, number]));

  function chooseRegion() {
    const region = list[choice("region").selectedIndex];
    for (const [name, at] of [["x", region.dimension - 1], ["y", Math.max(0, region.dimension - 2)]]) {
      const options = Array.from({ length: region.dimension }, (_, axis) => element("option", "coordinate " + (axis + 1)));
      if (region.dimension === 1 && name === "y") options[0].textContent = "one row";
      choice(name).replaceChildren(...options);
      choice(name).selectedIndex = at;
    }
  }

  function draw() {
    const region = list[choice("region").selectedIndex], count = region.places.length;
    const axes = [choice("x").selectedIndex, choice("y").selectedIndex], flat = region.dimension === 1;
    const value = (at, axis) => region.lines[at].raw.coordinates[region.lines[at].at[region.places[at]] + axis];
    const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
    let longest = 1;
    for (let at = 0; at < count; at++) {
      axes.forEach((axis, side) => {
        low[side] = Math.min(low[side], value(at, axis));
        high[side] = Math.max(high[side], value(at, axis));
      });
      longest = Math.max(longest, region.lines[at].end[region.places[at]] - region.lines[at].start[region.places[at]]);
    }
    if (flat) low[1] = high[1] = 0;
    const across = high[0] - low[0] + 1, down = high[1] - low[1] + 1;
    const height = Math.round(Math.min(420, Math.max(60, down * 24 + 30)));
    const { context, width } = prepare(canvas, height);
    const left = 56, cell = [(width - left - 10) / across, (height - 30) / down];
    const first = region.lines[0].start[region.places[0]], last = region.lines[count - 1].end[region.places[count - 1]];
    const now = first + (last - first) * choice("time").value / 1000, colour = choice("colour").value;
    let shown = 0;
    for (; shown < count; shown++) {
      const line = region.lines[shown], i = region.places[shown];
      if (line.start[i] > now) break;
      const length = line.end[i] - line.start[i];
      context.fillStyle = colour === "worker" ? hueColour(workers.get(line))
        : scaleColour(colour === "time" ? (line.start[i] - first) / Math.max(1, last - first) : length / longest);
      const gap = Math.min(cell[0], cell[1]) > 4 ? 1 : 0;
      context.fillRect(left + (value(shown, axes[0]) - low[0]) * cell[0], 6 + (flat ? 0 : value(shown, axes[1]) - low[1]) * cell[1],
        Math.max(0.7, cell[0] - gap), Math.max(0.7, cell[1] - gap));
    }
    context.fillStyle = styleOf("--dim");
    context.textAlign = "left";
    context.fillText(String(low[0]), left, height - 12);
    context.textAlign = "right";
    context.fillText(String(high[0]), width - 10, height - 12);
    if (!flat) {
      context.fillText(String(low[1]), left - 6, 14);
      context.fillText(String(high[1]), left - 6, height - 32);
    }
    choice("now").textContent = showTime(now);
    told.textContent = showCount(shown) + " of " + showCount(count) + " tiles have begun; " + (colour === "worker"
      ? "each colour is a worker." : colour === "time" ? "blue began first, yellow last." : "yellow took longest, " + showTime(longest) + ".");
    canvas.dataset.shown = shown;
  }

  choice("region").addEventListener("change", () => { chooseRegion(); draw(); });
  for (const name of ["x", "y", "colour"]) choice(name).addEventListener("change", draw);
  choice("time").addEventListener("input", draw);
  chooseRegion();
  return draw;
}
