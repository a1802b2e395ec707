import { modeOklch, modeRgb, useMode } from 'culori/fn';
import { clamp, type Ramp } from '../numeric.ts';
import type { Model } from '../params.ts';

/** A colour in OKLCH: lightness 0-1, chroma, hue in degrees (0 for greys). */
interface Oklch {
  readonly l: number;
  readonly c: number;
  readonly h: number;
}

/** A colour with its weights in the harmony, 0-1: chromatic or neutral, and vivid. */
export interface Shade extends Oklch {
  /** In lower case. */
  readonly hex: string;
  readonly chromatic: number;
  readonly vivid: number;
}

/** What the harmony of a garment depends on. */
interface Appearance {
  readonly colour: Shade | undefined;
  readonly patterned: boolean;
}

useMode(modeRgb);
const toOklch = useMode(modeOklch);

/** Colours of recent requests: most wardrobes are sent again. */
const cachedColours = new Map<string, Oklch>();
const MAX_CACHED_COLOURS = 8192;

function oklchOf(hex: string): Oklch {
  const cached = cachedColours.get(hex);
  if (cached) return cached;
  const { l, c, h } = toOklch(hex) ?? { l: 0, c: 0, h: 0 };
  const colour = { l, c, h: h ?? 0 };
  if (cachedColours.size >= MAX_CACHED_COLOURS) cachedColours.clear();
  cachedColours.set(hex, colour);
  return colour;
}

const linearStep = (value: number, from: number, to: number): number =>
  clamp((value - from) / (to - from), 0, 1);

/** Weight of a colour as chromatic, 0 (white, grey, black) to 1. */
function chromatic({ k: { colour } }: Model, { l, c }: Oklch): number {
  const half = colour.edgeL / 2;
  return (
    linearStep(c, colour.greyFrom, colour.greyTo) *
    linearStep(l, colour.blackL - half, colour.blackL + half) *
    (1 - linearStep(l, colour.whiteL - half, colour.whiteL + half))
  );
}

export function shadeOf(model: Model, hex: string): Shade {
  const { vividFrom, vividTo } = model.k.colour;
  const colour = oklchOf(hex);
  return {
    hex: hex.toLowerCase(),
    l: colour.l,
    c: colour.c,
    h: colour.h,
    chromatic: chromatic(model, colour),
    vivid: linearStep(colour.c, vividFrom, vividTo),
  };
}

const hueDistance = (a: number, b: number): number => {
  const apart = Math.abs(a - b) % 360;
  return apart > 180 ? 360 - apart : apart;
};

/** A ramp as two flat arrays: faster for the many pairs of a large wardrobe. */
function flatRamp(ramp: Ramp): (at: number) => number {
  const xs = Float64Array.from(ramp, ([x]) => x);
  const ys = Float64Array.from(ramp, ([, y]) => y);
  const last = xs.length - 1;
  return (at) => {
    if (at <= xs[0]!) return ys[0]!;
    if (at >= xs[last]!) return ys[last]!;
    let i = 1;
    while (xs[i]! < at) i++;
    const share = (at - xs[i - 1]!) / (xs[i]! - xs[i - 1]!);
    return ys[i - 1]! + share * (ys[i]! - ys[i - 1]!);
  };
}

/**
 * Harmony of two garments, 0-1; the value of unknown data if a colour is unknown. Continuous in every
 * property of the colours.
 */
export function createHarmony({ k, tables }: Model): (a: Appearance, b: Appearance) => number {
  const { neutrals, neutralAny, shrill, clashFrom, clashTo, clashEdge, pattern, patterns } =
    k.colour;
  const { unknown } = k.fit;
  const hueHarmony = flatRamp(tables.hueHarmony);

  /** Loss if two vivid colours are neither close nor opposite. */
  function clashLoss(vivid: number, apart: number): number {
    if (vivid === 0) return 0;
    const between =
      linearStep(apart, clashFrom - clashEdge, clashFrom + clashEdge) *
      (1 - linearStep(apart, clashTo - clashEdge, clashTo + clashEdge));
    return shrill * vivid * between;
  }

  function colourHarmony(a: Shade, b: Shade): number {
    const both = a.chromatic * b.chromatic;
    const neither = (1 - a.chromatic) * (1 - b.chromatic);
    const neutral = neither * neutrals + (1 - both - neither) * neutralAny;
    if (both === 0) return neutral;
    const apart = hueDistance(a.h, b.h);
    return both * hueHarmony(apart) * (1 - clashLoss(a.vivid * b.vivid, apart)) + neutral;
  }

  return (a, b) => {
    const colours = a.colour && b.colour ? colourHarmony(a.colour, b.colour) : unknown;
    if (a.patterned && b.patterned) return clamp(colours + patterns, 0, 1);
    return a.patterned || b.patterned ? clamp(colours + pattern, 0, 1) : colours;
  };
}

/** The best harmony that any two garments can have. */
export function maxHarmony({ k: { colour, fit }, tables }: Model): number {
  const hues = tables.hueHarmony.map(([, value]) => value);
  const plain = Math.max(...hues, colour.neutrals, colour.neutralAny, fit.unknown);
  return clamp(plain + Math.max(0, colour.pattern, colour.patterns), 0, 1);
}
