import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { classify } from '../../../src/taxonomy/classify.ts';
import { DEFAULT_SETTINGS } from '../../../src/taxonomy/request-schema.ts';
import { someOf } from '../../support/many.ts';
import { ROOT } from '../../support/root.ts';

/** Titles that are put together: what a garment has does not change it, and what is for garments is none. */

const Words = z.object({
  garments: z.array(z.string()),
  details: z.array(z.string()),
  /** Of `things`, where {} is what they are for. */
  stems: z.array(z.string()),
  things: z.array(z.string()),
});
const file = join(ROOT, 'test/fixtures/naming/composed.json');
const languages = Object.entries(
  z.record(z.string(), Words).parse(JSON.parse(readFileSync(file, 'utf8'))),
);

/** The leaf that is answered with half a chance or more. */
function leafOf(title: string): string | undefined {
  const input = { attributes: { title }, options: DEFAULT_SETTINGS, fallbackId: 'row' };
  const { category } = classify(input);
  return category && category.confidence >= 0.5 ? (category.id ?? undefined) : undefined;
}

const MAX_WRONG = { details: 0.03, things: 0.1 };

test.each(languages)('in %s, a detail leaves a garment what it is', (_, { garments, details }) => {
  const some = someOf(garments, 3);
  const changed = some.flatMap((garment) => {
    const leaf = leafOf(garment);
    expect(leaf).toBeDefined();
    return details
      .map((detail) => `${garment} ${detail}`)
      .filter((title) => leafOf(title) !== leaf);
  });
  expect(changed.length / some.length / details.length).toBeLessThanOrEqual(MAX_WRONG.details);
});

test.each(languages)('in %s, a thing for garments is no garment', (_, { stems, things }) => {
  const some = someOf(stems, 4);
  const accepted = things
    .flatMap((thing) => some.map((stem) => thing.replace('{}', stem)))
    .filter((title) => leafOf(title) !== undefined);
  expect(accepted.length / some.length / things.length).toBeLessThanOrEqual(MAX_WRONG.things);
});
