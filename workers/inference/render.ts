import type { Pair } from '../../src/imaging/downscale.ts';
import { hardened } from '../../src/imaging/harden.ts';
import { type Layout, layoutOf, type Size } from '../../src/imaging/layout.ts';
import { subjectBox, wholeOf } from '../../src/imaging/subject-box.ts';
import { geometryOf } from '../../src/output/geometry.ts';
import {
  type Foreground,
  type Format,
  formatOf,
  type MediaType,
} from '../../src/output/options.ts';
import type { CutOutOptions } from '../../src/output/quality.ts';
import { Problem } from '../../src/platform/problem.ts';
import { compose } from './compose.ts';
import { encode } from './encode.ts';
import type { Effort } from './png.ts';

/**
 * The least alpha of what counts for the box of the subject, a tenth: below it lies the faint haze that a
 * network leaves on grounds it is unsure of. See docs/adr/0021-output-options.md.
 */
const VISIBLE = 26;

/** What a file of each format cannot exceed, pixels a side. */
const MOST_SIDE: Readonly<Record<Format, number>> = {
  png: 2 ** 31 - 1,
  jpeg: 65_535,
  webp: 16_383,
};

/** What is handed out. */
export interface Delivery {
  file: Uint8Array;
  mediaType: MediaType;
  width: number;
  height: number;
  /** What it would measure without `maxOutputMegapixels`. */
  whole: Size;
  /** The box of the subject in it; absent where there is none. */
  foreground?: Foreground | undefined;
}

/** @throws Problem invalid-request where a canvas is more than can be made */
function checkCanvas({ canvas }: Layout, format: Format, maxPixels: number): void {
  const { width, height } = canvas;
  const mostSide = MOST_SIDE[format];
  if (width * height <= maxPixels && Math.max(width, height) <= mostSide) return;
  const detail = `The output would be ${width} x ${height} pixels; a ${format} of at most ${maxPixels} in all and ${mostSide} a side is made: set maxOutputMegapixels or a smaller cropMargin`;
  throw new Problem('invalid-request', detail, {
    errors: [{ pointer: '/maxOutputMegapixels', detail: 'is needed for so large an output' }],
  });
}

/** Whether options need to know where the subject is. */
const needsSubject = ({ crop, scale, position }: CutOutOptions): boolean =>
  crop !== undefined || scale !== undefined || position !== undefined;

/**
 * A cut-out as the file that options ask for.
 * @param subject is written to
 * @param maxPixels of the output, and of a background before it is scaled
 * @throws Problem unprocessable-image where there is no subject to crop to or to move; invalid-request
 */
export async function deliver(
  { pixels, matte }: Pair,
  options: CutOutOptions,
  background: Uint8Array | undefined,
  maxPixels: number,
  effort: Effort,
): Promise<Delivery> {
  const cutOut = { pixels, matte: options.semitransparency === false ? hardened(matte) : matte };
  const box = subjectBox(cutOut.matte.data, pixels.width, VISIBLE);
  if (!box && needsSubject(options)) {
    throw new Problem(
      'unprocessable-image',
      'No subject was found in the image, so there is nothing to crop to, scale or move',
    );
  }
  const all = wholeOf(pixels);
  const geometry = geometryOf(options);
  const layout = layoutOf(pixels, box ?? all, geometry);
  checkCanvas(layout, options.format ?? 'png', maxPixels);
  const picture = await compose(cutOut, layout, options, background, maxPixels);
  const file = await encode(picture, options, effort);
  const { canvas: whole } = layoutOf(pixels, box ?? all, { ...geometry, maxPixels: undefined });
  const { mediaType } = formatOf(options);
  const foreground = box && { foreground: layout.foreground };
  return { file, mediaType, ...layout.canvas, whole, ...foreground };
}
