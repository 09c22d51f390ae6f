// Puts the page together: the head and the timeline at once, the rest when the columns are read.
import { startTheme } from "./colours.js";
import { makeBlocks, readColumns } from "./columns.js";
import { byId, make } from "./elements.js";
import { makeCounts } from "./groups.js";
import { MemoryMap, makeMeasured } from "./memory_map.js";
import { startOverview } from "./overview.js";
import { startPeak } from "./peak.js";
import { startProcess } from "./process.js";
import { makeState } from "./state.js";
import { startFunctions, startSites } from "./tables.js";
import { startLegend, startTimeline } from "./timeline.js";

function startButtons(facts, state) {
  const around = Math.max(facts.duration / 40, 50);
  const actions = {
    "zoom-in": () => state.zoom(0.5),
    "zoom-out": () => state.zoom(2),
    "zoom-all": () => state.setRange(...state.whole),
    "zoom-peak": () => state.setRange(facts.peak.time - around, facts.peak.time + around),
  };
  for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
}

async function start() {
  const facts = JSON.parse(byId("facts").textContent);
  const state = makeState(facts);
  startTheme(byId("theme"), () => state.tell("theme"));
  startOverview(facts);
  startTimeline(facts, state);
  startButtons(facts, state);
  startFunctions(facts);
  startProcess(facts, state);

  const blocks = makeBlocks(await readColumns(facts.columns, byId("columns").textContent), facts.duration);
  byId("columns").remove(); // its text is the largest thing on the page, and nobody needs it any more
  const measured = makeMeasured(state, blocks, byId("map"));
  const counts = makeCounts(state, blocks, measured);
  startLegend(facts, state, measured);
  new MemoryMap(facts, state, blocks, measured, counts);
  startPeak(facts, state, blocks, counts);
  startSites(facts, state, blocks, counts);
  // Once it is drawn, for whoever wants to know how long it took.
  requestAnimationFrame(() => {
    performance.mark("ready");
    document.documentElement.dataset.ready = "true";
  });
}

start().catch((error) => {
  const place = byId("error");
  place.hidden = false;
  place.append(make("h2", {}, "This browser cannot show the page"), make("p", { class: "message" }, String(error)));
  throw error;
});
