import type { Size } from '../../../src/imaging/picture.ts';

/** The label of a cell that belongs to nothing. */
export const NO_LABEL = 255;

/** Connected cells of one label; diagonal neighbours touch. */
interface Component {
  label: number;
  cells: number[];
}

/** Splits a grid of labels into its connected components; cells of `NO_LABEL` are in none. */
export function componentsOf(labels: Uint8Array, size: Size): Component[] {
  const isSeen = new Uint8Array(labels.length);
  const components: Component[] = [];
  for (let first = 0; first < labels.length; first++) {
    const label = labels[first]!;
    if (label === NO_LABEL || isSeen[first]) continue;
    isSeen[first] = 1;
    const cells = [first];
    // The list grows while it is walked through.
    for (let next = 0; next < cells.length; next++) {
      visitNeighbours(cells[next]!, size, (near) => {
        if (isSeen[near] || labels[near] !== label) return;
        isSeen[near] = 1;
        cells.push(near);
      });
    }
    components.push({ label, cells });
  }
  return components;
}

/** Calls `visit` with each of the up to eight cells around a cell. */
export function visitNeighbours(
  cell: number,
  { width, height }: Size,
  visit: (near: number) => void,
): void {
  const x = cell % width;
  const y = (cell - x) / width;
  for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row++)
    for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column++)
      if (row !== y || column !== x) visit(row * width + column);
}
