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

const endsOf = (ledger: Ledger) => [...ledger.entries.values()][0]!.ends;

/** Each breaches one invariant: observations to replace, or a change of the ledger. */
type Plant = Partial<Found> | ((ledger: Ledger, found: Found) => unknown);

const ENDED = 'nothing is readable past its time or after DELETE';
const JOB_2 = { way: 'job', id: 'job_2', client: 'a', picture: 'p1' } as const;
const WRONG = { outcome: 'succeeded', sha256: 'wrong' } as const;

const PLANTED: readonly [promise: string, plant: Plant][] = [
  ['what was accepted comes to an end', (ledger) => accepted(ledger, JOB_2)],
  ['nothing comes to two ends', (ledger) => endsOf(ledger).push({ ...WRONG, sha256: 'right' })],
  [
    'nothing acknowledged is undone',
    ({ deeds }) => Object.assign(deeds[0]!, { found: 'succeeded' }),
  ],
  ['one webhook id a job', { webhooks: new Map([['job_1', new Set(['evt_1', 'evt_2'])]]) }],
  ['quota is what succeeded', { quotaUsed: new Map([['a', 2]]) }],
  [
    'manifests list every accepted row once',
    ({ manifests }) => manifests.set('batch_1', { accepted: 2, customIds: ['x', 'x'] }),
  ],
  ['no blob without a record', { orphanBlobs: ['out/a/b.png'] }],
  ['no record without its blob', ({ missing }) => missing.add('job_1')],
  ['no record without its blob', { recordsWithoutBlob: ['{selvage}:job:job_1'] }],
  ['the same bytes as without faults', (ledger) => endsOf(ledger).splice(0, 1, WRONG)],
  [
    'no answer later than the deadline',
    ({ answers }) => answers.push({ status: 503, millis: 9000 }),
  ],
  ['no byte of one client in the answer to another', { foreignBytes: ['b: p1'] }],
  [ENDED, ({ outlived }) => outlived.add('job_1')],
  [ENDED, { readableAfterEnd: ['/intake/v1/jobs/job_1/result'] }],
  ['no secret and no pixel in any log', { logs: 'key slv_secret was used' }],
  [
    'no error of a machine is reported as an error of the image',
    (ledger, found) => {
      endsOf(ledger)[0] = { outcome: 'failed', problem: 'upstream-failed' };
      Object.assign(found, { quotaUsed: new Map([['a', 0]]) });
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
  const { ledger, found } = goodWorld();
  if (typeof plant === 'function') plant(ledger, found);
  else Object.assign(found, plant);
  const broken = INVARIANTS.filter(({ breaches }) => breaches(ledger, found).length > 0);
  expect(broken.map((invariant) => invariant.promise)).toEqual([promise]);
});
