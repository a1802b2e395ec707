import { beforeAll, expect, test } from 'vitest';
import { Quarantine, runEngine } from '../../../workers/images/run-engine.ts';
import { type Engine, EngineCrash } from '../../../workers/inference/pool.ts';
import { useRedis } from '../../support/use-redis.ts';

const { redis } = await useRedis();
let quarantine: Quarantine;
beforeAll(async () => {
  quarantine = new Quarantine(redis);
});

const never = new AbortController().signal;
const succeed = async () => ({ facts: {}, files: [], timings: { totalMillis: 1 } });

/** Runs an operation on the image with this key. Returns what becomes of it. */
const run = (crashKey: string, operation: typeof succeed): Promise<string> =>
  runEngine(
    { quarantine, engine: {} as Engine, versions: { model: 'm@1', parser: 'p@1' } },
    operation,
    { image: new Uint8Array(), sha256: crashKey, client: 'shop', weight: 1 },
    never,
  ).then(
    () => 'succeeded',
    (error) => (error instanceof EngineCrash ? 'may be tried again' : error.type),
  );

/** Crashes the engine on an image so many times. Returns what becomes of each attempt. */
async function crash(
  key: string,
  times: number,
  details: ConstructorParameters<typeof EngineCrash>[1],
) {
  const outcomes: string[] = [];
  for (let i = 0; i < times; i++) {
    const operation = () => Promise.reject(new EngineCrash('died', details));
    outcomes.push(await run(key, operation));
  }
  return outcomes;
}

test.each([
  ['a fault of the engine', { signal: 'SIGSEGV' }],
  ['a hang', { signal: 'SIGKILL', wasStuck: true }],
  ['an exit code', {}],
] as const)('%s, twice on one image, rejects it', async (what, details) => {
  expect(await crash(what, 2, details)).toEqual(['may be tried again', 'upstream-failed']);
  expect(await run(what, succeed)).toBe('upstream-failed');
});

test('kills that may be for want of memory reject an image only after sixteen in a row', async () => {
  const kill = { signal: 'SIGKILL' } as const;
  expect(new Set(await crash('large', 15, kill))).toEqual(new Set(['may be tried again']));
  expect(await run('large', succeed)).toBe('succeeded');
  // It has succeeded, so they are counted from the start.
  expect((await crash('large', 16, kill)).lastIndexOf('may be tried again')).toBe(14);
  expect(await run('large', succeed)).toBe('upstream-failed');
});
