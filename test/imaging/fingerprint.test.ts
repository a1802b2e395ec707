import { expect, test } from 'vitest';
import {
  createGrouper,
  fingerprintDistance,
  fingerprintOf,
  mirroredFingerprint,
  parseFingerprint,
  SAME_DISTANCE,
  similarityOf,
} from '../../src/imaging/fingerprint.ts';
import type { MattedImage } from '../../src/imaging/picture.ts';

type Rgb = readonly [number, number, number];
interface Shirt {
  shirt?: Rgb;
  print?: Rgb;
  /** Pixels of a side. */
  side?: number;
  mirrored?: boolean;
  ground?: number;
}

/** Draws a shirt with one long sleeve and a print on its chest. */
function drawShirt({
  shirt = [40, 60, 120],
  print = [220, 200, 60],
  side = 240,
  mirrored = false,
  ground = 255,
}: Shirt = {}): MattedImage {
  const data = new Uint8Array(3 * side * side).fill(ground);
  const alpha = new Uint8Array(side * side);
  for (let row = 0, i = 0; row < side; row++) {
    for (let column = 0; column < side; column++, i++) {
      const x = (mirrored ? side - 1 - column : column) / side;
      const y = row / side;
      const isBody = x > 0.3 && x < 0.7 && y > 0.15 && y < 0.9;
      const isSleeve = y > 0.15 && y < 0.35 && x > 0.05 && x < 0.8;
      if (!isBody && !isSleeve) continue;
      alpha[i] = 255;
      const isPrint = x > 0.35 && x < 0.55 && y > 0.3 && y < 0.5;
      data.set(isPrint ? print : shirt, 3 * i);
    }
  }
  return {
    pixels: { data, width: side, height: side },
    matte: { data: alpha, width: side, height: side },
  };
}

const bytesOf = (shirt?: Shirt): Uint8Array =>
  parseFingerprint(fingerprintOf(drawShirt(shirt)) ?? '') ?? Buffer.of();

test('a fingerprint has 64 bytes and names its format', () => {
  const text = fingerprintOf(drawShirt()) ?? '';
  expect(text).toMatch(/^layout1:[\w-]{86}$/);
  expect(parseFingerprint(text)).toEqual(Buffer.from(bytesOf()));
  expect(parseFingerprint(text.replace('layout1', 'layout2'))).toBeUndefined();
  expect(parseFingerprint('layout1:AAAA')).toBeUndefined();
  const empty = drawShirt();
  empty.matte.data.fill(0);
  expect(fingerprintOf(empty)).toBeUndefined();
});

test('it hardly changes with size and background, and is told to be mirrored', () => {
  const original = bytesOf();
  for (const copy of [{ side: 120 }, { side: 700 }, { ground: 20 }]) {
    expect(fingerprintDistance(original, bytesOf(copy))).toBeLessThan(SAME_DISTANCE / 2);
  }
  const mirrored = bytesOf({ mirrored: true });
  expect(fingerprintDistance(original, mirrored)).toBeGreaterThan(SAME_DISTANCE);
  expect(fingerprintDistance(original, mirroredFingerprint(mirrored))).toBeLessThan(8);
});

test('another colour or print is another picture', () => {
  const original = bytesOf();
  for (const other of [{ shirt: [120, 60, 40] }, { print: [20, 30, 60] }] as const) {
    expect(fingerprintDistance(original, bytesOf(other))).toBeGreaterThan(SAME_DISTANCE);
  }
});

test('a subject of a few pixels has a fingerprint', () => {
  expect(fingerprintOf(drawShirt({ side: 12 }))).toBeDefined();
});

const points = (fingerprints: readonly Uint8Array[]): Uint8Array => Buffer.concat(fingerprints);

test('groups name the first picture, mirrored copies included', () => {
  const list = [
    bytesOf({ shirt: [120, 60, 40] }),
    bytesOf(),
    bytesOf({ print: [20, 30, 60] }),
    bytesOf({ side: 130 }),
    bytesOf({ mirrored: true, side: 300 }),
  ];
  const matchOf = createGrouper(points(list), list.length);
  const matches = list.map((_, i) => matchOf(i));
  expect(matches.map((match) => match?.of)).toEqual([undefined, undefined, undefined, 1, 1]);
  for (const match of matches.slice(3)) {
    expect(similarityOf(match?.distance ?? 0)).toBeGreaterThan(0.95);
  }
});

test('of thousands of alike pictures the equal ones are found', () => {
  // More than any bucket looks at, each further from the others than copies are.
  const base = bytesOf();
  const alike = Array.from({ length: 2000 }, (_, i) => {
    const bytes = Uint8Array.from(base);
    for (let k = 0; k < 11; k++) bytes[40 + k] = (i >> k) & 1 ? 108 : 148;
    return bytes;
  });
  const list = [...alike, ...alike];
  const matchOf = createGrouper(points(list), list.length);
  const found = list.map((_, i) => matchOf(i)?.of);
  expect(found).toEqual([...alike.map(() => undefined), ...alike.keys()]);
});
