import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './fault.ts';
import type { Random } from './random.ts';
import type { Spoiler, StoreCall } from './store-gate.ts';

const SHORT_MILLIS = 3000;
/** Longer than all attempts of the store's client, and than a few of a job. */
const LONG_MILLIS = 15_000;

const every =
  (spoiling: ReturnType<Spoiler>): (() => Spoiler) =>
  () =>
  () =>
    spoiling;

const only =
  (isMeant: (call: StoreCall) => boolean, spoiling: ReturnType<Spoiler>): (() => Spoiler) =>
  () =>
  (call) =>
    isMeant(call) ? spoiling : undefined;

const shareOf =
  (share: number, spoiling: ReturnType<Spoiler>) =>
  (random: Random): Spoiler =>
  () =>
    random.next() < share ? spoiling : undefined;

const isPut = ({ method }: StoreCall): boolean => method === 'PUT';
const isGet = ({ method }: StoreCall): boolean => method === 'GET';

const refusal = (status: number, code: string) => ({ deed: 'refuse', status, code }) as const;

/** What S3 does to calls, for how long. */
const SPOILED: readonly [name: string, spoiler: (random: Random) => Spoiler, millis: number][] = [
  [
    'the store answers 500 to a third of all calls',
    shareOf(1 / 3, refusal(500, 'InternalError')),
    SHORT_MILLIS,
  ],
  ['the store answers 500 to every call', every(refusal(500, 'InternalError')), SHORT_MILLIS],
  ['the store answers 503 for long', every(refusal(503, 'SlowDown')), LONG_MILLIS],
  ['the store answers five seconds late', every({ deed: 'delay', millis: 5000 }), SHORT_MILLIS],
  ['the store gives and takes bodies in drops', every({ deed: 'drip', millis: 30 }), SHORT_MILLIS],
  ['the store breaks off what is read', only(isGet, { deed: 'break' }), SHORT_MILLIS],
  ['the store breaks off what is written', only(isPut, { deed: 'break' }), SHORT_MILLIS],
  [
    'the disks of the store are full',
    only(isPut, refusal(507, 'InsufficientStorage')),
    SHORT_MILLIS,
  ],
  ['the bucket is full, for long', only(isPut, refusal(403, 'QuotaExceeded')), LONG_MILLIS],
];

const isS3: Fault['fits'] = ({ store }) => store.gate !== undefined;

const spoiled = ([name, spoiler, millis]: (typeof SPOILED)[number]): Fault => ({
  name,
  fits: isS3,
  async play({ store }, random) {
    store.gate?.spoil(spoiler(random));
    await pause(millis);
    store.gate?.mend();
  },
});

const refused = (name: string, millis: number): Fault => ({
  name,
  fits: isS3,
  async play({ store }) {
    await store.gate?.shut();
    await pause(millis);
    await store.gate?.open();
  },
});

/** One process alone has lost its way to the store. */
const lostByOne: Fault = {
  name: 'one process cannot reach the store',
  fits: isS3,
  async play({ store, gateways, workers }, random) {
    const { name } = random.pick([...gateways, ...workers]);
    store.gate?.spoil(({ who }) => (who === name ? { deed: 'break' } : undefined));
    await pause(SHORT_MILLIS);
    store.gate?.mend();
  },
};

const hasDisk: Fault['fits'] = ({ store }) => store.disk !== undefined;

const full = (name: string, millis: number): Fault => ({
  name,
  fits: hasDisk,
  async play({ store: { disk } }) {
    await disk?.fill();
    await pause(millis);
    await disk?.free();
  },
});

const locked: Fault = {
  name: 'the disk cannot be written to',
  fits: hasDisk,
  async play({ store: { disk } }) {
    await disk?.lock();
    await pause(2000);
    await disk?.unlock();
  },
};

/** What happens to the store, and on the way to it. */
export const STORE_FAULTS: readonly Fault[] = [
  ...SPOILED.map(spoiled),
  refused('the store refuses connections', SHORT_MILLIS),
  refused('the store refuses connections, for long', LONG_MILLIS),
  lostByOne,
  full('the disk is full', SHORT_MILLIS),
  full('the disk is full, for long', LONG_MILLIS),
  locked,
];
