import { setTimeout as pause } from 'node:timers/promises';
import { untilServed } from './asking.ts';
import { breachesOf } from './campaign.ts';
import { INVARIANTS } from './invariants.ts';
import { createRandom } from './random.ts';
import { promoteReplica } from './redis-faults.ts';
import { inspect, onStage, type StageSettings } from './stage.ts';
import { SEND, type Sent } from './ways.ts';

interface Plan extends StageSettings {
  seed: number;
  /** Jobs in the background, and synchronous removals. */
  jobs: number;
  removals: number;
  promotions: number;
}

interface Outcome {
  accepted: number;
  /** Requests with a final error. */
  rejected: number;
  /** From each promotion to the next cut-out, milliseconds. */
  servedAfterMillis: number[];
  breaches: ReturnType<typeof breachesOf>;
}

/** Units sent at once. */
const AT_ONCE = 6;

/** Promotes a replica several times under load, evenly over the work, and checks every invariant. */
export const runFailovers = (plan: Plan): Promise<Outcome> =>
  onStage(plan, async (stage) => {
    const { installation, world, ledger } = stage;
    // Asks beside the customers, whose ledger it must not disturb.
    const { key } = await installation.key('prober');
    const customers = world.customers.map((customer) => ({ ...customer, key }));
    const probing = { ...stage, world: { ...world, customers } };
    const random = createRandom(plan.seed);
    const ways = (['job', 'sync'] as const).flatMap((way) =>
      Array<typeof way>(way === 'job' ? plan.jobs : plan.removals).fill(way),
    );
    const left = random.shuffled(ways);
    const sent: { work: Sent }[] = [];
    let rejected = 0;
    const send = async () => {
      for (let way = left.pop(); way !== undefined; way = left.pop()) {
        const sending = SEND[way](world, random.pick(world.customers), random);
        await sending.then(
          (work) => sent.push({ work }),
          () => rejected++,
        );
      }
    };
    const sending = Promise.all(Array.from({ length: AT_ONCE }, send));
    const servedAfterMillis: number[] = [];
    for (let i = 0; i < plan.promotions; i++) {
      while (left.length > (ways.length * (plan.promotions - i)) / (plan.promotions + 1))
        await pause(10);
      await promoteReplica(installation);
      const millis = Math.round(await untilServed(probing));
      servedAfterMillis.push(millis);
      plan.tell?.(`promotion ${i + 1}: a cut-out after ${millis} ms; ${left.length} to be sent`);
    }
    await sending;
    const found = await inspect(stage, sent, plan);
    const breaches = breachesOf(INVARIANTS, ledger, found);
    return { accepted: ledger.entries.size, rejected, servedAfterMillis, breaches };
  });

/** The outcome as text. */
export const failoverReport = ({ accepted, rejected, servedAfterMillis, breaches }: Outcome) =>
  [
    `${accepted} accepted, ${rejected} rejected`,
    `first cut-out after each promotion, ms: ${servedAfterMillis.join(', ')}`,
    ...breaches.map(({ promise, found }) => `${promise}: ${found.length} breaches`),
    ...breaches.flatMap(({ found }) => found.slice(0, 10)),
  ].join('\n');
