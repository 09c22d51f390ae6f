// Going through the blocks in time: what was held in each column of a chart, and which blocks.
//
// A column of a chart is a stretch of time. It shows the moment within it at which the most was
// held: no peak is lost, however far one is zoomed out, and what is drawn was really held together.

// Where `value` belongs in `values`, which is sorted: after everything that is not greater.
export function upperBound(count, get, value) {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (get(middle) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Calls enter(block) and leave(block) for the blocks of [from, to] in the order of time, first for
// what is held at `from`, and before(time) ahead of every later moment at which something changes.
// What ends in the moment in which it began was held at no moment and is left out.
function walk(blocks, from, to, enter, leave, before) {
  const { start, end, byEnd, count } = blocks;
  let next = upperBound(count, (i) => start[i], from);
  for (let i = 0; i < next; i++) if (end[i] > from) enter(i);
  let out = upperBound(count, (i) => end[byEnd[i]], from);
  for (;;) {
    const begins = next < count ? start[next] : Infinity;
    const ends = out < count ? end[byEnd[out]] : Infinity;
    const time = Math.min(begins, ends);
    if (time > to) return;
    before(time);
    if (ends === time) {
      const block = byEnd[out++];
      if (start[block] < ends) leave(block);
    } else {
      if (end[next] > begins) enter(next);
      next += 1;
    }
  }
}

// For each of `width` columns of [from, to]: the moment of the most, and what the tags held then.
// isShown: by tag. {moments, totals, held (tag by tag), highest: the column with the most}
export function measure(blocks, from, to, width, isShown) {
  const tags = isShown.length;
  const moments = new Float64Array(width);
  const totals = new Float64Array(width).fill(-1);
  const held = new Float64Array(width * tags);
  const now = new Float64Array(tags);
  const perColumn = width / Math.max(1, to - from);
  let total = 0;
  let column = 0;
  let time = from;

  // What stands after all changes of a moment is what was held.
  const settle = () => {
    if (total <= totals[column]) return;
    totals[column] = total;
    moments[column] = time;
    for (let tag = 0; tag < tags; tag++) held[column * tags + tag] = now[tag];
  };
  const moveTo = (then) => {
    if (then === time) return;
    settle();
    const target = Math.min(width - 1, Math.floor((then - from) * perColumn));
    while (column < target) {
      column += 1;
      time = from + column / perColumn;
      settle();
    }
    time = then;
  };
  const change = (sign) => (block) => {
    const tag = blocks.tag[block];
    if (!isShown[tag]) return;
    const bytes = sign * blocks.bytes[block];
    total += bytes;
    now[tag] += bytes;
  };
  walk(blocks, from, to, change(1), change(-1), moveTo);
  moveTo(to + 1e-9);
  settle();
  let highest = 0;
  for (let i = 1; i < width; i++) if (totals[i] > totals[highest]) highest = i;
  return { moments, totals, held, tags, highest };
}

const WORD = 32; // blocks, a bit each
const CHUNK = 16; // words

// Which blocks are held, as bits. The bytes of every word and chunk are kept beside them: what is less
// than a pixel high is stepped over as a whole, so that a column costs what its rows cost, however
// many blocks are held.
class LiveSet {
  constructor(blocks) {
    const chunks = Math.ceil(blocks.count / (WORD * CHUNK)) + 1;
    this.blockBytes = blocks.bytes;
    this.bits = new Uint32Array(chunks * CHUNK);
    this.wordBytes = new Float64Array(chunks * CHUNK);
    this.chunkBytes = new Float64Array(chunks);
    this.first = chunks;
    this.last = -1;
  }

  add(block) {
    const word = block >>> 5;
    const chunk = (word / CHUNK) | 0;
    this.bits[word] |= 1 << (block & 31);
    this.wordBytes[word] += this.blockBytes[block];
    this.chunkBytes[chunk] += this.blockBytes[block];
    if (chunk < this.first) this.first = chunk;
    if (chunk > this.last) this.last = chunk;
  }

  remove(block) {
    const word = block >>> 5;
    this.bits[word] &= ~(1 << (block & 31));
    this.wordBytes[word] -= this.blockBytes[block];
    this.chunkBytes[(word / CHUNK) | 0] -= this.blockBytes[block];
  }

  // Calls paint(block, low, high) for every block that covers a row, from the bottom up.
  stack(rowsPerByte, paint) {
    const { bits, wordBytes, chunkBytes, blockBytes } = this;
    let bytes = 0; // below the next block
    let row = 0; // the first one that is not covered yet
    for (let chunk = this.first; chunk <= this.last; chunk++) {
      const chunkEnd = bytes + chunkBytes[chunk];
      if (Math.round(chunkEnd * rowsPerByte) === row) {
        bytes = chunkEnd;
        continue;
      }
      for (let word = chunk * CHUNK; word < (chunk + 1) * CHUNK; word++) {
        const wordEnd = bytes + wordBytes[word];
        if (Math.round(wordEnd * rowsPerByte) === row) {
          bytes = wordEnd;
          continue;
        }
        for (let rest = bits[word]; rest !== 0; rest &= rest - 1) {
          const block = word * WORD + 31 - Math.clz32(rest & -rest);
          bytes += blockBytes[block];
          const high = Math.round(bytes * rowsPerByte);
          if (high > row) paint(block, row, high);
          row = high;
        }
      }
    }
  }
}

// Paints the blocks of each column, stacked in the order in which they were asked for, as held at
// the column's moment (of `measured`): paint(column, block, lowRow, highRow).
export function stackColumns(blocks, from, to, measured, isShown, rowsPerByte, paint) {
  const { tag } = blocks;
  const live = new LiveSet(blocks);
  const width = measured.moments.length;
  let column = 0;
  const paintHere = (block, low, high) => paint(column, block, low, high);
  const before = (time) => {
    for (; column < width && measured.moments[column] < time; column++) live.stack(rowsPerByte, paintHere);
  };
  const enter = (block) => {
    if (isShown[tag[block]]) live.add(block);
  };
  const leave = (block) => {
    if (isShown[tag[block]]) live.remove(block);
  };
  walk(blocks, from, to, enter, leave, before);
  before(Infinity);
}

// By kind: how many blocks there were in [from, to], how many began there, how many were held at
// `moment`, and how many still are at the end; and the sum of the lifetimes of those that ended.
export function countKinds(blocks, from, to, moment) {
  const { start, end, kind, kinds, last } = blocks;
  const counts = {
    began: new Float64Array(kinds.count),
    atMoment: new Float64Array(kinds.count),
    atEnd: new Float64Array(kinds.count),
    ended: new Float64Array(kinds.count),
    lifetime: new Float64Array(kinds.count),
  };
  const stop = upperBound(blocks.count, (i) => start[i], to);
  for (let i = 0; i < stop; i++) {
    if (end[i] <= from && start[i] < from) continue;
    const k = kind[i];
    if (start[i] >= from) counts.began[k] += 1;
    if (start[i] <= moment && end[i] > moment) counts.atMoment[k] += 1;
    if (end[i] > to) counts.atEnd[k] += 1;
    if (end[i] <= last) {
      counts.ended[k] += 1;
      counts.lifetime[k] += end[i] - start[i];
    }
  }
  return counts;
}
