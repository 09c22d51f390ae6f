// What the most of the range is made of: a treemap by line, op, owner or tag, and a list of what is
// in the chosen part.
import { tagColour, inkOn, canvasColours } from "./colours.js";
import { onResize } from "./charts.js";
import { byId, choice, emptyState, make, sitePlace } from "./elements.js";
import { GROUPINGS, gather, groupName, largestKinds } from "./groups.js";
import { squarify } from "./squarify.js";
import { hideTooltip, showTooltip } from "./tooltip.js";
import { countOf, formatBytes, formatCount, formatShare, formatTime } from "./units.js";

const MOST_CELLS = 60;
const MOST_KINDS = 12;

export function startPeak(facts, state, blocks, counts) {
  const place = byId("treemap");
  let by = "site";
  let when = "atMoment";
  let chosen = 0;

  const options = byId("peak-options");
  options.append(
    choice("Moment", [["atMoment", "Peak"], ["atEnd", "End"]], when, (value) => ((when = value), draw())),
    choice("Group by", GROUPINGS, by, (value) => ((by = value), (chosen = 0), draw())),
  );

  function cells() {
    const groups = gather(facts, state, blocks, by, counts()[when]);
    if (groups.length <= MOST_CELLS) return groups;
    const rest = groups.splice(MOST_CELLS - 1);
    groups.push({
      name: `${formatCount(rest.length)} others`,
      bytes: rest.reduce((sum, group) => sum + group.bytes, 0),
      blocks: rest.reduce((sum, group) => sum + group.blocks, 0),
      kinds: rest.flatMap((group) => group.kinds),
      count: rest[0].count,
    });
    return groups;
  }

  function draw() {
    const groups = cells();
    const total = groups.reduce((sum, group) => sum + group.bytes, 0);
    const moment = when === "atMoment" ? counts().moment : state.to;
    byId("peak-title").textContent = when === "atMoment" ? "What the peak is made of" : "What is held at the end";
    byId("peak-text").textContent =
      `${formatBytes(total)} in ${countOf(groups.reduce((sum, group) => sum + group.blocks, 0), "block")} at ` +
      `${formatTime(moment)}${state.isWhole() ? "" : ", within the chosen range"}`;
    if (groups.length === 0) {
      place.replaceChildren(emptyState("Nothing was held", "Choose another range, or show more tags."));
      byId("peak-parts").replaceChildren();
      return;
    }
    chosen = Math.min(chosen, groups.length - 1);
    const [width, height] = [place.clientWidth, place.clientHeight];
    const boxes = squarify(groups.map((group) => group.bytes), width, height);
    const buttons = groups.map((group, i) => cell(group, boxes[i], total));
    place.replaceChildren(...buttons);
    select(groups, buttons, chosen, total);
    place.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const next = Math.min(groups.length - 1, Math.max(0, chosen + step));
      buttons[next].focus();
      select(groups, buttons, next, total);
    };
    buttons.forEach((button, i) => button.addEventListener("click", () => select(groups, buttons, i, total)));
  }

  const nameOf = (group) => group.name ?? groupName(facts, by, group.group);

  function cell(group, box, total) {
    const colour = group.tag === undefined ? canvasColours().rest : tagColour(facts.tags[group.tag]);
    const [name, size, share] = [nameOf(group), formatBytes(group.bytes), formatShare(group.bytes, total)];
    const hasText = box.width > 46 && box.height > 20;
    const style = {
      left: `${box.x}px`,
      top: `${box.y}px`,
      width: `${Math.max(0, box.width - 2)}px`,
      height: `${Math.max(0, box.height - 2)}px`,
      background: colour,
      color: inkOn(colour),
    };
    const rows = [
      ["Bytes", `${size}, ${share}`],
      ["Blocks", formatCount(group.blocks)],
      ["Mostly", group.tag === undefined ? "several" : facts.tags[group.tag]],
    ];
    return make(
      "button",
      {
        type: "button",
        class: hasText ? "cell" : "cell tiny",
        style,
        "aria-label": `${name}: ${size}, ${share}, ${countOf(group.blocks, "block")}`,
        onpointermove: (event) => showTooltip(event.clientX, event.clientY, name, rows, colour),
        onpointerleave: hideTooltip,
      },
      hasText ? [make("b", {}, name), box.height > 38 ? make("span", {}, `${size} · ${share}`) : null] : [],
    );
  }

  function select(groups, buttons, index, total) {
    chosen = index;
    buttons.forEach((button, i) => {
      button.tabIndex = i === index ? 0 : -1;
      button.setAttribute("aria-pressed", i === index);
    });
    const group = groups[index];
    const rows = largestKinds(facts, blocks, group, MOST_KINDS).map(({ title, tensor, about, count, bytes }) => {
      const [tag, owner] = [facts.tags[about.tag], about.owner].map((text) => (text === title ? "" : text));
      return make(
        "li",
        {},
        make("i", { class: "swatch", style: { background: tagColour(facts.tags[about.tag]) } }),
        make(
          "div",
          { class: "what" },
          make("b", {}, title),
          make("span", {}, [tensor, tag, owner].filter(Boolean).join(" · ")),
          by === "site" || !about.site ? null : sitePlace(about.site),
        ),
        make(
          "div",
          { class: "amount" },
          make("b", {}, formatBytes(bytes)),
          make("span", {}, count > 1 ? `${formatCount(count)} × ${formatBytes(about.bytes)}` : "1 block"),
        ),
      );
    });
    const more = group.kinds.length - rows.length;
    const heading = by === "site" && group.group > 0 ? sitePlace(facts.sites[group.group - 1]) : nameOf(group);
    byId("peak-parts").replaceChildren(
      make("h3", {}, heading),
      make("p", { class: "lead" }, `${formatBytes(group.bytes)}, ${formatShare(group.bytes, total)} of what is held`),
      make("ol", { class: "parts" }, rows),
      more > 0 ? make("p", { class: "unknown" }, `and ${countOf(more, "more kind")}`) : "",
    );
  }

  state.on("settled tags theme", draw);
  onResize(place, draw);
  draw();
}
