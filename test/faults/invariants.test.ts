import { expect, test } from 'vitest';
import { type Found, INVARIANTS } from './invariants.ts';
import { accepted, createLedger, type Ledger } from './ledger.ts';

/** Observations without any breach. */
function goodWorld(): { ledger: Ledger; found: Found } {
  const ledger = createLedger();
  const job = { way: 'job', id: 'job_1', client: 'a', picture: 'p1' } as const;
  accepted(ledger, job).ends.push({ outcome: 'succeeded', sha256: 'right' });
  const read = async () => 'canceled';
  ledger.deeds.push({ what: 'job_0', read, said: 'canceled', found: 'canceled' });
  ledger.answers.push({ status: 200, millis: 100 });
  ledger.manifests.set('batch_1', { accepted: 2, customIds: ['x', 'y'] });
  return {
    ledger,
    found: {
      webhooks: new Map([['job_1', new Set(['evt_1'])]]),
      webhookJobs: new Set(['job_1']),
      quotaUsed: new Map([['a', 1]]),
      orphanBlobs: [],
      recordsWithoutBlob: [],
      reference: new Map([['p1', 'right']]),
      logs: 'job done',
      canaries: ['slv_secret'],
      longestMillis: 8250,
      foreignBytes: [],
      readableAfterEnd: [],
    },
  };
}

const onlyEntry = (ledger: Ledger) => [...ledger.entries.values()][0]!;

/** Changes that each breach one invariant. */
const PLANTED: readonly [promise: string, plant: (world: ReturnType<typeof goodWorld>) => void][] =
  [
    [
      'what was accepted comes to an end',
      ({ ledger }) => {
        accepted(ledger, { way: 'job', id: 'job_2', client: 'a', picture: 'p1' });
      },
    ],
    [
      'nothing comes to two ends',
      ({ ledger }) => {
        onlyEntry(ledger).ends.push({ outcome: 'succeeded', sha256: 'right' });
      },
    ],
    [
      'nothing acknowledged is undone',
      ({ ledger }) => {
        Object.assign(ledger.deeds[0]!, { found: 'succeeded' });
      },
    ],
    [
      'no error of a machine is reported as an error of the image',
      ({ ledger, found }) => {
        onlyEntry(ledger).ends[0] = { outcome: 'failed', problem: 'upstream-failed' };
        Object.assign(found, { quotaUsed: new Map([['a', 0]]) });
      },
    ],
    [
      'one webhook id a job',
      ({ found }) => {
        Object.assign(found, { webhooks: new Map([['job_1', new Set(['evt_1', 'evt_2'])]]) });
      },
    ],
    [
      'quota is what succeeded',
      ({ found }) => {
        Object.assign(found, { quotaUsed: new Map([['a', 2]]) });
      },
    ],
    [
      'manifests list every accepted row once',
      ({ ledger }) => {
        ledger.manifests.set('batch_1', { accepted: 2, customIds: ['x', 'x'] });
      },
    ],
    [
      'no blob without a record',
      ({ found }) => {
        Object.assign(found, { orphanBlobs: ['out/a/b.png'] });
      },
    ],
    [
      'no record without its blob',
      ({ ledger }) => {
        ledger.missing.add('job_1');
      },
    ],
    [
      'no record without its blob',
      ({ found }) => {
        Object.assign(found, { recordsWithoutBlob: ['{selvage}:job:job_1'] });
      },
    ],
    [
      'the same bytes as without faults',
      ({ ledger }) => {
        onlyEntry(ledger).ends[0] = { outcome: 'succeeded', sha256: 'wrong' };
      },
    ],
    [
      'no answer later than the deadline',
      ({ ledger }) => {
        ledger.answers.push({ status: 503, millis: 9000 });
      },
    ],
    [
      'no byte of one client in the answer to another',
      ({ found }) => {
        Object.assign(found, { foreignBytes: ['b: p1'] });
      },
    ],
    [
      'nothing is readable past its time or after DELETE',
      ({ ledger }) => {
        ledger.outlived.add('job_1');
      },
    ],
    [
      'nothing is readable past its time or after DELETE',
      ({ found }) => {
        Object.assign(found, { readableAfterEnd: ['/intake/v1/jobs/job_1/result'] });
      },
    ],
    [
      'no secret and no pixel in any log',
      ({ found }) => {
        Object.assign(found, { logs: 'key slv_secret was used' });
      },
    ],
  ];

test('observations without a breach hold every invariant', () => {
  const { ledger, found } = goodWorld();
  expect(INVARIANTS.flatMap(({ breaches }) => breaches(ledger, found))).toEqual([]);
});

test.each(INVARIANTS)('there is a planted breach of "$promise"', ({ promise }) => {
  expect(PLANTED.map(([planted]) => planted)).toContain(promise);
});

test.each(PLANTED)('a planted breach of "%s" is detected', (promise, plant) => {
  const world = goodWorld();
  plant(world);
  const broken = INVARIANTS.filter(
    ({ breaches }) => breaches(world.ledger, world.found).length > 0,
  );
  expect(broken.map((invariant) => invariant.promise)).toEqual([promise]);
});
