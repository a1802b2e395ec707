import { expect, test } from 'vitest';
import { checkSent, WrongImage } from '../../src/intake/validate-image.ts';
import { drawnShirt } from '../support/images.ts';

/** The 1 × 1 GIF of many shops. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const brand = (name: string): Buffer => Buffer.from(`\0\0\0\x20ftyp${name}\0\0\0\0`, 'latin1');

const codeOf = (bytes: Uint8Array): string | undefined => {
  try {
    checkSent(bytes);
    return undefined;
  } catch (error) {
    return error instanceof WrongImage ? error.code : 'other';
  }
};

test.each([
  ['empty', Buffer.alloc(0)],
  ['challenge-page', Buffer.from('<!DOCTYPE html><html><title>Just a moment...</title></html>')],
  ['web-page', Buffer.from('\n<html><h1>Welcome</h1></html>')],
  ['avif', brand('avif')],
  ['heic', brand('heic')],
  ['svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['placeholder', PIXEL],
])('names what came instead of a picture: %s', (code, bytes) => {
  expect(codeOf(bytes)).toBe(code);
});

test('accepts pictures', async () => {
  expect(codeOf(await drawnShirt({ width: 60, height: 80, format: 'jpeg' }))).toBeUndefined();
});
