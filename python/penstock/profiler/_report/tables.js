// Tables that sort by any column, and the two that the page has: lines, and functions.
import { byId, emptyState, make, sitePlace } from "./elements.js";
import { formatBytes, formatCount, formatTime } from "./units.js";

const FIRST_ROWS = 15;

// columns: [{key, title, value(row), show(row), isText}]; the first order is by `sortBy`, falling.
export class SortedTable {
  constructor(place, { columns, sortBy, caption, empty }) {
    Object.assign(this, { place, columns, sortBy, caption, empty });
    this.isRising = false;
    this.isLong = false;
    this.rows = [];
  }

  update(rows) {
    this.rows = rows;
    this.draw();
  }

  sort(key) {
    const column = this.columns.find((each) => each.key === key);
    // Numbers are asked for from the largest, words from A.
    this.isRising = this.sortBy === key ? !this.isRising : Boolean(column.isText);
    this.sortBy = key;
    this.draw();
    this.place.querySelector(`[data-key="${key}"]`).focus();
  }

  sorted() {
    const { value } = this.columns.find((each) => each.key === this.sortBy);
    const sign = this.isRising ? 1 : -1;
    const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b) : a - b);
    return [...this.rows].sort((a, b) => sign * compare(value(a), value(b)));
  }

  heading({ key, title, isText }) {
    const isSorted = this.sortBy === key;
    const order = isSorted ? (this.isRising ? "ascending" : "descending") : "none";
    const arrow = isSorted ? (this.isRising ? "▲" : "▼") : "";
    return make(
      "th",
      { scope: "col", "aria-sort": order, class: isText ? "text" : "number" },
      make(
        "button",
        { type: "button", "data-key": key, onclick: () => this.sort(key) },
        title,
        make("i", { "aria-hidden": true }, arrow),
      ),
    );
  }

  draw() {
    if (this.rows.length === 0) {
      this.place.replaceChildren(this.empty);
      return;
    }
    const shown = this.sorted().slice(0, this.isLong ? Infinity : FIRST_ROWS);
    const body = shown.map((row) =>
      make(
        "tr",
        {},
        this.columns.map(({ show, isText }) => make("td", { class: isText ? "text" : "number" }, show(row))),
      ),
    );
    const more = this.rows.length - FIRST_ROWS;
    const button = make(
      "button",
      { type: "button", class: "plain", onclick: () => ((this.isLong = !this.isLong), this.draw()) },
      this.isLong ? "Show fewer" : `Show ${formatCount(more)} more`,
    );
    this.place.replaceChildren(
      make(
        "div",
        { class: "scroll" },
        make(
          "table",
          {},
          make("caption", {}, this.caption),
          make("thead", {}, make("tr", {}, this.columns.map((column) => this.heading(column)))),
          make("tbody", {}, body),
        ),
      ),
      more > 0 ? button : "",
    );
  }
}

function bar(part, whole, text) {
  const share = whole > 0 ? Math.min(100, (100 * part) / whole) : 0;
  return make("div", { class: "bar" }, make("i", { style: { width: `${share}%` } }), make("span", {}, text));
}

