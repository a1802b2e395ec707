import type { Size } from '../../../src/imaging/layout.ts';
import type { Matte } from '../../../src/imaging/matte.ts';
import type { Box } from '../../../src/imaging/subject-box.ts';

/** Pixels along each side of a cell that are looked at, at most: large photos cost no more than small ones. */
const MAX_SAMPLES = 4;

/** Returns how much of each cell of a map is subject, 0..1. @param region of the matte that the map covers */
export function coverageOf(matte: Matte, region: Box, { width, height }: Size): Float32Array {
  const columns = samplesOf(region.left, region.width, width);
  const rows = samplesOf(region.top, region.height, height);
  const coverage = new Float32Array(width * height);
  for (let cell = 0; cell < coverage.length; cell++) {
    const across = columns[cell % width]!;
    const down = rows[Math.floor(cell / width)]!;
    let sum = 0;
    for (const y of down) for (const x of across) sum += matte.data[y * matte.width + x]!;
    coverage[cell] = sum / (255 * across.length * down.length);
  }
  return coverage;
}

/** Returns the pixels to look at in each of `cells` that make up `length` pixels from `start` on. */
function samplesOf(start: number, length: number, cells: number): number[][] {
  const count = Math.max(1, Math.min(MAX_SAMPLES, Math.floor(length / cells)));
  return Array.from({ length: cells }, (_, cell) =>
    Array.from(
      { length: count },
      (_, i) => start + Math.floor(((cell + (i + 0.5) / count) * length) / cells),
    ),
  );
}
