// What the canvases share: sizes in device pixels, axes, and drawing at most once per frame.
import { canvasColours } from "./colours.js";
import { byteTicks, formatBytes, formatMoment, timeTicks } from "./units.js";

export const MARGIN = { left: 68, right: 12, top: 10, bottom: 24 };
const FONT = '11px "Inter", system-ui, sans-serif';

export function pixelRatio() {
  return Math.min(2, window.devicePixelRatio || 1);
}

// {context, width, height}: the canvas fitted to its place, cleared, in CSS pixels.
export function fitCanvas(canvas) {
  const width = Math.max(120, canvas.clientWidth);
  const height = Math.max(40, canvas.clientHeight);
  const ratio = pixelRatio();
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = FONT;
  return { context, width, height };
}

export function plotArea({ width, height }) {
  return {
    x: MARGIN.left,
    y: MARGIN.top,
    width: Math.max(40, width - MARGIN.left - MARGIN.right),
    height: Math.max(20, height - MARGIN.top - MARGIN.bottom),
  };
}

export function drawByteAxis(context, area, top) {
  const colours = canvasColours();
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.lineWidth = 1;
  for (const tick of byteTicks(top, Math.max(2, Math.floor(area.height / 34)))) {
    const y = Math.round(area.y + area.height - (tick / top) * area.height) + 0.5;
    context.strokeStyle = colours.grid;
    context.beginPath();
    context.moveTo(area.x, y);
    context.lineTo(area.x + area.width, y);
    context.stroke();
    context.fillStyle = colours.muted;
    context.fillText(tick === 0 ? "0" : formatBytes(tick), area.x - 8, y);
  }
}

export function drawTimeAxis(context, area, from, to) {
  const colours = canvasColours();
  const { ticks, step } = timeTicks(from, to, Math.max(2, Math.floor(area.width / 110)));
  context.textBaseline = "top";
  context.fillStyle = colours.muted;
  context.strokeStyle = colours.muted;
  for (const tick of ticks) {
    const x = Math.round(area.x + ((tick - from) / (to - from)) * area.width) + 0.5;
    context.beginPath();
    context.moveTo(x, area.y + area.height);
    context.lineTo(x, area.y + area.height + 4);
    context.stroke();
    const text = tick === 0 ? "0" : formatMoment(tick, step, to);
    const half = context.measureText(text).width / 2;
    context.textAlign = x - half < area.x - 20 ? "left" : x + half > area.x + area.width + 10 ? "right" : "center";
    context.fillText(text, x, area.y + area.height + 7);
  }
}

// A horizontal line with its name, as for a budget.
export function drawLevel(context, area, y, text, colour) {
  context.save();
  context.strokeStyle = colour;
  context.setLineDash([5, 4]);
  context.beginPath();
  context.moveTo(area.x, Math.round(y) + 0.5);
  context.lineTo(area.x + area.width, Math.round(y) + 0.5);
  context.stroke();
  context.fillStyle = colour;
  context.textAlign = "right";
  context.textBaseline = y - area.y < 16 ? "top" : "bottom";
  const place = [area.x + area.width - 14, y + (y - area.y < 16 ? 3 : -2)];
  context.setLineDash([]);
  context.lineWidth = 4;
  context.lineJoin = "round";
  context.strokeStyle = canvasColours().surface;
  context.strokeText(text, ...place);
  context.fillText(text, ...place);
  context.restore();
}

// Areas on top of each other. layers: [{colour, values}]; xs and values are as long as each other.
// A value holds from its x to the next one.
export function drawStack(context, area, xs, layers, top, stop = area.x + area.width) {
  const base = new Float64Array(xs.length);
  const toY = (value) => area.y + area.height - (value / top) * area.height;
  for (const { colour, values } of layers) {
    context.fillStyle = colour;
    context.beginPath();
    for (let i = 0; i < xs.length; i++) {
      const y = toY(base[i] + values[i]);
      context.lineTo(xs[i], y);
      context.lineTo(i + 1 < xs.length ? xs[i + 1] : stop, y);
    }
    for (let i = xs.length - 1; i >= 0; i--) {
      context.lineTo(i + 1 < xs.length ? xs[i + 1] : stop, toY(base[i]));
      context.lineTo(xs[i], toY(base[i]));
    }
    context.fill();
    for (let i = 0; i < xs.length; i++) base[i] += values[i];
  }
}

// Calls `change` when the element gets another size; an observer's first call only says that it has one.
export function onResize(element, change) {
  let size = null;
  new ResizeObserver(() => {
    const now = `${element.clientWidth} ${element.clientHeight}`;
    if (size !== null && size !== now) change();
    size = now;
  }).observe(element);
}

// Runs `draw` in the next frame, once however often it is asked for.
export function oncePerFrame(draw) {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      draw();
    });
  };
}
