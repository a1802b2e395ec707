import { deepEqual, equal, ok } from 'node:assert/strict';
import { readJobRequest } from '../../src/api/intake/job-request.ts';
import { readParameters } from '../../src/api/removal/removebg/parameters.ts';
import { geometryOf, readRegion } from '../../src/output/geometry.ts';
import { OutputOptions } from '../../src/output/options.ts';
import { readColor } from '../../src/output/request.ts';
import { Problem } from '../../src/platform/problem.ts';
import { type Input, orRefusal } from './target.ts';

export const words = [
  ...['options={"', 'cropMargin', 'position', 'scale', 'roi', 'crop', 'true', 'center', 'original'],
  ...['%25', 'px', 'backgroundColor', '#fff8', 'imageUrl=https://a.test/', 'operations=', '&'],
  ...['retention={"outputSeconds":', 'webhook={"url":"', 'bg_color=', 'crop_margin=', 'size=4k'],
  ...['shadow', '"drop"', 'maxOutputMegapixels', 'channels', '"alpha"', '__proto__', 'constructor'],
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

export const found: readonly Input[] = [];

const isNumbers = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).every(isNumbers)
    : typeof value !== 'number' || (Number.isFinite(value) && value >= 0);

/** Options as they are kept: nothing is lost on the way through JSON, and they say where things stand. */
function keeps(options: OutputOptions): void {
  const kept = JSON.stringify(options);
  equal(JSON.stringify(OutputOptions.parse(JSON.parse(kept))), kept);
  ok(isNumbers(geometryOf(options)));
  const { backgroundColor, roi } = options;
  for (const { value, unit } of roi === undefined ? [] : (readRegion(roi) ?? [])) {
    ok(unit === 'px' || value <= 100, roi);
  }
  if (backgroundColor !== undefined) deepEqual(readColor(backgroundColor), backgroundColor);
}

/** A form, our own or remove.bg's, is a wish or a refusal that names its faults. */
export function holds(input: Buffer): void {
  const fields = Object.fromEntries(new URLSearchParams(input.toString()));
  const { imageUrl } = fields;
  const image = imageUrl === undefined ? new Uint8Array(1) : undefined;
  const wish = orRefusal(() => readJobRequest({ image, fields, via: 'multipart' }), Problem);
  if (wish instanceof Problem) ok((wish.errors?.length ?? 0) > 0);
  else keeps(OutputOptions.parse(wish.options));
  const theirs = orRefusal(() => readParameters(fields), Problem);
  if (theirs instanceof Problem) ok((theirs.errors?.length ?? 0) > 0);
  else ok(theirs.maxOutputMegapixels > 0);
}
