/** Upright sRGB colours, 3 bytes a pixel (red, green, blue), rows from the top. */
export interface Pixels {
  data: Uint8Array;
  width: number;
  height: number;
}

/** A network's input normalisation: `(colour / scale - mean) / std`, per channel. */
interface Normalise {
  /** Divides by 255, or by the brightest byte of the image (which brightens dark photos). */
  scale: 'divide-255' | 'divide-max';
  mean: readonly [number, number, number];
  std: readonly [number, number, number];
}

/** Returns the brightest byte, at least 1: a black image stays black. */
function maxByte(bytes: Uint8Array): number {
  let max = 1;
  for (const byte of bytes) if (byte > max) max = byte;
  return max;
}

/** Converts interleaved bytes to planar floats, 1 x 3 x height x width (all red, all green, all blue). */
export function toTensor({ data }: Pixels, { scale, mean, std }: Normalise): Float32Array {
  const plane = data.length / 3;
  const divisor = scale === 'divide-255' ? 255 : maxByte(data);
  const out = new Float32Array(data.length);
  const floats = new Float32Array(256); // by byte value
  for (let c = 0; c < 3; c++) {
    for (let byte = 0; byte < 256; byte++) floats[byte] = (byte / divisor - mean[c]!) / std[c]!;
    for (let i = 0, p = c; i < plane; i++, p += 3) out[c * plane + i] = floats[data[p]!]!;
  }
  return out;
}

/**
 * Flattens a partly transparent image onto a grey. This hides the colours under transparency (often black, or a
 * whole photo): the network sees what a viewer sees.
 * @param opacity one byte a pixel, 255 opaque
 * @param grey the background, 0..255
 * @returns new pixels; the arguments stay unchanged
 */
export function flattenOnGrey(
  { data, width, height }: Pixels,
  opacity: Uint8Array,
  grey: number,
): Pixels {
  const out = new Uint8Array(data.length);
  for (let i = 0, p = 0; i < opacity.length; i++)
    for (let c = 0; c < 3; c++, p++) out[p] = grey + ((data[p]! - grey) * opacity[i]!) / 255 + 0.5;
  return { data: out, width, height };
}
