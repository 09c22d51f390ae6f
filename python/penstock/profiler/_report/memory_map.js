// The memory map: every block of the range as an area, time to the right and bytes upwards, stacked
// in the order in which the blocks were asked for. The top edge is what was held.
//
// It is painted by columns of pixels (sweep.js), into a picture of colours and one of block numbers:
// the second answers what is under the pointer, however many blocks there are.
import { blockRows, blockSentence, blockTitle, describeKind } from "./blocks.js";
import { drawByteAxis, drawTimeAxis, fitCanvas, onResize, oncePerFrame, pixelRatio, plotArea } from "./charts.js";
import { canvasColours, groupColour, parseColour, tagColour } from "./colours.js";
import { byId, choice, make } from "./elements.js";
import { GROUPINGS, gather, groupName, groupOf } from "./groups.js";
import { handleKey } from "./range.js";
import { measure, stackColumns } from "./sweep.js";
import { hideTooltip, showTooltip } from "./tooltip.js";
import { formatBytes, formatTime } from "./units.js";

const SHADES = 4; // of one colour, so that neighbours of one group can be told apart
const SMOOTH = 50; // ms that a drawing may take to be done while a range is dragged
const TALL = 4; // rows from which on a block has an edge

// What the columns of the map held; measured anew when the range, the tags or the width changed.
export function makeMeasured(state, blocks, canvas) {
  let made = null;
  let key = "";
  return {
    now() {
      const width = Math.round(plotArea({ width: canvas.clientWidth || 900, height: 100 }).width * pixelRatio());
      const wanted = [state.from, state.to, width, ...state.isShown].join();
      if (key !== wanted) [key, made] = [wanted, measure(blocks, state.from, state.to, width, state.isShown)];
      return made;
    },
  };
}

function mixed(colour, other, share) {
  return colour.map((part, i) => Math.round(part + (other[i] - part) * share));
}

