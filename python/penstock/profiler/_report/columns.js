// The columns of the page: from base64 and deflate back to arrays of numbers (see _pack.py).

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

function joinPlanes(bytes, at, length, planes) {
  const values = planes <= 4 ? new Uint32Array(length) : new Float64Array(length);
  let weight = 1;
  for (let plane = 0; plane < planes; plane++, weight *= 256, at += length) {
    for (let i = 0; i < length; i++) values[i] += bytes[at + i] * weight;
  }
  return values;
}

// {name: array} of all columns.
export async function readColumns(contents, text) {
  const bytes = await inflate(fromBase64(text));
  const columns = {};
  let at = 0;
  for (const { name, length, planes } of contents) {
    columns[name] = joinPlanes(bytes, at, length, planes);
    at += length * planes;
  }
  return columns;
}

// The blocks: when each begins and ends, its bytes and tag, of which kind it is, and the kinds. Blocks are in the order
// of their starts; `byEnd` is the order of their ends. What is held to the end, ends after `last`.
export function makeBlocks(columns, last) {
  const count = columns.start.length;
  const start = new Float64Array(count);
  const end = new Float64Array(count);
  let at = 0;
  for (let i = 0; i < count; i++) {
    at += columns.start[i];
    start[i] = at;
    end[i] = columns.length[i] === 0 ? last + 1 : at + columns.length[i] - 1;
  }
  const { kind } = columns;
  const kinds = {};
  for (const name of ["bytes", "tag", "site", "op", "owner", "dtype", "shape"]) {
    kinds[name] = columns[`kind.${name}`];
  }
  kinds.count = kinds.bytes.length;
  // Bytes and tags are asked for millions of times: beside the blocks they are near.
  const bytes = new Float64Array(count);
  const tag = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    bytes[i] = kinds.bytes[kind[i]];
    tag[i] = kinds.tag[kind[i]];
  }
  return { count, start, end, bytes, tag, kind, kinds, byEnd: orderOfEnds(end, last), last };
}

// Sorting numbers is several times faster than sorting indices by a comparison: a number is made of
// the end (as finely as 53 bits allow) and the index.
function orderOfEnds(end, last) {
  const count = end.length;
  const room = 2 ** Math.max(1, Math.ceil(Math.log2(count + 1)));
  const unit = Math.max(1, (last + 2) / (2 ** 52 / room));
  const keys = new Float64Array(count);
  for (let i = 0; i < count; i++) keys[i] = Math.floor(end[i] / unit) * room + i;
  keys.sort();
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = keys[i] % room;
  return order;
}
