import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Installation } from '../installation.ts';

const SAMPLE_MILLIS = 100;
const MIB = 2 ** 20;

/** Times of `/livez`. */
export interface Responses {
  maxMillis: number;
  p99Millis: number;
}

/** What was seen since the lap before. */
export interface Lap {
  gateway: Responses;
  worker: Responses;
  /** Resident memory of the gateway at its highest. */
  maxMemoryMib: number;
}

const Laps = z.tuple([z.array(z.number()), z.array(z.number())]);

function responses(millis: readonly number[]): Responses {
  const sorted = [...millis].sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
  return { maxMillis: at(1), p99Millis: at(0.99) };
}

/** Reads the resident memory of a process. */
async function memoryMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024) / MIB;
}

/** Watches gateway and worker from outside. */
export async function startWatch({ gateways: [gateway], workers: [worker] }: Installation) {
  if (!gateway || !worker) throw new Error('a gateway and a worker are needed');
  const probe = fork(join(import.meta.dirname, 'probe.ts'), [gateway.url, worker.url], {
    execArgv: ['--import', 'tsx'],
  });
  await once(probe, 'message');
  let maxMemoryMib = 0;
  const sample = async () => {
    maxMemoryMib = Math.max(maxMemoryMib, await memoryMib(gateway.running.pid));
  };
  const timer = setInterval(() => void sample(), SAMPLE_MILLIS);

  return {
    /** Returns what was seen since the lap before. */
    async lap(): Promise<Lap> {
      const answered = once(probe, 'message');
      probe.send('lap');
      const [ofGateway, ofWorker] = Laps.parse((await answered)[0]);
      await sample();
      const lap = {
        gateway: responses(ofGateway),
        worker: responses(ofWorker),
        maxMemoryMib: Math.round(maxMemoryMib),
      };
      maxMemoryMib = 0;
      return lap;
    },
    close(): void {
      clearInterval(timer);
      probe.disconnect();
    },
  };
}

export type Watch = Awaited<ReturnType<typeof startWatch>>;
