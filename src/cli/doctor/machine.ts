import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { z } from 'zod';
import { START } from '../../platform/local-instance.ts';
import { codeOf } from '../../platform/system-error.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const MIN_NODE = [20, 19] as const;
/** The oldest release line that still gets security fixes. */
const MAINTAINED_NODE = 22;

/** Checks that Node.js is new enough. @param version `20.19.0` */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [minMajor, minMinor] = MIN_NODE;
  if (major < minMajor || (major === minMajor && minor < minMinor))
    return fail('node', `Node.js ${version} is too old`, 'Install Node.js 24.');
  if (major < MAINTAINED_NODE)
    return warn('node', `Node.js ${version} no longer gets security fixes`, 'Install Node.js 24.');
  return ok('node', `Node.js ${version}`);
}

/** Returns the version of the C library if it is glibc. */
export function glibcVersion(): string | undefined {
  // Looking up the names of peers takes seconds.
  Object.assign(process.report, { excludeNetwork: true });
  const { header } = z
    .object({ header: z.object({ glibcVersionRuntime: z.string().optional() }) })
    .parse(process.report.getReport());
  return header.glibcVersionRuntime;
}

/** Checks that Linux has glibc, as ONNX Runtime needs. @param glibc its version; undefined: another C library */
export function checkCLibrary(platform: NodeJS.Platform, glibc: string | undefined): Finding {
  if (platform !== 'linux') return ok('c library', `that of ${platform}`);
  return glibc === undefined
    ? fail(
        'c library',
        'this Linux has no glibc (musl, as Alpine?), which ONNX Runtime needs',
        'Run workers on Debian, Ubuntu or Fedora, or in the images.',
      )
    : ok('c library', `glibc ${glibc}`);
}

const GIGABYTE = 1e9;
const MIN_GIGABYTES = 0.5;
const LOW_GIGABYTES = 5;

/** Returns the nearest folder that exists: before the first start there is none. */
const nearestFolder = (folder: string): string =>
  existsSync(folder) ? folder : nearestFolder(dirname(folder));

/** Checks that there is disk space for images. */
export async function checkDisk(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(nearestFolder(folder));
  const free = (bavail * bsize) / GIGABYTE;
  const detail = `${free.toFixed(1)} GB free for ${folder}`;
  const advice =
    'Free disk space, retain results for less time (selvage retention), or use STORE=s3.';
  if (free < MIN_GIGABYTES) return fail('disk', detail, advice);
  return free < LOW_GIGABYTES ? warn('disk', detail, advice) : ok('disk', detail);
}

/** Listens on a port for a moment. Throws the system's error if it cannot. */
async function tryListen(host: string, port: number): Promise<void> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}

/** Checks that the port is used by the gateway or free. @param isGateway whether a gateway responds there */
export async function checkPort(host: string, port: number, isGateway: boolean): Promise<Finding> {
  const address = `${host}:${port}`;
  if (isGateway) return ok('port', `the gateway responds on ${address}`);
  try {
    await tryListen(host, port);
    return warn('port', `${address} is free: no gateway is running`, `Start one: ${START}`);
  } catch (error) {
    const code = codeOf(error);
    return code === 'EADDRINUSE'
      ? fail('port', `another program uses ${address}`, 'Stop it, or choose another PORT.')
      : fail('port', `${address} cannot be listened on (${code})`, 'Choose another HOST or PORT.');
  }
}
