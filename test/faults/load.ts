import { setTimeout as pause } from 'node:timers/promises';
import { type Ledger, WAYS, type Way } from './ledger.ts';
import type { Random } from './random.ts';
import { SEND, type Sent } from './ways.ts';
import { type Customer, freshPicture, sha256Of, type World } from './world.ts';

/** Units of work sent at once by default. */
const AT_ONCE = 6;
/** Units whose end is pending, by default: more would only wait in the queue. */
const MAX_PENDING = 60;
/** Ends waited for at once: a client may follow the events of twenty batches. */
const ENDS_AT_ONCE = 20;
const TELL_MILLIS = 10_000;
/** The share of the work for each way. */
const SHARES: readonly Way[] = [
  'sync',
  'sync',
  'sync',
  'job',
  'job',
  'job',
  'job',
  'batch',
  'feed',
];
/** Computes the result of each image without faults. */
export async function referenceOf({ customers }: World): Promise<Map<string, string>> {
  const reference = new Map<string, string>();
  for (const { client, pictures } of customers) {
    for (const picture of pictures) {
      const { image } = await client.removeBackground(await freshPicture(picture));
      reference.set(`${picture}`, sha256Of(image));
    }
  }
  return reference;
}

/** Sends work, a few units at once, until there is enough and no fault is active. */
export async function sendAll(
  world: World,
  random: Random,
  {
    units,
    atOnce = AT_ONCE,
    maxPending = MAX_PENDING,
  }: { units: number; atOnce?: number; maxPending?: number },
  isOver: () => boolean,
) {
  const sent: { customer: Customer; work: Sent }[] = [];
  let left = units;
  let rejected = 0;
  let underWay = 0;
  const follow = (work: Sent) => {
    underWay++;
    // An end that cannot be read now is read at the end of the campaign.
    const over = () => void underWay--;
    work.settle().then(over, over);
  };
  const worker = async () => {
    while (left > 0 || !isOver()) {
      while (underWay >= maxPending) await pause(20);
      const way = random.pick(SHARES);
      const customer = random.pick(world.customers);
      left -= way === 'batch' || way === 'feed' ? 6 : 1;
      try {
        const work = await SEND[way](world, customer, random);
        sent.push({ customer, work });
        follow(work);
      } catch {
        rejected++;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { sent, rejected };
}

/** Runs an action for each, some at a time, and logs the progress. */
export async function eachOf<T>(
  items: readonly T[],
  action: (item: T) => Promise<void>,
  tellOf: (done: number) => void,
): Promise<void> {
  const rest = items.values();
  let done = 0;
  const worker = async () => {
    for (const item of rest) {
      await action(item);
      done++;
    }
  };
  const telling = setInterval(() => tellOf(done), TELL_MILLIS);
  await Promise.all(Array.from({ length: ENDS_AT_ONCE }, worker)).finally(() =>
    clearInterval(telling),
  );
}

/** Reads every end; a unit whose end cannot be read breaches its invariant. Resolves with the others. */
export async function eachEnd(
  sent: readonly { work: Sent }[],
  step: 'settle' | 'audit',
  tell: ((line: string) => void) | undefined,
) {
  const came = new Set<Sent>();
  await eachOf(
    sent,
    ({ work }) =>
      work[step]().then(
        () => void came.add(work),
        (error) => tell?.(`${work.way}: no ${step}: ${error.message}`),
      ),
    (done) => tell?.(`${step}: ${done} of ${sent.length}`),
  );
  return sent.filter(({ work }) => came.has(work));
}

/** The accepted units of each way. */
export const countByWay = ({ entries }: Ledger): Record<Way, number> =>
  Object.fromEntries(
    WAYS.map((way) => [way, [...entries.values()].filter((entry) => entry.way === way).length]),
  ) as Record<Way, number>;
