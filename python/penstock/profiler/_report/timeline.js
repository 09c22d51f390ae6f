// The timeline: bytes by tag over the whole recording, with the legend and the range on it.
import { canvasColours, tagColour } from "./colours.js";
import { drawByteAxis, drawLevel, drawStack, drawTimeAxis } from "./charts.js";
import { fitCanvas, onResize, oncePerFrame, plotArea } from "./charts.js";
import { byId, make } from "./elements.js";
import { startRange } from "./range.js";
import { hideTooltip, showTooltip } from "./tooltip.js";
import { formatBytes, formatTime } from "./units.js";

// What stays lies at the bottom, what comes and goes on top of it.
const FROM_BELOW = ["variable", "constant", "dataset", "host", "cache", "trace", "output", "foreign"];

function inOrder(facts, tags) {
  const place = (tag) => {
    const at = FROM_BELOW.indexOf(facts.tags[tag]);
    return at < 0 ? FROM_BELOW.length : at;
  };
  return tags.sort((a, b) => place(a) - place(b));
}

export function startTimeline(facts, state) {
  const canvas = byId("timeline");
  const { times, held } = facts.timeline;
  const used = inOrder(facts, Object.keys(held).map(Number));
  const budget = facts.meta.budget;
  const toX = (area, time) => area.x + (time / facts.duration) * area.width;

  function draw() {
    const fitted = fitCanvas(canvas);
    const { context } = fitted;
    const area = plotArea(fitted);
    const colours = canvasColours();
    const layers = used
      .filter((tag) => state.isShown[tag])
      .map((tag) => ({ colour: tagColour(facts.tags[tag]), values: held[tag] }));
    let top = 0;
    for (let i = 0; i < times.length; i++) {
      let sum = 0;
      for (const { values } of layers) sum += values[i];
      top = Math.max(top, sum);
    }
    // A budget far above everything would press the chart flat: then it is only named in the head.
    const hasBudget = budget > 0 && budget < 2.5 * top;
    top = Math.max(1, hasBudget ? Math.max(top, budget) : top) * 1.06;
    drawByteAxis(context, area, top);
    drawStack(context, area, times.map((time) => toX(area, time)), layers, top);
    drawTimeAxis(context, area, 0, facts.duration);
    const toY = (bytes) => area.y + area.height - (bytes / top) * area.height;
    if (hasBudget) drawLevel(context, area, toY(budget), `budget ${formatBytes(budget)}`, colours.accent);
    if (facts.peak.bytes > 0) drawPeak(context, area, toX(area, facts.peak.time), toY(facts.peak.bytes));
  }

  function drawPeak(context, area, x, y) {
    if (y < area.y - 1) return;
    const colours = canvasColours();
    context.beginPath();
    context.arc(x, y, 4, 0, 2 * Math.PI);
    context.fillStyle = colours.surface;
    context.fill();
    context.lineWidth = 2;
    context.strokeStyle = colours.ink;
    context.stroke();
  }

  function hover(event) {
    const box = canvas.getBoundingClientRect();
    const area = plotArea({ width: box.width, height: box.height });
    const time = ((event.clientX - box.left - area.x) / area.width) * facts.duration;
    let at = times.findLastIndex((each) => each <= time);
    if (event.buttons || at < 0 || time > facts.duration) return hideTooltip();
    // The peak is one moment: close to it, it is what one means.
    const [before, after] = [at, at + 1].map((i) => Math.abs((times[i] ?? Infinity) - facts.peak.time));
    if (Math.abs(time - facts.peak.time) < (4 / area.width) * facts.duration && after < before) at += 1;
    const shown = used.filter((tag) => state.isShown[tag] && held[tag][at] > 0);
    const total = shown.reduce((sum, tag) => sum + held[tag][at], 0);
    const rows = shown
      .sort((a, b) => held[b][at] - held[a][at])
      .map((tag) => [facts.tags[tag], formatBytes(held[tag][at])]);
    showTooltip(event.clientX, event.clientY, `${formatBytes(total)} at ${formatTime(times[at])}`, rows);
  }

  const frame = canvas.parentElement;
  frame.addEventListener("pointermove", hover);
  frame.addEventListener("pointerleave", hideTooltip);
  const redraw = oncePerFrame(draw);
  state.on("tags theme", redraw);
  onResize(frame, redraw);
  startRange(state, frame);
  draw();
}

// The legend: a switch per tag, with what it held at the most of the range.
export function startLegend(facts, state, measured) {
  const legend = byId("legend");
  const tags = inOrder(facts, Object.keys(facts.timeline.held).map(Number));
  legend.append(make("span", { class: "label" }, "At the peak of the range"));
  const entries = tags.map((tag) => {
    const swatch = make("i", { class: "swatch" });
    const value = make("span", { class: "value" });
    const name = facts.tags[tag] === "foreign" ? "foreign (borrowed)" : facts.tags[tag];
    const toggle = () => {
      state.isShown[tag] = !state.isShown[tag];
      state.tell("tags");
    };
    const button = make("button", { type: "button", onclick: toggle }, swatch, name, value);
    legend.append(button);
    return { tag, swatch, value, button };
  });
  function update() {
    const { held, highest, tags: count } = measured.now();
    for (const { tag, swatch, value, button } of entries) {
      swatch.style.background = tagColour(facts.tags[tag]);
      button.setAttribute("aria-pressed", state.isShown[tag]);
      value.textContent = state.isShown[tag] ? formatBytes(held[highest * count + tag]) : "hidden";
    }
  }
  state.on("drawn theme", update);
  update();
}