function packed([red, green, blue], alpha = 255) {
  return ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

// By kind, SHADES colours and then the colour of an edge, as pixels.
function pixelColours(facts, state, blocks, ranks) {
  const surface = parseColour(canvasColours().surface);
  const { kinds } = blocks;
  const made = new Map();
  const pixels = new Uint32Array(kinds.count * (SHADES + 1));
  for (let kind = 0; kind < kinds.count; kind++) {
    const group = groupOf(blocks, state.colourBy, kind);
    if (!made.has(group)) {
      const text = state.colourBy === "tag" ? tagColour(facts.tags[group]) : groupColour(ranks.get(group) ?? Infinity);
      const colour = parseColour(text);
      const shades = [0, 0.1, 0.05, 0.15].map((share) => packed(mixed(colour, surface, share)));
      made.set(group, [...shades, packed(mixed(colour, surface, 0.55))]);
    }
    pixels.set(made.get(group), kind * (SHADES + 1));
  }
  return pixels;
}

export class MemoryMap {
  constructor(facts, state, blocks, measured, counts) {
    Object.assign(this, { facts, state, blocks, measured, counts });
    this.canvas = byId("map");
    this.overlay = byId("map-overlay");
    this.cursor = null; // {x, row} in pixels of the picture
    this.marked = -1;
    const redraw = oncePerFrame(() => this.draw());
    state.on("tags theme colours", redraw);
    // A large map that takes long to draw follows a drag when it pauses; the range itself never waits.
    state.on("range", () => this.cost < SMOOTH && redraw());
    state.on("settled", () => this.drawn !== `${state.from} ${state.to}` && redraw());
    onResize(this.canvas.parentElement, redraw);
    byId("map-colours").append(
      choice("Colour by", [["tag", "Tag"], ...GROUPINGS.slice(0, 3)], "tag", (by) => {
        state.colourBy = by;
        state.tell("colours");
      }),
    );
    this.listen();
    this.draw();
    this.pinLargest();
    state.on("settled tags", () => this.pinLargest());
  }

  draw() {
    const began = performance.now();
    const { state, blocks } = this;
    const fitted = fitCanvas(this.canvas);
    const area = plotArea(fitted);
    const measured = this.measured.now();
    const width = measured.moments.length;
    const height = Math.round(area.height * pixelRatio());
    const top = Math.max(1, measured.totals[measured.highest]) * 1.04;
    const ids = new Int32Array(width * height).fill(-1); // column by column, from the bottom up
    stackColumns(blocks, state.from, state.to, measured, state.isShown, height / top, (x, block, low, high) => {
      ids.fill(block, x * height + low, x * height + Math.min(high, height));
    });
    Object.assign(this, { area, width, height, ids, top });
    drawByteAxis(fitted.context, area, top);
    this.paint(fitted.context, area);
    drawTimeAxis(fitted.context, area, state.from, state.to);
    this.mark(this.marked);
    byId("map-empty").hidden = measured.totals[measured.highest] > 0;
    this.drawLegend();
    this.drawn = `${state.from} ${state.to}`;
    this.cost = performance.now() - began;
    state.tell("drawn");
  }

  ranks() {
    const found = gather(this.facts, this.state, this.blocks, this.state.colourBy, this.counts().atMoment);
    return new Map(found.map(({ group }, rank) => [group, rank]));
  }

  paint(context, area) {
    const { ids, width, height, blocks } = this;
    this.groupRanks = this.state.colourBy === "tag" ? new Map() : this.ranks();
    const colours = pixelColours(this.facts, this.state, blocks, this.groupRanks);
    const image = new ImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    for (let x = 0; x < width; x++) {
      const column = x * height;
      for (let low = 0; low < height; ) {
        const id = ids[column + low];
        if (id < 0) break; // nothing lies above an empty row
        let high = low + 1;
        while (high < height && ids[column + high] === id) high += 1;
        const colour = blocks.kind[id] * (SHADES + 1);
        const fill = colours[colour + ((id * 7) % SHADES)];
        const edge = colours[colour + SHADES];
        const isTall = high - low >= TALL;
        for (let row = low; row < high; row++) {
          const isBegin =
            isTall && x > 0 && ids[column - height + row] !== id && x + 1 < width && ids[column + height + row] === id;
          const isEdge = isBegin || (isTall && row === high - 1);
          pixels[(height - 1 - row) * width + x] = isEdge ? edge : fill;
        }
        low = high;
      }
    }
    const picture = new OffscreenCanvas(width, height);
    picture.getContext("2d").putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(picture, area.x, area.y, area.width, area.height);
  }

  drawLegend() {
    const legend = byId("map-legend");
    legend.hidden = this.state.colourBy === "tag";
    if (legend.hidden) return;
    const groups = [...this.groupRanks].slice(0, 9);
    const entry = (colour, text) =>
      make("span", {}, make("i", { class: "swatch", style: { background: colour } }), text);
    legend.replaceChildren(
      ...groups.map(([group, rank]) => entry(groupColour(rank), groupName(this.facts, this.state.colourBy, group))),
      ...(this.groupRanks.size > 9 ? [entry(groupColour(Infinity), "others")] : []),
    );
  }

  // Outlines a block wherever it lies.
  mark(block) {
    this.marked = block;
    const { ids, width, height, area } = this;
    const fitted = fitCanvas(this.overlay);
    if (block >= 0) {
      const ink = parseColour(canvasColours().ink);
      const image = new ImageData(width, height);
      const pixels = new Uint32Array(image.data.buffer);
      const isIn = (x, row) => x >= 0 && x < width && row >= 0 && row < height && ids[x * height + row] === block;
      for (let x = 0; x < width; x++) {
        for (let row = 0; row < height; row++) {
          if (ids[x * height + row] !== block) continue;
          const isInside = isIn(x - 1, row) && isIn(x + 1, row) && isIn(x, row - 1) && isIn(x, row + 1);
          pixels[(height - 1 - row) * width + x] = packed(ink, isInside ? 60 : 255);
        }
      }
      const picture = new OffscreenCanvas(width, height);
      picture.getContext("2d").putImageData(image, 0, 0);
      fitted.context.drawImage(picture, area.x, area.y, area.width, area.height);
    }
    if (this.cursor && document.activeElement === this.canvas) this.drawCursor(fitted.context);
  }

  drawCursor(context) {
    const x = this.area.x + ((this.cursor.x + 0.5) / this.width) * this.area.width;
    const y = this.area.y + (1 - (this.cursor.row + 0.5) / this.height) * this.area.height;
    context.strokeStyle = canvasColours().ink;
    context.lineWidth = 1;
    context.setLineDash([3, 3]);
    context.strokeRect(x, this.area.y, 0.5, this.area.height);
    context.setLineDash([]);
    context.fillStyle = canvasColours().surface;
    context.beginPath();
    context.arc(x, y, 4, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }

  pixelAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = Math.floor(((event.clientX - box.left - this.area.x) / this.area.width) * this.width);
    const row = Math.floor((1 - (event.clientY - box.top - this.area.y) / this.area.height) * this.height);
    return { x, row };
  }

  blockAt({ x, row }) {
    const isIn = x >= 0 && x < this.width && row >= 0 && row < this.height;
    return isIn ? this.ids[x * this.height + row] : -1;
  }

  timeOf(x) {
    return this.state.from + (x / this.width) * (this.state.to - this.state.from);
  }

  colourOf(block) {
    const about = describeKind(this.facts, this.blocks.kinds, this.blocks.kind[block]);
    if (this.state.colourBy === "tag") return tagColour(this.facts.tags[about.tag]);
    const group = groupOf(this.blocks, this.state.colourBy, this.blocks.kind[block]);
    return groupColour(this.groupRanks.get(group) ?? Infinity);
  }

  // The details beside the map.
  pin(block, label = "") {
    const panel = byId("block-details");
    this.pinned = block;
    if (block < 0) {
      panel.replaceChildren(make("p", { class: "unknown" }, "Nothing was held in this range."));
      return;
    }
    const { facts, blocks, state } = this;
    const rows = blockRows(facts, blocks, block);
    const [start, end] = [blocks.start[block], Math.min(blocks.end[block], blocks.last)];
    const margin = Math.max(20, (end - start) * 0.05);
    panel.replaceChildren(
      make("p", { class: "eyebrow" }, label || "Chosen block"),
      make(
        "h3",
        {},
        make("i", { class: "swatch", style: { background: this.colourOf(block) } }),
        blockTitle(facts, blocks, block),
      ),
      make(
        "dl",
        {},
        rows.flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]),
      ),
      make(
        "button",
        { type: "button", class: "plain", onclick: () => state.setRange(start - margin, end + margin) },
        "Zoom to its lifetime",
      ),
    );
  }

  // Until the reader chooses, the largest block at the most of the range is shown.
  pinLargest() {
    const { start, end, bytes, tag, count } = this.blocks;
    const { moment } = this.counts();
    let largest = -1;
    for (let i = 0; i < count && start[i] <= moment; i++) {
      const isLarger = largest < 0 || bytes[i] > bytes[largest];
      if (isLarger && end[i] > moment && this.state.isShown[tag[i]]) largest = i;
    }
    this.pin(largest, "Largest at the peak of the range");
  }

  listen() {
    const { canvas, state } = this;
    let drag = null;
    canvas.addEventListener("pointermove", (event) => {
      const at = this.pixelAt(event);
      if (drag) {
        drag.isMoving ||= Math.abs(at.x - drag.x) > 3;
        if (drag.isMoving) this.showSelection(drag.x, at.x);
        return hideTooltip();
      }
      const block = this.blockAt(at);
      if (block !== this.marked) this.mark(block);
      if (block < 0) return hideTooltip();
      const rows = blockRows(this.facts, this.blocks, block);
      showTooltip(event.clientX, event.clientY, blockTitle(this.facts, this.blocks, block), rows, this.colourOf(block));
    });
    canvas.addEventListener("pointerleave", () => {
      hideTooltip();
      this.mark(-1);
    });
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      drag = { ...this.pixelAt(event), isMoving: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointerup", (event) => {
      const at = this.pixelAt(event);
      if (drag?.isMoving) {
        const [low, high] = [Math.min(drag.x, at.x), Math.max(drag.x, at.x)].map((x) =>
          this.timeOf(Math.min(this.width, Math.max(0, x))),
        );
        state.setRange(low, high);
      } else if (drag && this.blockAt(at) >= 0) {
        this.pin(this.blockAt(at));
      }
      drag = null;
      this.mark(-1);
    });
    canvas.addEventListener("dblclick", () => state.setRange(...state.whole));
    canvas.addEventListener(
      "wheel",
      (event) => {
        // The page scrolls as ever; with Ctrl (or two fingers) it is the map that is zoomed.
        if (!event.ctrlKey) return;
        event.preventDefault();
        state.zoom(Math.exp(Math.sign(event.deltaY) * 0.25), this.timeOf(this.pixelAt(event).x));
      },
      { passive: false },
    );
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("focus", () => this.moveCursor(0, 0));
    canvas.addEventListener("blur", () => this.mark(-1));
  }

  showSelection(from, to) {
    const fitted = fitCanvas(this.overlay);
    const toX = (x) => this.area.x + (Math.min(this.width, Math.max(0, x)) / this.width) * this.area.width;
    const [left, right] = [toX(Math.min(from, to)), toX(Math.max(from, to))];
    fitted.context.fillStyle = `${canvasColours().accent}33`;
    fitted.context.fillRect(left, this.area.y, right - left, this.area.height);
    fitted.context.strokeStyle = canvasColours().accent;
    fitted.context.strokeRect(left, this.area.y, right - left, this.area.height);
  }

  // Left and right go through time, up and down from block to block; Enter keeps the details.
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const far = Math.round(this.width / (event.shiftKey ? 10 : 100));
    const moves = { ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    if (moves[event.key]) this.moveCursor(...moves[event.key]);
    else if (event.key === "Enter" || event.key === " ") this.pin(this.blockAt(this.cursor));
    else if ("+=-_".includes(event.key)) this.zoomAtCursor("+=".includes(event.key) ? 0.5 : 2);
    else if (!handleKey(this.state, event)) return;
    event.preventDefault();
  }

  zoomAtCursor(factor) {
    this.state.zoom(factor, this.timeOf(this.cursor?.x ?? this.width / 2));
  }

  moveCursor(columns, up) {
    const { measured, height } = this;
    const highest = measured.now().highest;
    this.cursor ??= { x: highest, row: Math.floor(height / 2) };
    const x = Math.min(this.width - 1, Math.max(0, this.cursor.x + columns));
    let row = Math.min(this.cursor.row, height - 1);
    const here = this.blockAt({ x, row });
    if (up !== 0) while (this.blockAt({ x, row }) === here && row + up >= 0 && row + up < height) row += up;
    // Above everything there is nothing to tell: the topmost block is meant.
    while (row > 0 && this.blockAt({ x, row }) < 0) row -= 1;
    this.cursor = { x, row };
    const block = this.blockAt(this.cursor);
    this.mark(block);
    const when = `at ${formatTime(this.timeOf(x))}, ${formatBytes(measured.now().totals[x])} held`;
    byId("map-status").textContent =
      block >= 0 ? `${blockSentence(this.facts, this.blocks, block)}; ${when}` : `Nothing held ${when}`;
    if (block >= 0) this.pin(block, "At the cursor");
  }
}
