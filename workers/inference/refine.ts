import { recoverForeground } from '../../src/imaging/soft-pixels.ts';
import { mendMatte } from '../../src/imaging/strokes/mend.ts';
import type { CutOutOptions } from '../../src/output/options.ts';
import type { Stroke } from '../../src/output/strokes.ts';
import { Problem } from '../../src/platform/problem.ts';
import type { RefinedCutOut } from './child-results.ts';
import { decode, decodeLastChannel } from './codec.ts';
import { render } from './cut-out.ts';
import { DecodeError } from './files/readable-file.ts';

/** What is to change in a cut-out, and how it is rendered. */
export interface Refinement {
  /** The present alpha: a PNG of the size of the upright image, whose last channel counts. */
  alpha: Uint8Array;
  strokes: Stroke[];
  options?: CutOutOptions | undefined;
}

const alphaProblem = (error: string, detail: string, cause?: unknown): Problem =>
  new Problem('invalid-request', detail, {
    errors: [{ pointer: '/alpha', detail: error }],
    cause,
  });

/** @throws Problem invalid-request */
async function decodeAlpha(alpha: Uint8Array, maxPixels: number) {
  return decodeLastChannel(alpha, maxPixels).catch((cause) => {
    if (!(cause instanceof DecodeError)) throw cause;
    throw alphaProblem('cannot be decoded', 'The alpha is damaged or cut short', cause);
  });
}

/**
 * Mends a cut-out by strokes. Pixels that no stroke reaches keep their alpha; none gets more than the image's own.
 * @throws DecodeError; Problem if the alpha or the options do not fit the image
 */
export async function refineCutOut(
  image: Uint8Array,
  { alpha, strokes, options = {} }: Refinement,
  maxPixels: number,
): Promise<RefinedCutOut> {
  const startedAt = performance.now();
  const { pixels, opacity } = await decode(image, maxPixels);
  const { width, height } = pixels;
  const present = await decodeAlpha(alpha, maxPixels);
  if (present.width !== width || present.height !== height) {
    throw alphaProblem(
      `is ${present.width} x ${present.height} pixels, the image ${width} x ${height}`,
      'The alpha must have the size of the upright image',
    );
  }
  const decodedAt = performance.now();
  const matte = mendMatte(pixels, present, strokes);
  if (opacity) {
    for (let i = 0; i < opacity.length; i++)
      if (matte.data[i] !== present.data[i]) matte.data[i] = Math.min(matte.data[i]!, opacity[i]!);
  }
  const scene = { pixels, matte, opacity };
  recoverForeground(scene);
  const mattedAt = performance.now();
  const rendered = await render(scene, options, undefined, maxPixels);
  const endedAt = performance.now();
  return {
    ...rendered,
    timings: {
      decodeMillis: decodedAt - startedAt,
      matteMillis: mattedAt - decodedAt,
      encodeMillis: endedAt - mattedAt,
      totalMillis: endedAt - startedAt,
    },
  };
}
