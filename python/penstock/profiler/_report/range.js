// The range on the timeline: dragged by its ends or its body, drawn anew beside it, or moved with
// the keyboard (arrows, with Shift further; Home and End; + and − zoom; Escape shows everything).
import { byId, make } from "./elements.js";
import { MARGIN } from "./charts.js";
import { formatTime } from "./units.js";

export function startRange(state, frame) {
  const slider = (name, label) =>
    make("div", { class: `range-${name}`, role: "slider", tabindex: 0, "aria-label": label, "data-part": name });
  const parts = {
    body: slider("body", "Chosen range: arrows move it, plus and minus zoom"),
    from: slider("from", "Start of the range"),
    to: slider("to", "End of the range"),
  };
  const shades = [make("div", { class: "range-shade" }), make("div", { class: "range-shade" })];
  const layer = make("div", { class: "range-layer" }, shades, parts.body, parts.from, parts.to);
  Object.assign(layer.style, { left: `${MARGIN.left}px`, right: `${MARGIN.right}px` });
  frame.append(layer);

  const [low, high] = state.whole;
  const toShare = (time) => (time - low) / (high - low);

  function place() {
    const [from, to] = [100 * toShare(state.from), 100 * toShare(state.to)];
    Object.assign(parts.body.style, { left: `${from}%`, width: `${to - from}%` });
    parts.from.style.left = `${from}%`;
    parts.to.style.left = `${to}%`;
    Object.assign(shades[0].style, { left: 0, width: `${from}%` });
    Object.assign(shades[1].style, { left: `${to}%`, right: 0 });
    for (const [name, value] of [["from", state.from], ["to", state.to], ["body", (state.from + state.to) / 2]]) {
      parts[name].setAttribute("aria-valuemin", low);
      parts[name].setAttribute("aria-valuemax", high);
      parts[name].setAttribute("aria-valuenow", Math.round(value));
      parts[name].setAttribute("aria-valuetext", formatTime(value));
    }
    parts.body.setAttribute("aria-valuetext", `${formatTime(state.from)} to ${formatTime(state.to)}`);
    layer.classList.toggle("is-whole", state.isWhole());
    byId("range-text").textContent = state.isWhole()
      ? `all ${formatTime(high - low)}`
      : `${formatTime(state.from)} to ${formatTime(state.to)} (${formatTime(state.to - state.from)})`;
  }

  const timeAt = (event) => {
    const box = layer.getBoundingClientRect();
    return low + Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * (high - low);
  };
  let drag = null;
  layer.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const time = timeAt(event);
    // While everything is chosen there is nothing to move: a drag on the body draws a new range.
    const part = event.target.dataset.part;
    const isNew = !part || (part === "body" && (state.isWhole() || event.shiftKey));
    drag = { part: isNew ? "new" : part, time, from: state.from, to: state.to, x: event.clientX };
    layer.setPointerCapture(event.pointerId);
  });
  layer.addEventListener("pointermove", (event) => {
    if (!drag || (Math.abs(event.clientX - drag.x) < 3 && !drag.isMoving)) return;
    drag.isMoving = true;
    const time = timeAt(event);
    if (drag.part === "new") state.setRange(Math.min(time, drag.time), Math.max(time, drag.time));
    else if (drag.part === "from") state.setRange(Math.min(time, state.to), state.to);
    else if (drag.part === "to") state.setRange(state.from, Math.max(time, state.from));
    else state.setRange(drag.from + time - drag.time, drag.to + time - drag.time);
  });
  for (const name of ["pointerup", "pointercancel"]) layer.addEventListener(name, () => (drag = null));
  layer.addEventListener("dblclick", () => state.setRange(low, high));
  layer.addEventListener("keydown", (event) => {
    if (handleKey(state, event, event.target.dataset.part)) event.preventDefault();
  });
  state.on("range", place);
  place();
}

// True if the key was for the range.
export function handleKey(state, event, part = "body") {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const [low, high] = state.whole;
  const length = state.to - state.from;
  const unit = part === "body" ? length * 0.1 : (high - low) * 0.01;
  const step = unit * (event.shiftKey ? 5 : 1);
  const move = (by) => {
    if (part === "from") state.setRange(Math.min(Math.max(low, state.from + by), state.to), state.to);
    else if (part === "to") state.setRange(state.from, Math.min(high, Math.max(state.from, state.to + by)));
    else state.setRange(state.from + by, state.to + by);
    return true;
  };
  switch (event.key) {
    case "ArrowLeft":
    case "ArrowDown":
      return move(-step);
    case "ArrowRight":
    case "ArrowUp":
      return move(step);
    case "Home":
      return move(low - high);
    case "End":
      return move(high - low);
    case "+":
    case "=":
      state.zoom(0.5);
      return true;
    case "-":
    case "_":
      state.zoom(2);
      return true;
    case "Escape":
      state.setRange(low, high);
      return true;
    default:
      return false;
  }
}
