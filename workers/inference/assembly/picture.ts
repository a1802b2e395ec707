/* The picture that is solved: all modules of `edges.ts` share it. Names of memory are addresses. */

/** In pixels. */
export let width: i32 = 0;
export let height: i32 = 0;
/** A byte a pixel, and three. */
export let alpha: i32 = 0;
export let colours: i32 = 0;
/** A byte a pixel, not zero for those that are solved for, and for those of which a neighbour is, or they themselves. */
export let band: i32 = 0;
export let nearBand: i32 = 0;

let end: i32 = 0;

/** Returns an address behind all others; what is there is zero, and 32 bytes more may be read and written. */
export function allocate(bytes: i32): i32 {
  if (end === 0) end = (__heap_base as i32) + 32;
  const start = end;
  end = (start + bytes + 47) & ~15;
  const pages = ((end + 0xffff) >>> 16) - memory.size();
  if (pages > 0) memory.grow(pages);
  return start;
}

/** Begins anew: what was there becomes zero. */
export function setSize(columns: i32, rows: i32): void {
  if (end > 0) memory.fill(__heap_base as i32, 0, end - (__heap_base as i32));
  end = 0;
  width = columns;
  height = rows;
  alpha = allocate(columns * rows);
  colours = allocate(3 * columns * rows);
  band = allocate(columns * rows);
  nearBand = allocate(columns * rows);
}
