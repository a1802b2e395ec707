import { deepEqual, equal, ok } from 'node:assert/strict';
import { readJsonImage } from '../../src/http/image-body.ts';
import { Problem } from '../../src/platform/problem.ts';
import { type Input, orRejection } from './target.ts';

export const dictionary = [
  'data:',
  ';base64,',
  'image/png',
  'image/jpg',
  'image/webp',
  '==',
  '/9j/',
  'iVBORw0KGgo',
];

export const seeds: readonly Input[] = [
  'iVBORw0KGgoAAAANSUhEUg==',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUg',
  'data:image/jpg;base64,/9j/4AAQSkZJRgABAQ==',
  'DATA:image/png;BASE64,iVBORw0KGgo=',
  'data:text/plain;charset=utf-8;base64,aGk=',
  'data:,hello',
  'aG\r\nk=\t',
  'a===',
  'aGVsb',
  'a-b_',
  'AB=CD',
];

export const regressions: readonly Input[] = ['\f/9j/'];

const MAX_BYTES = 200;
const read = (text: string) =>
  orRejection(() => readJsonImage({ image_base64: text }, MAX_BYTES).image, Problem);

const decoded = (base64: string): Buffer | undefined => {
  try {
    return Buffer.from(atob(base64), 'latin1');
  } catch {
    return undefined;
  }
};

/** The result equals the platform's decoder's, and survives a round trip. */
export function fuzz(input: Buffer): void {
  const text = input.toString();
  const image = read(text);
  const base64 = text.replace(/^\s{0,16}data:[^,]{0,200};\s?base64,/i, '');
  const usual = base64.replaceAll('-', '+').replaceAll('_', '/');
  const right = decoded(usual.replaceAll(/\s+/g, '').replace(/=+$/, ''));
  if (image instanceof Problem) {
    ok(['invalid-request', 'payload-too-large'].includes(image.type), image.type);
    // Base64 that a browser accepts is rejected for its size only, or for spaces that were plus signs.
    const plain = text === base64 && !text.includes(' ') ? decoded(text) : undefined;
    if (plain && plain.length > 0) equal(image.type, 'payload-too-large');
    return;
  }
  ok(image && image.length > 0 && image.length <= MAX_BYTES);
  deepEqual(Buffer.from(image), right);
  const written = Buffer.from(image).toString('base64');
  deepEqual(read(written), image);
  deepEqual(read(`data:image/x;base64,${written}`), image);
}
