import { expect, test } from 'vitest';
import { createStrokes, MAX_STROKES, simplify } from '../../src/console/browser/mend/strokes.js';
import { readAddress, toHash } from '../../src/console/browser/review/address.js';
import {
  findPhoto,
  rememberPhotoOf,
  rememberPhotos,
} from '../../src/console/browser/review/local-photos.js';
import { STROKE_LIMITS } from '../../src/output/strokes.ts';

type Point = [number, number];

test('points on the way between others are left out, corners are not', () => {
  const line = Array.from({ length: 100 }, (_, i): Point => [i, 0.2 * (i % 2)]);
  const corner = Array.from({ length: 50 }, (_, i): Point => [99, i]);
  expect(simplify([...line, ...corner], 0.5)).toEqual([
    [0, 0],
    [99, 0],
    [99, 49],
  ]);
  expect(simplify([[3, 4]], 0.5)).toEqual([[3, 4]]);
  const curl: Point[] = [
    [0, 0],
    [10, 10],
    [0, 0],
  ];
  expect(simplify(curl, 0.5)).toEqual(curl);
});

test('strokes are undone and redone; a new one ends what may be redone', () => {
  const strokes = createStrokes();
  const dot = (x: number) => ({ mode: 'add' as const, radius: 1, points: [[x, 0]] as Point[] });
  strokes.add(dot(1));
  strokes.add(dot(2));
  strokes.undo();
  expect(strokes.all()).toEqual([dot(1)]);
  strokes.redo();
  expect(strokes.all()).toEqual([dot(1), dot(2)]);
  strokes.undo();
  strokes.add(dot(3));
  expect([strokes.canRedo(), strokes.all()]).toEqual([false, [dot(1), dot(3)]]);
  for (let i = 2; i < MAX_STROKES; i++) strokes.add(dot(i));
  expect([strokes.isFull(), MAX_STROKES]).toEqual([true, STROKE_LIMITS.strokes]);
});

test('the address of a review is read as it is written', () => {
  const address = {
    path: '/intake/v1/feeds/feed_1/runs/run_2',
    reason: 'blurred',
    decision: 'pending',
    all: false,
    at: 41,
    isSingle: true,
  };
  const hash = '#/review/feeds/feed_1/runs/run_2?reason=blurred&decision=pending&at=42&view=single';
  expect(toHash(address)).toBe(hash);
  expect(readAddress(hash)).toEqual(address);
  expect(toHash({ path: '/intake/v1/batches/b' })).toBe('#/review/batches/b');
  for (const none of ['#/review', '#/catalogue', '#/review/batches/b/c', '#/review/../keys']) {
    expect(readAddress(none)).toBeUndefined();
  }
  expect(readAddress('#/review/batches/b?at=-3')?.at).toBe(0);
});

test('a photo that was chosen is found by its row, its id and the name in its link', () => {
  const file = (name: string, type = 'image/jpeg') => new File([name], name, { type });
  const [own, shirt, coat] = [file('IMG_1.jpg'), file('shirt.jpg'), file('coat.png')];
  const rowOf = (row: number, customId: string, imageUrl?: string) =>
    ({ row, customId, ...(imageUrl && { imageUrl }) }) as Parameters<typeof findPhoto>[1];
  rememberPhotos('/batches/a', [shirt, coat, file('list.csv', 'text/csv')]);
  expect(findPhoto('/batches/a', rowOf(0, 'shirt.jpg'))).toBe(shirt);
  expect(findPhoto('/batches/a', rowOf(0, 'shirt'))).toBe(shirt);
  const link = 'https://shop.example/p/coat.png?v=2';
  expect(findPhoto('/batches/a', rowOf(1, 'sku-1', link))).toBe(coat);
  expect(findPhoto('/batches/a', rowOf(2, 'list.csv'))).toBeUndefined();
  expect(findPhoto('/batches/b', rowOf(0, 'shirt.jpg'))).toBeUndefined();
  rememberPhotoOf('/batches/a', rowOf(0, 'shirt.jpg'), own);
  expect(findPhoto('/batches/a', rowOf(0, 'shirt.jpg'))).toBe(own);
});
