import { expect } from 'vitest';

/** Set once: files share the matchers, and each would add another. */
const ADDED = Symbol.for('selvage.equal-bytes');

const bytesOf = (value: unknown): Uint8Array | undefined =>
  ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : undefined;

/**
 * Vitest compares numbers one by one, which takes seconds for a picture. Two arrays of one kind with the same bytes are
 * equal; Vitest decides about all others.
 */
function areSameBytes(a: unknown, b: unknown): true | undefined {
  const [ours, theirs] = [bytesOf(a), bytesOf(b)];
  if (!ours || !theirs || Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return;
  return Buffer.compare(ours, theirs) === 0 || undefined;
}

if (!(ADDED in globalThis)) {
  Object.assign(globalThis, { [ADDED]: true });
  expect.addEqualityTesters([areSameBytes]);
}
