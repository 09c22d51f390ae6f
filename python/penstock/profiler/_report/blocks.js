// What is known of a block, in words.
import { shortPath } from "./elements.js";
import { formatBytes, formatExactBytes, formatInstant, formatTime } from "./units.js";

// Indices of the tables are shifted by one in the columns: 0 is "unknown".
export function describeKind(facts, kinds, kind) {
  const name = (column) => facts.names[kinds[column][kind] - 1] ?? "";
  return {
    bytes: kinds.bytes[kind],
    tag: kinds.tag[kind],
    site: facts.sites[kinds.site[kind] - 1] ?? null,
    op: name("op"),
    owner: name("owner"),
    dtype: name("dtype"),
    shape: facts.shapes[kinds.shape[kind] - 1] ?? "",
  };
}

// [[label, text]] of a block, in the order in which one asks for it.
export function blockRows(facts, blocks, block) {
  const about = describeKind(facts, blocks.kinds, blocks.kind[block]);
  const [start, end] = [blocks.start[block], blocks.end[block]];
  const isHeld = end > blocks.last;
  const rows = [
    ["Size", formatExactBytes(about.bytes)],
    ["Tensor", [about.dtype, about.shape].filter(Boolean).join(" ")],
    ["Tag", facts.tags[about.tag]],
    ["Owner", about.owner],
    ["Line", about.site ? `${shortPath(about.site[0])}:${about.site[1]}` : ""],
    ["In", about.site?.[2] ?? ""],
    ["From", block < facts.before ? "before the recording" : formatInstant(start)],
    ["Until", isHeld ? "held at the end" : formatInstant(end)],
    ["Lifetime", `${isHeld ? "≥ " : ""}${formatTime(end - start)}`],
  ];
  return rows.filter(([, text]) => text !== "");
}

export function blockTitle(facts, blocks, block) {
  const about = describeKind(facts, blocks.kinds, blocks.kind[block]);
  return about.op || about.owner || `${facts.tags[about.tag]} block`;
}

// One sentence, for what reads the page aloud.
export function blockSentence(facts, blocks, block) {
  const about = describeKind(facts, blocks.kinds, blocks.kind[block]);
  const place = about.site ? `, ${about.site[0].split("/").pop()} line ${about.site[1]}` : "";
  const tensor = [about.dtype, about.shape].filter(Boolean).join(" ");
  const title = blockTitle(facts, blocks, block);
  return `${title}, ${formatBytes(about.bytes)}, ${tensor}, ${facts.tags[about.tag]}${place}`;
}

