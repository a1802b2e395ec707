import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { Flood, type FloodOptions } from './workloads.ts';

/** A command to the generator process. */
export const GeneratorCommand = z.discriminatedUnion('name', [
  z.object({ name: z.literal('open'), url: z.string(), keys: z.array(z.string()) }),
  z.object({ name: z.literal('one-by-one'), count: z.number() }),
  z.object({ name: z.literal('closed-loop'), lanes: z.number(), seconds: z.number() }),
  z.object({
    name: z.literal('flood'),
    perSecond: z.number(),
    seconds: z.number(),
    probeShare: z.number(),
    idleMillis: z.number(),
    seed: z.number(),
  }),
]);
export type GeneratorCommand = z.infer<typeof GeneratorCommand>;

const Reply = z.object({ result: z.unknown(), error: z.string().optional() });

/** Starts a generator process for a gateway; it runs one command at a time. */
export async function startGenerator(url: string, keys: readonly string[]) {
  const child = fork(join(import.meta.dirname, 'generator.ts'), [], {
    execArgv: ['--import', import.meta.resolve('tsx')],
  });
  const exited = once(child, 'exit').then(() => {
    throw new Error('the generator exited');
  });
  exited.catch(() => {});

  async function send(command: GeneratorCommand): Promise<unknown> {
    const replied = once(child, 'message');
    child.send(command);
    const [message] = await Promise.race([replied, exited]);
    const { result, error } = Reply.parse(message);
    if (error !== undefined) throw new Error(error);
    return result;
  }
  await send({ name: 'open', url, keys: [...keys] });
  return {
    /** Latencies, ms. */
    oneByOne: async (count: number) =>
      z.array(z.number()).parse(await send({ name: 'one-by-one', count })),
    /** Removals per second. */
    closedLoop: async (lanes: number, seconds: number) =>
      z.number().parse(await send({ name: 'closed-loop', lanes, seconds })),
    flood: async (options: FloodOptions, seed: number) =>
      Flood.parse(await send({ name: 'flood', ...options, seed })),
    async close() {
      child.kill();
      await exited.catch(() => {});
    },
  };
}

export type Generator = Awaited<ReturnType<typeof startGenerator>>;
