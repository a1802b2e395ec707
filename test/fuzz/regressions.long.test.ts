import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { bytesOf, type Target } from './target.ts';
import { TARGETS } from './targets.ts';

/** Inputs of dictionary words and seeds in any order, with random bytes between them. */
const composed = ({ seeds, dictionary: words }: Target): fc.Arbitrary<Buffer> =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom(...words, ...seeds).map(bytesOf),
        fc.uint8Array({ maxLength: 4 }).map(bytesOf),
      ),
      { maxLength: 12 },
    )
    .map((parts) => Buffer.concat(parts));

afterAll(() => {
  // No input may pollute the prototype.
  expect(Object.keys(Object.prototype)).toEqual([]);
});

describe.each(Object.entries(TARGETS))('%s', (_name, { load }) => {
  test('holds for its seeds and regressions', async () => {
    const { fuzz: holds, seeds, regressions: found } = await load();
    expect(seeds.length).toBeGreaterThan(0);
    for (const input of [...seeds, ...found]) await holds(bytesOf(input));
  });

  test('holds for its dictionary in any order', async () => {
    const target = await load();
    await fc.assert(
      fc.asyncProperty(composed(target), async (input) => target.fuzz(input)),
      { numRuns: 150 },
    );
  });
});
