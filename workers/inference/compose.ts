import { layOver } from '../../src/imaging/composite.ts';
import { partOf, paste, plain } from '../../src/imaging/crop.ts';
import type { Pair } from '../../src/imaging/downscale.ts';
import type { Layout, Size } from '../../src/imaging/layout.ts';
import { DEFAULT_SHADOW_OPACITY_PCT } from '../../src/output/options.ts';
import type { CutOutOptions } from '../../src/output/quality.ts';
import { Problem } from '../../src/platform/problem.ts';
import { decodeCovering, resizePair } from './codec.ts';
import { dropShadow } from './shadow.ts';
import { Undecodable } from './undecodable.ts';

type Color = [number, number, number, number];
const CLEAR: Color = [0, 0, 0, 0];
const WHITE: Color = [255, 255, 255, 255];

/** `#rrggbb` or `#rrggbbaa` as bytes. */
function readHex(color: string): Color {
  const [red = 0, green = 0, blue = 0, alpha = 255] = Buffer.from(color.slice(1), 'hex');
  return [red, green, blue, alpha];
}

const areSame = (a: Size, b: Size): boolean => a.width === b.width && a.height === b.height;

/** The subject on its canvas, nothing behind it; the picture itself where nothing moves. */
async function placed(cutOut: Pair, { canvas, source, place }: Layout): Promise<Pair> {
  const isWhole = areSame(source, cutOut.pixels);
  if (isWhole && areSame(place, canvas) && areSame(source, place)) return cutOut;
  const part = isWhole ? cutOut : partOf(cutOut, source);
  const drawn = areSame(source, place) ? part : await resizePair(part, place);
  if (areSame(place, canvas)) return drawn;
  const whole = plain(canvas, CLEAR);
  paste(drawn, place, whole);
  return whole;
}

/** A picture that covers the canvas. @throws Problem invalid-request */
async function covering(image: Uint8Array, maxPixels: number, canvas: Size): Promise<Pair> {
  const { pixels, opacity } = await decodeCovering(image, maxPixels, canvas).catch((cause) => {
    if (!(cause instanceof Undecodable)) throw cause;
    const detail = 'The background image cannot be decoded: it is damaged or cut short';
    throw new Problem('invalid-request', detail, { cause });
  });
  const { width, height } = canvas;
  const data = opacity ?? new Uint8Array(width * height).fill(255);
  return { pixels, matte: { data, width, height } };
}

/** What is laid under the subject, the upper first: the shadow is drawn while nothing is under it yet. */
async function* layers(
  subject: Pair,
  { canvas, foreground }: Layout,
  options: CutOutOptions,
  background: Uint8Array | undefined,
  maxPixels: number,
): AsyncGenerator<Pair> {
  const {
    shadow,
    shadowOpacityPct = DEFAULT_SHADOW_OPACITY_PCT,
    backgroundColor,
    format,
  } = options;
  if (shadow) yield dropShadow(subject.matte, foreground, shadowOpacityPct / 100);
  if (background) yield covering(background, maxPixels, canvas);
  if (backgroundColor) yield plain(canvas, readHex(backgroundColor));
  if (format === 'jpeg') yield plain(canvas, WHITE);
}

/**
 * A cut-out as options say it is to look: placed on its canvas, with a shadow and a ground.
 * @param cutOut is written to
 * @throws Problem where the background cannot be used
 */
export async function compose(
  cutOut: Pair,
  layout: Layout,
  options: CutOutOptions,
  background: Uint8Array | undefined,
  maxPixels: number,
): Promise<Pair> {
  const drawn = await placed(cutOut, layout);
  if (options.channels === 'alpha') return drawn;
  for await (const layer of layers(drawn, layout, options, background, maxPixels)) {
    layOver(drawn, layer);
  }
  return drawn;
}
