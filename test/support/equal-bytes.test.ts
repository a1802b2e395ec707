import { expect, test } from 'vitest';

/** Fails if its numbers are looked at one by one. */
class Unread extends Uint8Array {
  override [Symbol.iterator](): ArrayIterator<number> {
    throw new Error('read one by one');
  }
}

test('arrays of numbers are compared by their bytes', () => {
  expect(Unread.of(1, 2)).toEqual(Unread.of(1, 2));
  expect({ data: Unread.of(1, 2) }).toEqual({ data: Unread.of(1, 2) });
  expect([Unread.of(1, 2)]).toStrictEqual([Unread.of(1, 2)]);
});

test.each([
  { what: 'another number', one: Float32Array.of(1), other: Float32Array.of(2) },
  { what: 'another length', one: Uint8Array.of(1), other: Uint8Array.of(1, 0) },
  { what: 'another kind', one: Uint8Array.of(1), other: Int8Array.of(1) },
  { what: 'another last number', one: Uint16Array.of(1, 2), other: Uint16Array.of(1, 3) },
])('$what is a difference', ({ one, other }) => {
  expect(one).not.toEqual(other);
  expect(() => expect(one).toEqual(other)).toThrow();
});

test('a part of a buffer equals a copy of that part', () => {
  expect(Uint8Array.of(0, 1, 2, 3).subarray(1, 3)).toEqual(Uint8Array.of(1, 2));
});
