import { hardenMatte } from '../../src/imaging/matte.ts';
import { fullBox, type MattedImage, type Size, subjectBox } from '../../src/imaging/picture.ts';
import { FORMATS, type Format } from '../../src/output/formats.ts';
import { type Layout, layoutOf, toGeometry } from '../../src/output/geometry.ts';
import { type CutOutOptions, formatOf } from '../../src/output/options.ts';
import { Problem } from '../../src/platform/problem.ts';
import type { RenderedFile } from './child-results.ts';
import { compose } from './compose.ts';
import { encode } from './encode.ts';

/**
 * The minimum alpha that counts for the bounding box of the subject, a tenth. Below it is the faint haze that a
 * network leaves on backgrounds it is unsure of. See docs/adr/0021-output-options.md.
 */
const MIN_VISIBLE_ALPHA = 26;

/** @throws Problem invalid-request if the canvas is larger than the limits */
function checkCanvas({ canvas }: Layout, format: Format, maxPixels: number): void {
  const { width, height } = canvas;
  const maxSide = FORMATS[format].maxSidePixels;
  if (width * height <= maxPixels && Math.max(width, height) <= maxSide) return;
  const detail = `The output would be ${width} x ${height} pixels; a ${format} may have at most ${maxPixels} pixels, and ${maxSide} a side: set maxOutputMegapixels or a smaller cropMargin`;
  throw new Problem('invalid-request', detail, {
    errors: [{ pointer: '/maxOutputMegapixels', detail: 'is needed for so large an output' }],
  });
}

const sizeOf = ({ width, height }: Size): Size => ({ width, height });

/** Whether the options depend on the position of the subject. */
const needsSubject = ({ crop, scale, position }: CutOutOptions): boolean =>
  crop !== undefined || scale !== undefined || position !== undefined;

/**
 * Renders a cut-out into a file according to the options.
 * @param image is overwritten
 * @param maxPixels of the output, and of a background before it is scaled
 * @throws Problem unprocessable-image if there is no subject to crop to, scale or move; invalid-request
 */
export async function render(
  { pixels, matte }: MattedImage,
  options: CutOutOptions,
  background: Uint8Array | undefined,
  maxPixels: number,
): Promise<RenderedFile> {
  const cutOut = { pixels, matte: options.semitransparency === false ? hardenMatte(matte) : matte };
  const box = subjectBox(cutOut.matte.data, pixels.width, MIN_VISIBLE_ALPHA);
  if (!box && needsSubject(options)) {
    throw new Problem(
      'unprocessable-image',
      'No subject was found in the image, so there is nothing to crop to, scale or move',
    );
  }
  const subject = box ?? fullBox(pixels);
  const geometry = toGeometry(options);
  const layout = layoutOf(pixels, subject, geometry);
  checkCanvas(layout, options.format ?? 'png', maxPixels);
  const { canvas: whole } = layoutOf(pixels, subject, { ...geometry, maxPixels: undefined });
  if (options.rulePack && !options.asZip) {
    const { renderByRules } = await import('./render-by-rules.ts');
    const { rulePack } = options;
    const drawing = { cutOut, box, layout, options, background };
    const { isFixed, ...rendered } = await renderByRules(drawing, rulePack, maxPixels);
    return { ...rendered, whole: isFixed ? sizeOf(rendered) : whole };
  }
  const composite = await compose(cutOut, layout, options, background, maxPixels);
  const file = await encode(composite, options);
  const { mediaType } = formatOf(options);
  const foreground = box && { foreground: layout.foreground };
  return { file, mediaType, ...layout.canvas, whole, ...foreground };
}
