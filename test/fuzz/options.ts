import { deepEqual, equal, ok } from 'node:assert/strict';
import { readJobRequest } from '../../src/api/intake/job-request.ts';
import { readParameters } from '../../src/api/removal/removebg/parameters.ts';
import type { ImageForm } from '../../src/http/image-body.ts';
import { parseRegion, toGeometry } from '../../src/output/geometry.ts';
import { CutOutOptions } from '../../src/output/options.ts';
import { parseColor } from '../../src/output/request.ts';
import { Problem } from '../../src/platform/problem.ts';
import { type Input, orRejection } from './target.ts';

// biome-ignore format: a list reads best in lines
export const dictionary = [
  'options={"', 'cropMargin', 'position', 'scale', 'roi', 'crop', 'true', 'center', 'original',
  '%25', 'px', 'backgroundColor', '#fff8', 'imageUrl=https://a.test/', 'operations=', '&',
  'retention={"outputSeconds":', 'webhook={"url":"', 'bg_color=', 'crop_margin=', 'size=4k',
  'shadow', '"drop"', 'maxOutputMegapixels', 'channels', '"alpha"', '__proto__', 'constructor',
];

export const seeds: readonly Input[] = [
  'options={"crop":true,"cropMargin":"10px 5%25","scale":"80%25","position":"50%25 100%25"}',
  'options={"roi":"0px 0px 500%25 50px"}',
  'options={"roi":"0px 0px 100%25 50px","backgroundColor":"#fff8","shadow":"drop","shadowOpacityPct":30}',
  'options={"format":"jpg","maxOutputMegapixels":"0.5","channels":"alpha","semitransparency":"false"}',
  'operations=classify,remove-background&retention={"outputSeconds":60}&webhook={"url":"https://a.test"}',
  'imageUrl=https://a.test/1&quality=high',
  'size=4k&crop=TRUE&crop_margin=0 10%25&bg_color=ff0000&type=product&roi=0%25 0%25 101%25 1%25',
  'image_url=https://a.test&scale=original&position=center&shadow_type=auto&shadow_opacity=101',
];

export const regressions: readonly Input[] = [];

const isNumbers = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).every(isNumbers)
    : typeof value !== 'number' || (Number.isFinite(value) && value >= 0);

/** Stored options survive a JSON round trip, and give a valid geometry. */
function checkRoundTrip(options: CutOutOptions): void {
  const json = JSON.stringify(options);
  equal(JSON.stringify(CutOutOptions.parse(JSON.parse(json))), json);
  ok(isNumbers(toGeometry(options)));
  const { backgroundColor, roi } = options;
  for (const { value, unit } of roi === undefined ? [] : (parseRegion(roi) ?? [])) {
    ok(unit === 'px' || value <= 100, roi);
  }
  if (backgroundColor !== undefined) deepEqual(parseColor(backgroundColor), backgroundColor);
}

/** A form, ours or remove.bg's, is accepted or rejected with its errors. */
export async function fuzz(input: Buffer): Promise<void> {
  const fields = Object.fromEntries(new URLSearchParams(input.toString()));
  const { imageUrl } = fields;
  const image = imageUrl === undefined ? new Uint8Array(1) : undefined;
  const pointers = { image: '/image', backgroundImage: '/backgroundImage' };
  const form: ImageForm = { image, fields, pointers, via: 'multipart' };
  const request = await readJobRequest(form, async (options) => options).catch((error) => {
    if (error instanceof Problem) return error;
    throw error;
  });
  if (request instanceof Problem) ok((request.errors?.length ?? 0) > 0);
  else checkRoundTrip(CutOutOptions.parse(request.options));
  const parameters = orRejection(() => readParameters(fields), Problem);
  if (parameters instanceof Problem) ok((parameters.errors?.length ?? 0) > 0);
  else ok(parameters.maxOutputMegapixels > 0);
}
