import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { startStack } from '../../test/support/stack.ts';
import { treeOf } from '../processes.ts';
import { Answered, type Asked } from './answer.ts';

/** A picture on disk. */
export interface Picture {
  file: string;
  mediaType: string;
}

/** One that cuts subjects out, in processes of its own. */
export interface Contender {
  name: string;
  /** Of all its processes. */
  pids(): number[];
  /** A cut-out, PNG. Throws where the contender refuses the picture. */
  cut(picture: Picture): Promise<Buffer>;
  close(): Promise<void>;
}

/** Starts one of the programs beside this file. */
export function forked(
  name: string,
  program: string,
  { args = [], cwd, scratch }: { args?: string[]; cwd?: string; scratch: string },
): Contender {
  const child = fork(join(import.meta.dirname, program), args, {
    execArgv: ['--import', import.meta.resolve('tsx')],
    ...(cwd === undefined ? {} : { cwd }),
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${name} ended`);
  });
  ended.catch(() => {});
  const to = join(scratch, `${program}.png`);
  return {
    name,
    pids: () => treeOf(child.pid ?? -1),
    async cut({ file, mediaType }) {
      const asked: Asked = { from: resolve(file), to, mediaType };
      const answered = once(child, 'message');
      child.send(asked);
      const [answer] = await Promise.race([answered, ended]);
      const { fault } = Answered.parse(answer);
      if (fault !== undefined) throw new Error(fault);
      return readFile(to);
    },
    async close() {
      child.kill();
      await ended.catch(() => {});
    },
  };
}

/** The whole service: gateway, worker, inference child and Redis, asked over HTTP. */
export async function service(name: string): Promise<Contender> {
  const stack = await startStack({ LOG_LEVEL: 'info' });
  const { key } = await stack.key();
  const roots = () => [stack.gateway.pid, stack.worker.pid, stack.redis.process().pid];
  return {
    name,
    pids: () => roots().flatMap(treeOf),
    async cut({ file, mediaType }) {
      const form = new FormData();
      form.set('image', new Blob([await readFile(file)], { type: mediaType }), 'picture');
      const response = await fetch(`${stack.url}/bg/v1/background-removals`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: form,
      });
      const body = Buffer.from(await response.arrayBuffer());
      if (!response.ok) throw new Error(body.toString());
      return body;
    },
    close: () => stack.stop(),
  };
}
