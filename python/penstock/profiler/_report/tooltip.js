// The small window beside the pointer.
import { byId, make } from "./elements.js";

export function showTooltip(x, y, title, rows, swatch = "") {
  const tip = byId("tooltip");
  const head = make("div", { class: "tip-title" }, title);
  if (swatch) head.prepend(make("i", { class: "swatch", style: { background: swatch } }));
  tip.replaceChildren(
    head,
    make(
      "dl",
      {},
      rows.flatMap(([label, text]) => [make("dt", {}, label), make("dd", {}, text)]),
    ),
  );
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = x + 16 + box.width > innerWidth - 8 ? x - 16 - box.width : x + 16;
  const top = Math.min(y + 14, innerHeight - box.height - 8);
  tip.style.transform = `translate(${Math.max(8, left)}px, ${Math.max(8, top)}px)`;
}

export function hideTooltip() {
  byId("tooltip").hidden = true;
}
