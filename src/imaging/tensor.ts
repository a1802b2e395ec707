/** Upright sRGB colours, 3 bytes a pixel (red, green, blue), rows from the top. */
export interface Pixels {
  data: Uint8Array;
  width: number;
  height: number;
}

/** What a network wants its colours to look like: `(colour / scale - mean) / std`, per channel. */
export interface Normalise {
  /** By 255, or by the brightest byte of the picture (which brightens dark photos). */
  scale: 'divide-255' | 'divide-max';
  mean: readonly [number, number, number];
  std: readonly [number, number, number];
}

/** The brightest byte, at least 1, so that a black picture stays black. */
function brightest(bytes: Uint8Array): number {
  let max = 1;
  for (const byte of bytes) if (byte > max) max = byte;
  return max;
}

/** Interleaved bytes to planar floats, 1 x 3 x height x width (all red, all green, all blue). */
export function toTensor({ data }: Pixels, { scale, mean, std }: Normalise): Float32Array {
  const plane = data.length / 3;
  const divisor = scale === 'divide-255' ? 255 : brightest(data);
  const out = new Float32Array(data.length);
  const floats = new Float32Array(256); // of each byte
  for (let c = 0; c < 3; c++) {
    for (let byte = 0; byte < 256; byte++) floats[byte] = (byte / divisor - mean[c]!) / std[c]!;
    for (let i = 0, p = c; i < plane; i++, p += 3) out[c * plane + i] = floats[data[p]!]!;
  }
  return out;
}

/**
 * Lays a partly transparent picture on one grey, so that what hides under transparency (often black,
 * or a whole photo) cannot be seen. The network then sees what a viewer sees.
 * @param opacity one byte a pixel, 255 opaque
 * @param grey the ground, 0..255
 * @returns new pixels; the arguments are left alone
 */
export function layOnGrey(
  { data, width, height }: Pixels,
  opacity: Uint8Array,
  grey: number,
): Pixels {
  const out = new Uint8Array(data.length);
  for (let i = 0, p = 0; i < opacity.length; i++)
    for (let c = 0; c < 3; c++, p++) out[p] = grey + ((data[p]! - grey) * opacity[i]!) / 255 + 0.5;
  return { data: out, width, height };
}
