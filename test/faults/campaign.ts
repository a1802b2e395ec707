import { setTimeout as pause } from 'node:timers/promises';
import {
  blobsLeft,
  canariesOf,
  eraseAll,
  foreignBytes,
  makeSecrets,
  quotaUsed,
  webhooksIn,
} from './audit.ts';
import { FAULTS } from './faults.ts';
import { DEADLINE_SECONDS, type Installation, startInstallation } from './installation.ts';
import { type Found, INVARIANTS } from './invariants.ts';
import { createLedger, type Ledger, WAYS, type Way } from './ledger.ts';
import { createRandom, type Random } from './random.ts';
import { SEND, type Sent } from './ways.ts';
import { type Customer, createWorld, freshPicture, sha256Of, type World } from './world.ts';

export interface Plan {
  seed: number;
  /** Images and rows to send. */
  units: number;
  /** Faults to play while they are under way. */
  faults: number;
  /** Told as it goes. */
  tell?(line: string): void;
}

export interface Outcome {
  seed: number;
  /** What was accepted, by way. */
  acceptedByWay: Record<Way, number>;
  /** Work that the service refused for good, with a clear answer: none of it may be lost or counted. */
  refused: number;
  /** How often each fault was played. */
  played: Record<string, number>;
  /** Breaches of each promise. */
  breaches: { promise: string; found: string[] }[];
  seconds: number;
}

/** Pieces of work under way at once. */
const AT_ONCE = 6;
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
/** What the contract lets an answer be late by. */
const SPARE_MILLIS = 250;
/** Rest after each fault, so that not all are one. */
const REST_MILLIS = 1500;

/** What each picture comes to where nothing goes wrong. */
async function referenceOf({ customers }: World): Promise<Map<string, string>> {
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
async function sendAll(world: World, random: Random, units: number, isOver: () => boolean) {
  const sent: { customer: Customer; work: Sent }[] = [];
  let left = units;
  let refused = 0;
  const lane = async () => {
    while (left > 0 || !isOver()) {
      const way = random.pick(SHARES);
      const customer = random.pick(world.customers);
      left -= way === 'batch' || way === 'feed' ? 6 : 1;
      try {
        sent.push({ customer, work: await SEND[way](world, customer, random) });
      } catch {
        refused++;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return { sent, refused };
}

/** Plays faults one after the other; every kind before one comes again. */
async function playAll(installation: Installation, random: Random, { faults, tell }: Plan) {
  const played: Record<string, number> = {};
  let round = random.shuffled(FAULTS);
  for (let i = 0; i < faults; i++) {
    if (round.length === 0) round = random.shuffled(FAULTS);
    const fault = round.pop();
    if (!fault) throw new Error('there are faults');
    tell?.(`fault ${i + 1} of ${faults}: ${fault.name}`);
    await fault.play(installation, random);
    played[fault.name] = (played[fault.name] ?? 0) + 1;
    await pause(REST_MILLIS * random.next());
  }
  return played;
}

/** Asks for every end; what cannot be asked has none, and breaks its promise. */
async function eachEnd(sent: readonly { work: Sent }[], step: 'settle' | 'audit', { tell }: Plan) {
  await Promise.all(
    sent.map(({ work }) =>
      work[step]().catch((error) => tell?.(`${work.way}: no ${step}: ${error.message}`)),
    ),
  );
}

const countByWay = ({ entries }: Ledger): Record<Way, number> =>
  Object.fromEntries(
    WAYS.map((way) => [way, [...entries.values()].filter((entry) => entry.way === way).length]),
  ) as Record<Way, number>;

/** Sends work, plays faults meanwhile, lets all come to its end, and holds the promises against what is found. */
export async function runCampaign(plan: Plan): Promise<Outcome> {
  const startedAt = performance.now();
  const random = createRandom(plan.seed);
  const installation = await startInstallation();
  const ledger = createLedger();
  const world = await createWorld(installation, ledger);
  try {
    await makeSecrets(world);
    const reference = await referenceOf(world);
    const before = await quotaUsed(world, new Map());
    Object.assign(ledger, createLedger());
    let isOver = false;
    const playing = playAll(installation, random, plan).finally(() => {
      isOver = true;
    });
    const sending = sendAll(world, createRandom(plan.seed + 1), plan.units, () => isOver);
    const [{ sent, refused }, played] = await Promise.all([sending, playing]);
    plan.tell?.(`${ledger.entries.size} accepted, ${refused} refused; waiting for the ends`);
    await eachEnd(sent, 'settle', plan);
    await eachEnd(sent, 'audit', plan);
    const webhookJobs = new Set(
      [...ledger.entries.values()].flatMap(({ way, id }) => (way === 'job' ? [id] : [])),
    );
    await webhooksIn(world, webhookJobs);
    const used = await quotaUsed(world, before);
    const readableAfterEnd = await eraseAll(sent);
    const found: Found = {
      ...{ reference, webhookJobs, readableAfterEnd, quotaUsed: used },
      webhooks: world.hook.idsByJob,
      strayBlobs: await blobsLeft(installation),
      logs: installation.logs(),
      canaries: await canariesOf(world),
      longestMillis: DEADLINE_SECONDS * 1000 + SPARE_MILLIS,
      foreignBytes: foreignBytes(ledger, reference),
    };
    return {
      ...{ seed: plan.seed, refused, played, acceptedByWay: countByWay(ledger) },
      breaches: INVARIANTS.map(({ promise, breaches }) => ({
        promise,
        found: breaches(ledger, found),
      })),
      seconds: (performance.now() - startedAt) / 1000,
    };
  } finally {
    await world.close();
    await installation.stop();
  }
}
