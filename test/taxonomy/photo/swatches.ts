/** Swatches of stuffs, drawn: a dye, the stuff's surface, and the light that falls over its folds. */

const SIDE = 128;

type Rgb = readonly [number, number, number];
/** How light a pixel is, as a factor on the dye, and what of white lies on it: a thread, a gleam. */
interface Surface {
  light: number;
  white: number;
}

/** A number from 0 to 1 for a place, the same in every run. */
function noise(x: number, y: number): number {
  const mixed = Math.imul((x * 374761393 + y * 668265263) ^ 0x5bd1e995, 1274126177);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
}

const STUFFS = {
  /** Grains with dark seams, and a gleam on the ridges of its folds. */
  leather: (x: number, y: number): Surface => ({
    light: 0.86 + 0.14 * noise(x >> 2, y >> 2) - (noise(x, y) > 0.93 ? 0.2 : 0),
    white: 0.18 * Math.max(0, Math.sin((x + 0.4 * y) / 9)) ** 6,
  }),
  /** Twill: every third diagonal is of undyed thread. */
  denim: (x: number, y: number): Surface => ({
    light: 0.9 + 0.1 * noise(x, y),
    white: (x + y) % 6 < 1 ? 0.22 : 0,
  }),
  /** Ribs of stitches, with dark gaps. */
  wool: (x: number, y: number): Surface => ({
    light:
      0.8 + 0.2 * Math.abs(Math.sin(x / 3)) - ((y + (x % 6 < 3 ? x : -x)) % 5 === 0 ? 0.15 : 0),
    white: 0.04 * noise(x, y),
  }),
  /** A plain weave. */
  cotton: (x: number, y: number): Surface => ({
    light: 0.94 + 0.06 * ((x + y) % 2),
    white: 0.02,
  }),
} as const;

export type Stuff = keyof typeof STUFFS;
export const STUFF_NAMES = Object.keys(STUFFS) as Stuff[];

/** Light from the left, 1 where it is full and less to the right, and three folds. */
const shade = (x: number, y: number, fall: number): number =>
  (1.04 - (fall * x) / SIDE) * (0.98 + 0.06 * Math.sin((x + y / 3) / 14));

const readHex = (hex: string): Rgb => {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
};

/** Draws a swatch of 128 × 128 pixels, 4 bytes each. @param dye `#rrggbb` @param fall of the light, 0..1 */
export function drawSwatch(stuff: Stuff, dye: string, fall: number): Uint8Array {
  const colour = readHex(dye);
  const rgba = new Uint8Array(SIDE * SIDE * 4).fill(255);
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) {
      const { light, white } = STUFFS[stuff](x, y);
      const factor = light * shade(x, y, fall);
      colour.forEach((channel, k) => {
        const dyed = channel * factor * (1 - white) + 255 * white;
        rgba[(y * SIDE + x) * 4 + k] = Math.max(0, Math.min(255, Math.round(dyed)));
      });
    }
  }
  return rgba;
}
