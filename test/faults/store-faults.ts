import { setTimeout as pause } from 'node:timers/promises';
import { type Fault, isS3 } from './fault.ts';
import type { Random } from './random.ts';
import type { Spoiler, StoreCall } from './store-gate.ts';

const SHORT_MILLIS = 3000;
/** Longer than all attempts of the storage client and a few attempts of a job. */
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

const rejection = (status: number, code: string) => ({ action: 'refuse', status, code }) as const;

const ERROR = rejection(500, 'InternalError');
const FULL = rejection(507, 'InsufficientStorage');

/** Faults of S3 calls, with durations. */
const SPOILED: readonly [name: string, spoiler: (random: Random) => Spoiler, millis?: number][] = [
  ['the store answers 500 to a third of all calls', shareOf(1 / 3, ERROR)],
  ['the store answers 500 to every call', every(ERROR)],
  ['the store answers 503 for long', every(rejection(503, 'SlowDown')), LONG_MILLIS],
  ['the store answers five seconds late', every({ action: 'delay', millis: 5000 })],
  ['the store gives and takes bodies in drops', every({ action: 'drip', millis: 30 })],
  ['the store breaks off what is read', only(isGet, { action: 'break' })],
  ['the store breaks off what is written', only(isPut, { action: 'break' })],
  ['the disks of the store are full', only(isPut, FULL)],
  ['the bucket is full, for long', only(isPut, rejection(403, 'QuotaExceeded')), LONG_MILLIS],
];

const spoiled = ([name, spoiler, millis = SHORT_MILLIS]: (typeof SPOILED)[number]): Fault => ({
  name,
  fits: isS3,
  async play({ store }, random) {
    store.gate?.spoil(spoiler(random));
    await pause(millis);
    store.gate?.mend();
  },
});

const refusing = (name: string, millis: number): Fault => ({
  name,
  fits: isS3,
  async play({ store }) {
    await store.gate?.shut();
    await pause(millis);
    await store.gate?.open();
  },
});

/** A single process cannot reach storage. */
const lostByOne: Fault = {
  name: 'one process cannot reach the store',
  fits: isS3,
  async play({ store, gateways, workers }, random) {
    const { name } = random.pick([...gateways, ...workers]);
    store.gate?.spoil(({ who }) => (who === name ? { action: 'break' } : undefined));
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

/** The faults of storage and of its connections. */
export const STORE_FAULTS: readonly Fault[] = [
  ...SPOILED.map(spoiled),
  refusing('the store refuses connections', SHORT_MILLIS),
  refusing('the store refuses connections, for long', LONG_MILLIS),
  lostByOne,
  full('the disk is full', SHORT_MILLIS),
  full('the disk is full, for long', LONG_MILLIS),
  locked,
];
