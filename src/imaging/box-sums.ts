/** A grid of cells, row by row, `channels` numbers each. */
interface Cells {
  data: Float32Array;
  columns: number;
  rows: number;
  channels: number;
}

interface Lines {
  lines: number;
  length: number;
  /** Distance between lines, in cells. */
  lineStride: number;
  /** Distance between neighbours on a line, in cells. */
  stride: number;
}

/** Slides a window of `2 * radius + 1` cells along every line and sums it. */
function slide(source: Float32Array, along: Lines, radius: number, channels: number): Float32Array {
  const { lines, length } = along;
  const stride = along.stride * channels;
  const lineStride = along.lineStride * channels;
  const out = new Float32Array(source.length);
  const sum = new Float64Array(channels);
  for (let line = 0; line < lines; line++) {
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

/** Returns the sums over a square window of `2 * radius + 1` cells a side, in linear time for any radius. */
export function boxSums({ data, columns, rows, channels }: Cells, radius: number): Float32Array {
  const horizontal = { lines: rows, length: columns, lineStride: columns, stride: 1 };
  const vertical = { lines: columns, length: rows, lineStride: 1, stride: columns };
  return slide(slide(data, horizontal, radius, channels), vertical, radius, channels);
}
