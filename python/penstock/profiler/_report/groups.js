// Kinds of blocks put into groups (by line, op, owner or tag), with their bytes in the range.
import { describeKind } from "./blocks.js";
import { countKinds } from "./sweep.js";

export const GROUPINGS = [
  ["site", "Line"],
  ["op", "Op"],
  ["owner", "Owner"],
  ["tag", "Tag"],
];

// Which group a kind belongs to: a number, the index of its table.
export function groupOf(blocks, by, kind) {
  return blocks.kinds[by][kind];
}

export function groupName(facts, by, group) {
  if (by === "tag") return facts.tags[group];
  if (group === 0) return { site: "unknown line", op: "no op", owner: "no owner" }[by];
  if (by !== "site") return facts.names[group - 1];
  const [file, line] = facts.sites[group - 1];
  return `${file.split("/").pop()}:${line}`;
}

// The counts of the kinds in the range, and the moment at which it held the most; counted once for
// everybody who asks.
export function makeCounts(state, blocks, measured) {
  let counts = null;
  state.on("range tags", () => (counts = null));
  return () => {
    if (!counts) {
      const { moments, highest } = measured.now();
      counts = { moment: moments[highest], ...countKinds(blocks, state.from, state.to, moments[highest]) };
    }
    return counts;
  };
}

// [{group, bytes, blocks, tag (the one with the most), kinds, count}] of what `count` (by
// kind) says was held, the most first.
export function gather(facts, state, blocks, by, count) {
  const groups = new Map();
  for (let kind = 0; kind < blocks.kinds.count; kind++) {
    const tag = blocks.kinds.tag[kind];
    if (count[kind] === 0 || !state.isShown[tag]) continue;
    const key = groupOf(blocks, by, kind);
    let group = groups.get(key);
    if (!group) groups.set(key, (group = { group: key, bytes: 0, blocks: 0, tags: new Map(), kinds: [], count }));
    const bytes = count[kind] * blocks.kinds.bytes[kind];
    group.bytes += bytes;
    group.blocks += count[kind];
    group.tags.set(tag, (group.tags.get(tag) ?? 0) + bytes);
    group.kinds.push(kind);
  }
  const found = [...groups.values()].filter((group) => group.bytes > 0);
  for (const group of found) group.tag = [...group.tags].sort((a, b) => b[1] - a[1])[0][0];
  return found.sort((a, b) => b.bytes - a.bytes);
}

// The kinds of a group that weigh most, in words: [{title, tensor, about, count, bytes}].
export function largestKinds(facts, blocks, { kinds, count }, limit) {
  const bytesOf = (kind) => count[kind] * blocks.kinds.bytes[kind];
  const largest = [];
  for (const kind of kinds) {
    if (largest.length === limit && bytesOf(kind) <= bytesOf(largest[limit - 1])) continue;
    const at = largest.findIndex((other) => bytesOf(other) < bytesOf(kind));
    largest.splice(at < 0 ? largest.length : at, 0, kind);
    if (largest.length > limit) largest.pop();
  }
  return largest.map((kind) => {
    const about = describeKind(facts, blocks.kinds, kind);
    const tensor = [about.dtype, about.shape].filter(Boolean).join(" ");
    const title = about.op || about.owner || facts.tags[about.tag];
    return { title, tensor, about, count: count[kind], bytes: bytesOf(kind) };
  });
}
