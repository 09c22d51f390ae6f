// A treemap's rectangles: areas in proportion to their values, as square as can be.
//
// Rows are filled along the shorter side of what is left; one more value is taken into a row as long
// as that makes its worst rectangle squarer.

function worstRatio(sum, largest, smallest, side) {
  const square = side * side;
  return Math.max((square * largest) / (sum * sum), (sum * sum) / (square * smallest));
}

// [{x, y, width, height}] for values that are sorted from the largest to the smallest.
export function squarify(values, width, height) {
  const total = values.reduce((sum, value) => sum + value, 0);
  const areas = values.map((value) => (value / total) * width * height);
  const boxes = [];
  let [x, y, restWidth, restHeight] = [0, 0, width, height];
  for (let first = 0; first < areas.length; ) {
    const side = Math.min(restWidth, restHeight);
    let sum = areas[first];
    let next = first + 1;
    while (next < areas.length) {
      const now = worstRatio(sum, areas[first], areas[next - 1], side);
      if (worstRatio(sum + areas[next], areas[first], areas[next], side) > now) break;
      sum += areas[next++];
    }
    const isColumn = restWidth >= restHeight;
    const thickness = side > 0 ? sum / side : 0;
    let at = 0;
    for (let i = first; i < next; i++) {
      const length = thickness > 0 ? areas[i] / thickness : 0;
      boxes.push(
        isColumn
          ? { x, y: y + at, width: thickness, height: length }
          : { x: x + at, y, width: length, height: thickness },
      );
      at += length;
    }
    if (isColumn) [x, restWidth] = [x + thickness, restWidth - thickness];
    else [y, restHeight] = [y + thickness, restHeight - thickness];
    first = next;
  }
  return boxes;
}
