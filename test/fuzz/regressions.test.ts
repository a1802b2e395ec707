import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { bytesOf, type Target } from './target.ts';
import { TARGETS } from './targets.ts';

/** Inputs of its own words in any order, with chance in between: what a fuzzer begins to make. */
const composed = ({ seeds, words }: Target): fc.Arbitrary<Buffer> =>
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
  // Whatever the inputs call themselves, no object has it from then on.
  expect(Object.keys(Object.prototype)).toEqual([]);
});

describe.each(Object.entries(TARGETS))('%s', (_name, { load }) => {
  test('holds for its seeds and for every input that once broke it', async () => {
    const { holds, seeds, found } = await load();
    for (const input of [...seeds, ...found]) await holds(bytesOf(input));
  });

  test('holds for its words in any order', async () => {
    const target = await load();
    await fc.assert(
      fc.asyncProperty(composed(target), async (input) => target.holds(input)),
      { numRuns: 150 },
    );
  });
});
