import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { Flood, type FloodWish } from './deeds.ts';

/** What the generator is told. */
export const Order = z.discriminatedUnion('deed', [
  z.object({ deed: z.literal('open'), url: z.string(), keys: z.array(z.string()) }),
  z.object({ deed: z.literal('one-by-one'), count: z.number() }),
  z.object({ deed: z.literal('closed-loop'), lanes: z.number(), seconds: z.number() }),
  z.object({
    deed: z.literal('flood'),
    perSecond: z.number(),
    seconds: z.number(),
    probeShare: z.number(),
    idleMillis: z.number(),
    seed: z.number(),
  }),
]);
export type Order = z.infer<typeof Order>;

const Obeyed = z.object({ done: z.unknown(), fault: z.string().optional() });

/** Starts a generator of its own for a gateway; one deed at a time. */
export async function startGenerator(url: string, keys: readonly string[]) {
  const child = fork(join(import.meta.dirname, 'generator.ts'), [], {
    execArgv: ['--import', import.meta.resolve('tsx')],
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error('the generator ended');
  });
  ended.catch(() => {});

  async function tell(order: Order): Promise<unknown> {
    const answered = once(child, 'message');
    child.send(order);
    const [answer] = await Promise.race([answered, ended]);
    const { done, fault } = Obeyed.parse(answer);
    if (fault !== undefined) throw new Error(fault);
    return done;
  }
  await tell({ deed: 'open', url, keys: [...keys] });
  return {
    /** Latencies, ms. */
    oneByOne: async (count: number) =>
      z.array(z.number()).parse(await tell({ deed: 'one-by-one', count })),
    /** Removals a second. */
    closedLoop: async (lanes: number, seconds: number) =>
      z.number().parse(await tell({ deed: 'closed-loop', lanes, seconds })),
    flood: async (wish: FloodWish, seed: number) =>
      Flood.parse(await tell({ deed: 'flood', ...wish, seed })),
    async close() {
      child.kill();
      await ended.catch(() => {});
    },
  };
}

export type Generator = Awaited<ReturnType<typeof startGenerator>>;
