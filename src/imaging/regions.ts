/**
 * Yields the connected regions of marked cells (4-connectivity), each as the indices of its cells, which are valid until
 * the next one. Takes time in proportion to the cells.
 * @param marks 1 where a cell is marked, rows from the top; all are 0 in the end
 */
export function* regionsOf(marks: Uint8Array, width: number): Generator<Int32Array> {
  const cells = new Int32Array(marks.length);
  for (let first = marks.indexOf(1); first >= 0; first = marks.indexOf(1, first + 1)) {
    marks[first] = 0;
    cells[0] = first;
    let count = 1;
    for (let n = 0; n < count; n++) {
      const cell = cells[n]!;
      const x = cell % width;
      for (let side = 0; side < 4; side++) {
        if ((side === 0 && x === 0) || (side === 1 && x === width - 1)) continue;
        const next = side < 2 ? cell + 2 * side - 1 : cell + (2 * side - 5) * width;
        if (marks[next] !== 1) continue;
        marks[next] = 0;
        cells[count++] = next;
      }
    }
    yield cells.subarray(0, count);
  }
}
