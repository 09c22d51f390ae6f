// The whole process: its resident size over time, split into what is known of it.
import { canvasColours, groupColour } from "./colours.js";
import { drawByteAxis, drawStack, drawTimeAxis, fitCanvas, onResize, oncePerFrame, plotArea } from "./charts.js";
import { byId, emptyState, make } from "./elements.js";
import { hideTooltip, showTooltip } from "./tooltip.js";
import { formatBytes, formatShare, formatTime } from "./units.js";

const WORDS = { rss: "resident size", ledger: "penstock's blocks", slack: "allocator slack" };

export function startProcess(facts, state) {
  const column = (name) => facts.samples[facts.sampleNames.indexOf(name)] ?? [];
  const [times, rss] = [column("time"), column("rss")];
  const place = byId("process");
  if (times.length === 0) {
    place.replaceChildren(
      emptyState("No samples of the process", "The profiler samples the resident size while it records; this profile has none."),
    );
    return;
  }
  const parts = facts.sampleNames.filter((name) => !["time", "rss"].includes(name));
  const canvas = byId("process-chart");
  const top = Math.max(1, ...rss, ...times.map((_, i) => parts.reduce((sum, name) => sum + column(name)[i], 0))) * 1.06;
  const toX = (area, time) => area.x + (Math.min(time, facts.duration) / facts.duration) * area.width;

  function draw() {
    const fitted = fitCanvas(canvas);
    const { context } = fitted;
    const area = plotArea(fitted);
    drawByteAxis(context, area, top);
    const xs = times.map((time) => toX(area, time));
    const layers = parts.map((name, i) => ({ colour: colourOf(name, i), values: column(name).map((value) => Math.max(0, value)) }));
    drawStack(context, area, xs, layers, top);
    context.strokeStyle = canvasColours().ink;
    context.lineWidth = 1.5;
    context.beginPath();
    xs.forEach((x, i) => context.lineTo(x, area.y + area.height - (rss[i] / top) * area.height));
    context.stroke();
    drawTimeAxis(context, area, 0, facts.duration);
  }

  const last = times.length - 1;
  const highest = rss.indexOf(rss.reduce((most, value) => Math.max(most, value), 0));
  function row(name, colour) {
    const values = column(name);
    const change = values[last] - values[0];
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, make("i", { class: "swatch", style: { background: colour } }), WORDS[name] ?? name.replaceAll("_", " ")),
      make("td", { class: "number" }, formatBytes(values[highest])),
      make("td", { class: "number" }, formatShare(values[highest], rss[highest])),
      make("td", { class: "number" }, `${change > 0 ? "+" : ""}${formatBytes(change)}`),
    );
  }
  function table() {
    const head = ["Part", "At its largest", "Share", "Change over the run"].map((text, i) =>
      make("th", { scope: "col", class: i ? "number" : "text" }, text),
    );
    byId("process-table").replaceChildren(
      make("caption", {}, "The parts of the process's memory"),
      make("thead", {}, make("tr", {}, head)),
      make("tbody", {}, row("rss", canvasColours().ink), parts.map((name, i) => row(name, colourOf(name, i)))),
    );
  }

  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    const area = plotArea({ width: box.width, height: box.height });
    const time = ((event.clientX - box.left - area.x) / area.width) * facts.duration;
    const at = times.findLastIndex((each) => each <= time);
    if (at < 0) return hideTooltip();
    const rows = parts.map((name) => [WORDS[name] ?? name.replaceAll("_", " "), formatBytes(column(name)[at])]);
    showTooltip(event.clientX, event.clientY, `${formatBytes(rss[at])} at ${formatTime(times[at])}`, rows);
  });
  canvas.addEventListener("pointerleave", hideTooltip);
  const redraw = oncePerFrame(() => (draw(), table()));
  state.on("theme", redraw);
  onResize(canvas.parentElement, redraw);
  draw();
  table();
}

// What nobody can explain is grey, the rest takes its colours in order.
function colourOf(name, i) {
  return name === "unexplained" ? canvasColours().rest : groupColour(i);
}
