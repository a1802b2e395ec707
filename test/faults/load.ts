import { setTimeout as pause } from 'node:timers/promises';
import { type Ledger, WAYS, type Way } from './ledger.ts';
import type { Random } from './random.ts';
import { SEND, type Sent } from './ways.ts';
import { type Customer, freshPicture, sha256Of, type World } from './world.ts';

/** Pieces of work sent at once. */
const AT_ONCE = 6;
/** Pieces whose end has not come: more would stand in line, and nothing new happens to them there. */
const MOST_UNDER_WAY = 60;
/** Ends waited for at once: a client may listen to twenty batches at a time. */
const ENDS_AT_ONCE = 20;
const TELL_MILLIS = 10_000;
/** How much of the work goes which way. */
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
/** What each picture comes to where nothing goes wrong. */
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

/** Sends work, a few pieces at once, until there is enough of it and nothing goes wrong any more. */
export async function sendAll(world: World, random: Random, units: number, isOver: () => boolean) {
  const sent: { customer: Customer; work: Sent }[] = [];
  let left = units;
  let refused = 0;
  let underWay = 0;
  const follow = (work: Sent) => {
    underWay++;
    // Whose end cannot be asked now is asked when all is over.
    const over = () => void underWay--;
    work.settle().then(over, over);
  };
  const lane = async () => {
    while (left > 0 || !isOver()) {
      while (underWay >= MOST_UNDER_WAY) await pause(20);
      const way = random.pick(SHARES);
      const customer = random.pick(world.customers);
      left -= way === 'batch' || way === 'feed' ? 6 : 1;
      try {
        const work = await SEND[way](world, customer, random);
        sent.push({ customer, work });
        follow(work);
      } catch {
        refused++;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return { sent, refused };
}

/** Does something to each, some at a time, and tells how far it is. */
export async function eachOf<T>(
  items: readonly T[],
  deed: (item: T) => Promise<void>,
  tellOf: (done: number) => void,
): Promise<void> {
  const rest = items.values();
  let done = 0;
  const lane = async () => {
    for (const item of rest) {
      await deed(item);
      done++;
    }
  };
  const telling = setInterval(() => tellOf(done), TELL_MILLIS);
  await Promise.all(Array.from({ length: ENDS_AT_ONCE }, lane)).finally(() =>
    clearInterval(telling),
  );
}

/** Asks for every end; what cannot be asked has none, and breaks its promise. Answers the others. */
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

/** How much of each way was accepted. */
export const countByWay = ({ entries }: Ledger): Record<Way, number> =>
  Object.fromEntries(
    WAYS.map((way) => [way, [...entries.values()].filter((entry) => entry.way === way).length]),
  ) as Record<Way, number>;
