/** Cells in rows, `channels` numbers each. */
export interface Cells {
  data: Float32Array;
  columns: number;
  rows: number;
  channels: number;
}

interface Lines {
  lines: number;
  length: number;
  /** From one line to the next, and from one place of a line to the next, in cells. */
  lineStride: number;
  stride: number;
}

/** Sums over a window of `2 * radius + 1` places that slides along every line. */
function slide(source: Float32Array, along: Lines, radius: number, channels: number): Float32Array {
  const { lines, length } = along;
  const [stride, lineStride] = [along.stride * channels, along.lineStride * channels];
  const out = new Float32Array(source.length);
  const sum = new Float64Array(channels);
  for (let line = 0; line < lines; line++) {
    sum.fill(0);
    for (let place = -radius; place < length; place++) {
      const at = line * lineStride + place * stride;
      const enters = at + radius * stride;
      const leaves = at - (radius + 1) * stride;
      if (place + radius < length)
        for (let c = 0; c < channels; c++) sum[c]! += source[enters + c]!;
      if (place > radius) for (let c = 0; c < channels; c++) sum[c]! -= source[leaves + c]!;
      if (place >= 0) for (let c = 0; c < channels; c++) out[at + c] = sum[c]!;
    }
  }
  return out;
}

/** Sums over a square window of `2 * radius + 1` cells a side, in linear time whatever the radius. */
export function boxSums({ data, columns, rows, channels }: Cells, radius: number): Float32Array {
  const across = { lines: rows, length: columns, lineStride: columns, stride: 1 };
  const down = { lines: columns, length: rows, lineStride: 1, stride: columns };
  return slide(slide(data, across, radius, channels), down, radius, channels);
}
