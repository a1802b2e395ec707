import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { type Finding, fail, ok, warn } from './finding.ts';

const OLDEST_NODE = [20, 19] as const;
/** The oldest release line that still gets security fixes. */
const MAINTAINED_NODE = 22;

/** Whether this Node.js is new enough. @param version `20.19.0` */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantedMajor, wantedMinor] = OLDEST_NODE;
  if (major < wantedMajor || (major === wantedMajor && minor < wantedMinor)) {
    return fail('node', `Node.js ${version} is too old`, 'Install Node.js 24.');
  }
  if (major < MAINTAINED_NODE) {
    return warn(
      'node',
      `Node.js ${version} gets no security fixes any more`,
      'Install Node.js 24.',
    );
  }
  return ok('node', `Node.js ${version}`);
}

const GIGABYTE = 1e9;
const LEAST_GIGABYTES = 0.5;
const AMPLE_GIGABYTES = 5;

/** The nearest folder above that exists: what was never started has no home yet. */
const existing = (folder: string): string =>
  existsSync(folder) ? folder : existing(dirname(folder));

/** Whether there is room for images. */
export async function checkDisk(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(existing(folder));
  const free = (bavail * bsize) / GIGABYTE;
  const detail = `${free.toFixed(1)} GB free for ${folder}`;
  const advice = 'Make room, keep results for less long (selvage retention), or use STORE=s3.';
  if (free < LEAST_GIGABYTES) return fail('disk', detail, advice);
  return free < AMPLE_GIGABYTES ? warn('disk', detail, advice) : ok('disk', detail);
}

/** Whether a port can be listened on; throws what the system says. */
async function tryPort(host: string, port: number): Promise<void> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}

/**
 * Whether the gateway's port is the gateway's, or free for it.
 * @param answers whether a gateway answers there
 */
export async function checkPort(host: string, port: number, answers: boolean): Promise<Finding> {
  const place = `${host}:${port}`;
  if (answers) return ok('port', `the gateway answers on ${place}`);
  try {
    await tryPort(host, port);
    return warn('port', `${place} is free: no gateway runs here`, 'Start one: npm start');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'EADDRINUSE'
      ? fail('port', `something that is no gateway has ${place}`, 'End it, or choose another PORT.')
      : fail('port', `${place} cannot be listened on (${code})`, 'Choose another HOST or PORT.');
  }
}
