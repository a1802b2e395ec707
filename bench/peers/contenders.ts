import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { startByLauncher } from '../../test/support/launcher.ts';
import { startStack } from '../../test/support/stack.ts';
import { treeOf } from '../processes.ts';
import { CutOutReply, type CutOutRequest } from './cut-out-server.ts';

/** An image on disk. */
export interface ImageFile {
  file: string;
  mediaType: string;
}

/** A program that is compared; it runs in processes of its own. */
export interface Contender {
  name: string;
  /** Ids of all its processes. */
  pids(): number[];
  /** Returns a cut-out, PNG. Rejects if the program rejects the image. */
  cutOut(image: ImageFile): Promise<Buffer>;
  close(): Promise<void>;
}

/** Starts one of the programs in this folder. */
export function forkProgram(
  name: string,
  program: string,
  { args = [], cwd, scratch }: { args?: string[]; cwd?: string; scratch: string },
): Contender {
  const child = fork(join(import.meta.dirname, program), args, {
    execArgv: ['--import', import.meta.resolve('tsx')],
    ...(cwd === undefined ? {} : { cwd }),
  });
  const exited = once(child, 'exit').then(() => {
    throw new Error(`${name} exited`);
  });
  exited.catch(() => {});
  const to = join(scratch, `${program}.png`);
  return {
    name,
    pids: () => treeOf(child.pid ?? -1),
    async cutOut({ file, mediaType }) {
      const request: CutOutRequest = { from: resolve(file), to, mediaType };
      const replied = once(child, 'message');
      child.send(request);
      const [message] = await Promise.race([replied, exited]);
      const { error } = CutOutReply.parse(message);
      if (error !== undefined) throw new Error(error);
      return readFile(to);
    },
    async close() {
      child.kill();
      await exited.catch(() => {});
    },
  };
}

/** Sends an image to a gateway; returns its cut-out. */
async function removeOverHttp(
  url: string,
  key: string,
  { file, mediaType }: ImageFile,
): Promise<Buffer> {
  const form = new FormData();
  form.set('image', new Blob([await readFile(file)], { type: mediaType }), 'image');
  const response = await fetch(`${url}/bg/v1/background-removals`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  const body = Buffer.from(await response.arrayBuffer());
  if (!response.ok) throw new Error(body.toString());
  return body;
}

/** Starts the whole service: gateway, worker, inference child and Redis, used over HTTP. */
export async function startService(name: string): Promise<Contender> {
  const stack = await startStack({ LOG_LEVEL: 'info' });
  const { key } = await stack.key();
  const roots = () => [stack.gateway.pid, stack.worker.pid, stack.redis.process().pid];
  return {
    name,
    pids: () => roots().flatMap(treeOf),
    cutOut: (image) => removeOverHttp(stack.url, key, image),
    close: () => stack.stop(),
  };
}

/** Starts the whole service as users do, with `npm start`'s launcher and its own Redis. */
export async function startLauncher(name: string, slots: number): Promise<Contender> {
  const { launcher, url, key, stop } = await startByLauncher({
    WORKER_CONCURRENCY: String(slots),
  });
  return {
    name,
    pids: () => treeOf(launcher.pid),
    cutOut: (image) => removeOverHttp(url, key, image),
    close: stop,
  };
}