export function startSites(facts, state, blocks, counts) {
  let most = 1;
  const table = new SortedTable(byId("sites"), {
    caption: "Lines of the program and the memory that they asked for",
    sortBy: "peak",
    empty: emptyState("No line asked for memory here", "Choose another range, or clear the search."),
    columns: [
      {
        key: "site", title: "Line", isText: true,
        value: (row) => row.text,
        show: (row) => sitePlace(row.site),
      },
      {
        key: "function", title: "In", isText: true,
        value: (row) => row.site?.[2] ?? "",
        show: (row) => make("code", {}, row.site?.[2] ?? ""),
      },
      {
        key: "peak", title: "At the peak",
        value: (row) => row.peak,
        show: (row) => bar(row.peak, most, formatBytes(row.peak)),
      },
      { key: "end", title: "At the end", value: (row) => row.end, show: (row) => formatBytes(row.end) },
      { key: "total", title: "Asked for", value: (row) => row.total, show: (row) => formatBytes(row.total) },
      { key: "blocks", title: "Blocks", value: (row) => row.blocks, show: (row) => formatCount(row.blocks) },
      {
        key: "life", title: "Mean lifetime",
        value: (row) => row.life,
        show: (row) => (row.life === Infinity ? "held" : formatTime(row.life)),
      },
    ],
  });
  const search = byId("site-search");

  function update() {
    const { kinds } = blocks;
    const { began, atMoment, atEnd, ended, lifetime } = counts();
    const rows = new Map();
    for (let kind = 0; kind < kinds.count; kind++) {
      if (!state.isShown[kinds.tag[kind]] || !(began[kind] || atMoment[kind] || atEnd[kind])) continue;
      const key = kinds.site[kind];
      let row = rows.get(key);
      if (!row) {
        const site = facts.sites[key - 1] ?? null;
        const text = site ? `${site[0]}:${site[1]} ${site[2]}` : "unknown line";
        rows.set(key, (row = { site, text, peak: 0, end: 0, total: 0, blocks: 0, ended: 0, lifetime: 0 }));
      }
      row.peak += atMoment[kind] * kinds.bytes[kind];
      row.end += atEnd[kind] * kinds.bytes[kind];
      row.total += began[kind] * kinds.bytes[kind];
      row.blocks += began[kind];
      row.ended += ended[kind];
      row.lifetime += lifetime[kind];
    }
    const wanted = search.value.trim().toLowerCase();
    const found = [...rows.values()].filter((row) => row.text.toLowerCase().includes(wanted));
    for (const row of found) row.life = row.ended ? row.lifetime / row.ended : Infinity;
    most = found.reduce((top, row) => Math.max(top, row.peak), 1);
    table.update(found);
  }
  search.addEventListener("input", update);
  state.on("settled tags", update);
  update();
}

export function startFunctions(facts) {
  const larger = (plan) => Math.max(plan.planned_peak ?? 0, plan.measured_peak ?? 0);
  const most = facts.plans.reduce((top, plan) => Math.max(top, larger(plan)), 1);
  const number = (value) => (Number.isFinite(value) ? value : -1);
  const size = (value) => (Number.isFinite(value) ? formatBytes(value) : "–");
  const over = (plan) => number(plan.measured_peak) - number(plan.planned_peak);
  const difference = (plan) => {
    if (!Number.isFinite(plan.planned_peak) || !Number.isFinite(plan.measured_peak)) return "–";
    if (plan.calls === 0) return make("span", { class: "unknown" }, "no call ended");
    if (over(plan) === 0) return make("span", { class: "good" }, "exact");
    const isOver = over(plan) > 0;
    return make("span", { class: isOver ? "bad" : "good" }, `${isOver ? "+" : ""}${formatBytes(over(plan))}`);
  };
  const table = new SortedTable(byId("functions"), {
    caption: "Functions: the peak that was planned and the one that was measured",
    sortBy: "measured",
    empty: emptyState("No functions ran", "What tf.function makes appears here with the peak that was planned for it."),
    columns: [
      {
        key: "name", title: "Function", isText: true,
        value: (plan) => plan.name ?? "",
        show: (plan) => make("code", {}, plan.name ?? ""),
      },
      {
        key: "site", title: "Line", isText: true,
        value: (plan) => `${plan.file}:${plan.line}`,
        show: (plan) => sitePlace(plan.file ? [plan.file, plan.line] : null),
      },
      {
        key: "planned", title: "Planned peak",
        value: (plan) => number(plan.planned_peak),
        show: (plan) => bar(number(plan.planned_peak), most, size(plan.planned_peak)),
      },
      {
        key: "measured", title: "Measured peak",
        value: (plan) => number(plan.measured_peak),
        show: (plan) => bar(number(plan.measured_peak), most, size(plan.measured_peak)),
      },
      { key: "over", title: "Difference", value: over, show: difference },
      {
        key: "calls", title: "Calls",
        value: (plan) => number(plan.calls),
        show: (plan) => formatCount(plan.calls ?? 0),
      },
    ],
  });
  table.update(facts.plans);
}
