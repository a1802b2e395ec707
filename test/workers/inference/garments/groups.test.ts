import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { GROUPS, IS_WORN, PARTS } from '../../../../workers/inference/garments/groups.ts';
import { ROOT } from '../../../support/root.ts';

const Trained = z.array(z.object({ id: z.string(), part: z.string().optional() }));

test('the groups are those that are trained, in the order of the answers, in the same parts', () => {
  const file = join(ROOT, 'models', 'training', 'groups.json');
  const trained = Trained.parse(JSON.parse(readFileSync(file, 'utf8')));
  expect(GROUPS.map(({ id, part, region }) => (region ? { id, part } : { id }))).toEqual(
    trained.map(({ id, part }) => (part ? { id, part } : { id })),
  );
});

test('what is worn has a region, and nothing else has', () => {
  const worn = PARTS.filter((_, part) => IS_WORN[part]);
  expect(worn).not.toContain('skin');
  expect(worn).toContain('belt');
  for (const { part, region } of GROUPS) expect(worn.includes(part)).toBe(region !== undefined);
});
