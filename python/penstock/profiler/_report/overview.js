// The head of the page: what ran, the figures that matter most, why it ended, and the findings.
import { byId, make, setHome, sitePlace } from "./elements.js";
import { formatBytes, formatCount, formatExactBytes, formatShare, formatTime } from "./units.js";

function figure(label, value, note, title = "") {
  return make("div", { class: "figure", title }, make("dt", {}, label), make("dd", {}, value), make("p", {}, note));
}

export function startOverview(facts) {
  const { meta, peak } = facts;
  const program = meta.program || "A recorded program";
  setHome(program.startsWith("/") || !meta.folder ? program : `${meta.folder}/${program}`);
  byId("program").textContent = program.split("/").pop();
  byId("program").title = program;
  const command = (meta.argv ?? []).join(" ") || program;
  const began = meta.began ? ` · ${String(meta.began).replace("T", " ").slice(0, 19)}` : "";
  byId("run").textContent = `${command}${began} · ran for ${formatTime(facts.duration)}`;
  byId("run").title = command;

  const last = facts.heldAtEnd;
  const topRss = facts.process.rss.reduce((top, value) => Math.max(top, value), 0);
  const budget =
    meta.budget > 0
      ? `${formatShare(peak.bytes, meta.budget)} of the budget of ${formatBytes(meta.budget)}`
      : "no budget was set";
  const missing = meta.dropped > 0 ? ` · ${formatCount(meta.dropped)} more found no room on the disk` : "";
  byId("figures").append(
    figure(
      "Peak",
      formatBytes(peak.bytes),
      `at ${formatTime(peak.time)} · ${budget}`,
      formatExactBytes(peak.bytes),
    ),
    figure("Held at the end", formatBytes(last), `${formatShare(last, peak.bytes)} of the peak`, formatExactBytes(last)),
    figure("Blocks", formatCount(facts.blocks), `${formatBytes(facts.allocated)} asked for in total${missing}`),
    topRss
      ? figure("Process", formatBytes(topRss), "largest resident size")
      : figure("Process", "–", "no samples of the process"),
  );
  showError(facts);
  showFindings(facts);
}

function showError(facts) {
  const { error } = facts.meta;
  if (!error) return;
  const place = byId("error");
  const [first, ...rest] = String(error).split("\n");
  place.hidden = false;
  place.append(
    make("h2", {}, "The program ended with an error"),
    make("p", { class: "message" }, first),
    rest.length ? make("details", {}, make("summary", {}, "Whole text"), make("pre", {}, error)) : "",
    make("p", {}, "What was held when it ended is under “What the peak is made of”; choose End there."),
  );
}

function growth(finding) {
  const parts = [];
  if (finding.growth_bytes > 0) parts.push(`grew by ${formatBytes(finding.growth_bytes)}`);
  if (finding.steps > 0) parts.push(`over ${formatCount(finding.steps)} steps`);
  if (finding.growth_per_step > 0) parts.push(`${formatBytes(finding.growth_per_step)} per step`);
  return parts.join(" · ");
}

function copyButton(text) {
  const button = make("button", { type: "button", class: "plain copy" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select it by hand";
    }
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  return button;
}

function fixFigure(code) {
  return make(
    "figure",
    {},
    make("figcaption", {}, "The fix", copyButton(code)),
    make("pre", {}, make("code", {}, code)),
  );
}

function showFindings(facts) {
  const place = byId("findings");
  const count = facts.findings.length;
  byId("findings-count").textContent = count ? formatCount(count) : "";
  if (!count) {
    place.append(
      make(
        "div",
        { class: "empty slim" },
        make("strong", {}, "No findings in this profile. "),
        "The doctor looks for what grows: ",
        make("code", {}, "penstock doctor script.py"),
      ),
    );
    return;
  }
  place.append(
    ...facts.findings.map((finding, i) =>
      make(
        "details",
        { class: "finding", open: i === 0 ? "" : null },
        make(
          "summary",
          {},
          make("span", { class: "cause" }, finding.cause ?? "finding"),
          make("b", {}, finding.title ?? ""),
          make("span", { class: "growth" }, growth(finding)),
          finding.file ? sitePlace([finding.file, finding.line]) : "",
        ),
        // A text with a table in it keeps its columns.
        make(/\n.* {2}/.test(finding.text) ? "pre" : "p", {}, finding.text ?? ""),
        finding.fix ? fixFigure(finding.fix) : "",
      ),
    ),
  );
}
