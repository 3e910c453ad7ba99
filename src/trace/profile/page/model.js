// What the data mean: lines of all processes in one time, in nanoseconds since the first trace began.

/** Short texts for times, bytes and counts. */
function showTime(ns) {
  const size = Math.abs(ns);
  if (size >= 1e9) return (ns / 1e9).toFixed(3) + " s";
  if (size >= 1e6) return (ns / 1e6).toFixed(3) + " ms";
  if (size >= 1e3) return (ns / 1e3).toFixed(2) + " us";
  return Math.round(ns) + " ns";
}
function showBytes(bytes) {
  if (bytes >= 1e9) return (bytes / 1e9).toFixed(2) + " GB";
  if (bytes >= 1e6) return (bytes / 1e6).toFixed(2) + " MB";
  if (bytes >= 1e3) return (bytes / 1e3).toFixed(1) + " kB";
  return bytes + " B";
}
function showCount(count) { return String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f"); }
function showShare(part, whole) { return whole > 0 ? (100 * part / whole).toFixed(1) + " %" : "-"; }

/** The first place of sorted numbers whose value is above `bound`. */
function firstAbove(numbers, bound) {
  let low = 0, high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] > bound) high = middle; else low = middle + 1;
  }
  return low;
}

/** One worker, or the other threads of one process. */
function makeLine(process, raw, index, offset, kinds) {
  const count = raw.start.length;
  const line = {
    process, index, title: raw.title, worker: raw.worker, raw, count, kind: raw.kind,
    start: new Float64Array(count), end: new Float64Array(count),
    // The kind of a task or tile, -1 of anything else; the largest end so far; where a tile's coordinates begin.
    name: new Int32Array(count), reach: new Float64Array(count), at: new Int32Array(count),
    onPath: new Uint8Array(count),
  };
  let reach = 0, coordinates = 0;
  for (let i = 0; i < count; i++) {
    line.start[i] = raw.start[i] + offset;
    line.end[i] = line.start[i] + raw.duration[i];
    reach = Math.max(reach, line.end[i]);
    line.reach[i] = reach;
    const letter = raw.kind.charCodeAt(i);
    line.name[i] = letter === 116 || letter === 105 ? kinds.of(letter === 105, process.names[raw.name[i]]) : -1;
    line.at[i] = coordinates;
    if (letter === 105) coordinates += raw.more[i];
  }
  return line;
}

/** Numbers for pairs of (tile, name): the same in all processes. */
function makeKinds() {
  const numbers = new Map(), list = [];
  return {
    list,
    of(tile, name) {
      const key = (tile ? "i" : "t") + name;
      let number = numbers.get(key);
      if (number === undefined) {
        number = list.length;
        numbers.set(key, number);
        list.push({ tile, name, count: 0, total: 0, longest: 0, read: 0, written: 0, touched: 0, stolen: 0 });
      }
      return number;
    },
  };
}

/** The critical path, of a job over all of its processes: its times, and its events as lines and places. */
function pathOf(data) {
  const job = data.critical_path, own = data.processes[0].critical_path, events = [];
  if (job) {
    for (let i = 0; i < job.events.length; i += 3) {
      events.push([data.processes[job.events[i]].lines_of[job.events[i + 1]], job.events[i + 2]]);
    }
  } else {
    for (let i = 0; i < own.events.length; i += 2) events.push([data.processes[0].lines_of[own.events[i]], own.events[i + 1]]);
  }
  const { work_ns: work, span_ns: span } = job || own;
  return { work, span, events, unknown: sumOver(data.processes, (process) => process.critical_path.graphs_without_edges) };
}

function makeModel(data) {
  const begin = Math.min(...data.processes.map((process) => process.begin_ns));
  const kinds = makeKinds(), lines = [];
  for (const process of data.processes) {
    for (const kind of process.kinds) {
      const sums = kinds.list[kinds.of(kind.what === "tile", process.names[kind.name])];
      sums.count += kind.count;
      sums.total += kind.total_ns;
      sums.longest = Math.max(sums.longest, kind.longest_ns);
      sums.read += kind.read_bytes || 0;
      sums.written += kind.written_bytes || 0;
      // Known in all processes, or not at all.
      sums.touched = sums.touched === null || kind.touched_bytes === null ? null : sums.touched + kind.touched_bytes;
      sums.stolen += kind.stolen;
    }
    process.offset = process.begin_ns - begin;
    process.lines_of = process.lines.map((raw, index) => makeLine(process, raw, index, process.offset, kinds));
    lines.push(...process.lines_of);
  }
  const path = pathOf(data);
  for (const [line, i] of path.events) line.onPath[i] = 1;
  const ends = data.processes.map((process) => process.offset + process.elapsed_ns);
  const shown = lines.filter((line) => line.worker || line.name.some((name) => name >= 0) || line.kind.includes("p"));
  return { path, processes: data.processes, several: data.processes.length > 1, lines, shown, kinds: kinds.list, end: Math.max(1, ...ends) };
}

function coordinatesOf(line, i) {
  return line.raw.coordinates.slice(line.at[i], line.at[i] + line.raw.more[i]);
}

/** What an event is, in words. */
function describe(model, line, i) {
  const name = model.kinds[line.name[i]].name || "(no description)";
  const place = line.kind[i] === "i" ? " [" + coordinatesOf(line, i).join(", ") + "]" : "";
  return (line.kind[i] === "i" ? "tile " : "task ") + name + place + " on " + line.title + ", from "
    + showTime(line.start[i]) + " to " + showTime(line.end[i]) + " (" + showTime(line.end[i] - line.start[i]) + ")"
    + (line.onPath[i] ? ", on the critical path" : "");
}

/** Colours: of kinds and workers by turns of the hue, so that neighbours differ; of numbers from 0 to 1 from blue to yellow. */
function hueColour(number) { return "hsl(" + (205 + number * 137.508) % 360 + " 58% 52%)"; }
function scaleColour(share) {
  const s = Math.min(1, Math.max(0, share));
  return "hsl(" + (250 - 200 * s) + " 70% " + (38 + 24 * s) + "%)";
}
function styleOf(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

/** Makes a canvas as fine as the screen; gives its context, and its size in CSS pixels. */
function prepare(canvas, height) {
  const ratio = window.devicePixelRatio || 1, width = Math.max(200, canvas.clientWidth);
  canvas.style.height = height + "px";
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  return { context, width, height };
}

/** Lines of a scale under a drawing: round times between `from` and `to`. */
function drawTimeScale(context, left, width, top, bottom, from, to) {
  const step = roundStep((to - from) / Math.max(2, width / 110));
  context.fillStyle = styleOf("--dim");
  context.strokeStyle = styleOf("--line");
  context.lineWidth = 1;
  context.textAlign = "center";
  for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
    const x = left + (time - from) / (to - from) * width;
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, bottom);
    context.stroke();
    if (x > left + 15 && x < left + width - 25) context.fillText(showTime(time), x, bottom + 9);
  }
}
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) || power;
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}
function fillLegend(list, entries) {
  list.replaceChildren(...entries.map(([colour, text]) => {
    const item = element("li"), mark = element("span");
    mark.style.background = colour;
    item.append(mark, text);
    return item;
  }));
}
