import type { Size } from './layout.ts';

/** The cells of a picture as lines along one axis: how far lines, and neighbours on a line, are apart. */
export interface Lines {
  count: number;
  length: number;
  lineStep: number;
  step: number;
}

export const rowsOf = ({ width, height }: Size): Lines => ({
  count: height,
  length: width,
  lineStep: width,
  step: 1,
});
export const columnsOf = ({ width, height }: Size): Lines => ({
  count: width,
  length: height,
  lineStep: 1,
  step: width,
});

/** Slides a window of `2 * radius + 1` cells along every line and sums it. */
function slide(source: Float32Array, along: Lines, radius: number, channels: number): Float32Array {
  const { count, length } = along;
  const stride = along.step * channels;
  const lineStride = along.lineStep * channels;
  const out = new Float32Array(source.length);
  const sum = new Float64Array(channels);
  for (let line = 0; line < count; line++) {
    sum.fill(0);
    for (let position = -radius; position < length; position++) {
      const at = line * lineStride + position * stride;
      const enters = at + radius * stride;
      const leaves = at - (radius + 1) * stride;
      if (position + radius < length)
        for (let c = 0; c < channels; c++) sum[c]! += source[enters + c]!;
      if (position > radius) for (let c = 0; c < channels; c++) sum[c]! -= source[leaves + c]!;
      if (position >= 0) for (let c = 0; c < channels; c++) out[at + c] = sum[c]!;
    }
  }
  return out;
}

/**
 * Returns the sums over a square window of `2 * radius + 1` cells a side, in linear time for any radius.
 * @param data cells row by row, `channels` numbers each
 */
export function boxSums(
  data: Float32Array,
  size: Size,
  channels: number,
  radius: number,
): Float32Array {
  return slide(slide(data, rowsOf(size), radius, channels), columnsOf(size), radius, channels);
}
