// Facts, sentences and tables; then everything is drawn.

function fillTable(table, titles, rows) {
  const head = element("tr");
  for (const title of titles) {
    const cell = element("th", title);
    cell.scope = "col";
    head.append(cell);
  }
  const body = rows.map((cells) => {
    const row = element("tr");
    for (const cell of cells) {
      const place = element("td");
      place.append(cell);
      row.append(place);
    }
    return row;
  });
  const header = element("thead"), content = element("tbody");
  header.append(head);
  content.append(...body);
  table.replaceChildren(header, content);
}

const sumOver = (list, of) => list.reduce((sum, item) => sum + of(item), 0);
const longer = (model, text, process) => (model.several ? "process " + process.process + ": " : "") + text;

function fillFacts(model) {
  const workers = model.lines.filter((line) => line.worker), busy = sumOver(workers, (line) => line.raw.busy_ns);
  const available = sumOver(model.processes, (process) => process.elapsed_ns * process.lines.filter((line) => line.worker).length);
  const { work, span } = model.path;
  const facts = [["time", showTime(model.end)], ["workers", showCount(workers.length)],
    ["busy", showShare(busy, available)], ["work", showTime(work)],
    ["critical path", showTime(span)], ["parallelism", span > 0 ? (work / span).toFixed(2) : "-"],
    ["most memory", showBytes(sumOver(model.processes, (process) => process.peak_bytes))],
    ["events", showCount(sumOver(model.lines, (line) => line.count))]];
  if (model.several) facts.splice(1, 0, ["processes", showCount(model.processes.length)]);
  document.getElementById("facts").replaceChildren(...facts.map(([name, value]) => {
    const group = element("div");
    group.append(element("dt", name), element("dd", value));
    return group;
  }));
}

function fillAdvice(model) {
  const all = model.processes.flatMap((process) => process.advice.map((advice) => element("li", longer(model, advice.text, process))));
  document.getElementById("advice").replaceChildren(...all);
}

function fillKinds(model) {
  const busy = sumOver(model.kinds, (kind) => kind.total);
  const sorted = [...model.kinds].sort((a, b) => b.total - a.total);
  fillTable(document.getElementById("kinds"),
    ["", "runs", "time", "of all", "average", "longest", "bytes read", "bytes written", "bytes touched", "after a steal"],
    sorted.map((kind) => [kindTitle(kind), showCount(kind.count), showTime(kind.total), showShare(kind.total, busy),
      showTime(kind.count > 0 ? kind.total / kind.count : 0), showTime(kind.longest),
      kind.tile ? "-" : showBytes(kind.read), kind.tile ? "-" : showBytes(kind.written),
      kind.touched === null ? "-" : showBytes(kind.touched), showCount(kind.stolen)]));
}

function fillWorkers(model) {
  fillTable(document.getElementById("workers"), ["", "tasks", "tiles", "busy", "of the run", "asleep", "steals", "events dropped"],
    model.lines.map((line) => [line.title, showCount(line.raw.tasks), showCount(line.raw.tiles), showTime(line.raw.busy_ns),
      line.worker ? showShare(line.raw.busy_ns, line.process.elapsed_ns) : "-", line.worker ? showTime(line.raw.asleep_ns) : "-",
      line.worker ? showCount(line.raw.steals) : "-", showCount(line.raw.dropped)]));
}

/** The longest parts of the paths, with a button that shows each. */
function fillPath(model, timeline) {
  const { work, span, events, unknown } = model.path, parts = [...events];
  const left = unknown > 0 ? " The edges of " + showCount(unknown) + " runs of graphs are not known: the path is at least so long." : "";
  document.getElementById("path-told").textContent = "The longest chain of tasks and tiles that wait for each other has "
    + showCount(events.length) + " of them and takes " + showTime(span) + " of " + showTime(model.end) + "; all of them take "
    + showTime(work) + ": " + (span > 0 ? (work / span).toFixed(2) : "0") + " workers could be busy on average." + left;
  const length = ([line, i]) => line.end[i] - line.start[i];
  parts.sort((a, b) => length(b) - length(a));
  fillTable(document.getElementById("path"), ["longest parts", "starts", "takes", ""], parts.slice(0, 20).map(([line, i]) => {
    const button = element("button", "show");
    button.type = "button";
    button.setAttribute("aria-label", "show in the timeline: " + describe(model, line, i));
    button.addEventListener("click", () => {
      const wide = Math.max(20, length([line, i]));
      timeline.show(line.start[i] - 2 * wide, line.end[i] + 2 * wide);
      timeline.choose(line, i);
      document.getElementById("timeline").focus();
    });
    const place = line.kind[i] === "i" ? " [" + coordinatesOf(line, i).join(", ") + "]" : "";
    return [kindTitle(model.kinds[line.name[i]]) + place, showTime(line.start[i]), showTime(length([line, i])), button];
  }));
}

function fillData(model) {
  fillTable(document.getElementById("data-table"), ["", "published", "bytes", "copied for a successor", "bytes", "never relaxed", "bytes"],
    model.processes.map(({ process, data }) => ["process " + process, showCount(data.published), showBytes(data.published_bytes),
      showCount(data.copied), showBytes(data.copied_bytes), showCount(data.never_relaxed), showBytes(data.never_relaxed_bytes)]));
}

function start() {
  const model = makeModel(JSON.parse(document.getElementById("record").textContent));
  const timeline = makeTimeline(model);
  fillFacts(model);
  fillAdvice(model);
  fillKinds(model);
  fillWorkers(model);
  fillPath(model, timeline);
  fillData(model);
  fillRedistributions(model);
  const drawings = [timeline.draw, makeUse(model), makeMemory(model), makeSpace(model)];
  const drawAll = () => {
    cachedStyles.clear();
    drawings.forEach((draw) => draw());
  };
  drawAll();
  let wait = 0;
  window.addEventListener("resize", () => {
    clearTimeout(wait);
    wait = setTimeout(drawAll, 100);
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  document.documentElement.dataset.ready = Math.round(performance.now());
}

start();
