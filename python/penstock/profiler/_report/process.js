// The whole process: its resident size over time, split into parts, and where it stood at the end.
import { canvasColours, groupColour } from "./colours.js";
import { drawByteAxis, drawStack, drawTimeAxis, fitCanvas, onResize, oncePerFrame, plotArea } from "./charts.js";
import { byId, emptyState, make } from "./elements.js";
import { hideTooltip, showTooltip } from "./tooltip.js";
import { formatBytes, formatShare, formatTime } from "./units.js";

export function startProcess(facts, state) {
  const { times, rss } = facts.process;
  if (times.length === 0) {
    const text = "The profiler samples the resident size while it records; this profile has no samples.";
    byId("process-frame").replaceWith(emptyState("Nothing is known of the whole process", text));
  } else {
    startChart(facts, state);
  }
  // A program that was killed left none.
  const account = Object.keys(facts.meta.account ?? {}).length > 0 ? facts.meta.account : null;
  const rows = account ? accountRows(account, facts.meta.account_before) : sampledRows(facts.process);
  if (rows.length === 0) return byId("process-table").remove();
  fillTable(rows, account ? "At the end" : "At its largest", rss.length > 1 || account);
}

function startChart(facts, state) {
  const { times, rss, parts } = facts.process;
  const canvas = byId("process-chart");
  const top = Math.max(1, rss.reduce((most, value) => Math.max(most, value), 0)) * 1.06;

  function draw() {
    const fitted = fitCanvas(canvas);
    const { context } = fitted;
    const area = plotArea(fitted);
    drawByteAxis(context, area, top);
    const xs = times.map((time) => area.x + (Math.min(time, facts.duration) / facts.duration) * area.width);
    const layers = parts.map(({ values }, i) => ({ colour: partColour(parts, i), values }));
    drawStack(context, area, xs, layers, top);
    context.strokeStyle = canvasColours().ink;
    context.lineWidth = 1.5;
    context.beginPath();
    for (const [i, x] of xs.entries()) {
      const y = area.y + area.height - (rss[i] / top) * area.height;
      context.lineTo(x, y);
      context.lineTo(xs[i + 1] ?? area.x + area.width, y);
    }
    context.stroke();
    drawTimeAxis(context, area, 0, facts.duration);
    byId("process-legend").replaceChildren(
      ...parts.map(({ name }, i) =>
        make("span", {}, make("i", { class: "swatch", style: { background: partColour(parts, i) } }), name),
      ),
    );
  }

  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    const area = plotArea({ width: box.width, height: box.height });
    const time = ((event.clientX - box.left - area.x) / area.width) * facts.duration;
    const at = times.findLastIndex((each) => each <= time);
    if (at < 0) return hideTooltip();
    const rows = parts.map(({ name, values }) => [name, formatBytes(values[at])]);
    showTooltip(event.clientX, event.clientY, `${formatBytes(rss[at])} at ${formatTime(times[at])}`, rows);
  });
  canvas.addEventListener("pointerleave", hideTooltip);
  state.on("theme", oncePerFrame(draw));
  onResize(canvas.parentElement, oncePerFrame(draw));
  draw();
}

// What is left over is grey, the parts before it take their colours in order.
function partColour(parts, i) {
  return i === parts.length - 1 ? canvasColours().rest : groupColour(i);
}

// [{name, bytes, change}], the whole first.
function sampledRows({ times, rss, parts }) {
  if (times.length === 0) return [];
  const highest = rss.indexOf(rss.reduce((most, value) => Math.max(most, value), 0));
  const row = (name, values) => ({ name, bytes: values[highest], change: values.at(-1) - values[0] });
  return [
    row("resident size", rss),
    ...parts.map(({ name, values }) => row(name, values)),
  ];
}

function accountRows(account, before) {
  const total = (parts) => Object.values(parts).reduce((sum, bytes) => sum + bytes, 0);
  const change = (name, bytes) => (before ? bytes - (before[name] ?? 0) : NaN);
  const parts = Object.entries(account).filter(([name, bytes]) => bytes !== 0 || before?.[name] || name === "unexplained");
  return [
    { name: "resident size", bytes: total(account), change: before ? total(account) - total(before) : NaN },
    ...parts.map(([name, bytes]) => ({ name, bytes, change: change(name, bytes) })),
  ];
}

function fillTable(rows, when, hasChange) {
  const heads = ["Part", when, "Share", ...(hasChange ? ["Change over the run"] : [])];
  const cell = (text) => make("td", { class: "number" }, text);
  const signed = (bytes) => (Number.isNaN(bytes) ? "–" : `${bytes > 0 ? "+" : ""}${formatBytes(bytes)}`);
  byId("process-table").replaceChildren(
    make("caption", {}, "The parts of the process's memory"),
    make(
      "thead",
      {},
      make("tr", {}, heads.map((text, i) => make("th", { scope: "col", class: i ? "number" : "text" }, text))),
    ),
    make(
      "tbody",
      {},
      rows.map(({ name, bytes, change }) =>
        make(
          "tr",
          {},
          make("th", { scope: "row" }, name),
          cell(formatBytes(bytes)),
          cell(formatShare(bytes, rows[0].bytes)),
          hasChange ? cell(signed(change)) : null,
        ),
      ),
    ),
  );
}
