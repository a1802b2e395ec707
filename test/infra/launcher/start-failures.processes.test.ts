import { chmod, chown, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { findProgram } from '../../../infra/launcher/processes.mjs';
import { listen } from '../../support/free-port.ts';
import { run } from '../../support/processes.ts';
import { isMissing } from '../../support/requirement.ts';
import { testFolder } from '../../support/use-folder.ts';
import { launcherEnv, runLauncher } from './run-launcher.ts';

let dir: string;
beforeEach(async () => {
  dir = await testFolder();
});

const SMALL = { PORT: '0', WORKER_CONCURRENCY: '1' };

/** What a start prints that fails, without a stack. */
async function failure(env: NodeJS.ProcessEnv = {}, before: readonly string[] = []) {
  const launcher = runLauncher(dir, ['start'], { ...SMALL, ...env }, before);
  expect(await launcher.ended(), launcher.output()).toBe(1);
  expect(launcher.output()).not.toMatch(/^ +at .*\(?(node:|file:|\/)/m);
  return launcher.output();
}

/** Starts, stops, and leaves the home. */
async function runOnce(env: NodeJS.ProcessEnv = {}) {
  const launcher = runLauncher(dir, ['start', '--json'], { ...SMALL, ...env });
  await launcher.line((line) => line.startsWith('{'));
  expect(await launcher.end('SIGINT')).toBe(0);
  return launcher.output();
}

const inHome = (file: string) => join(dir, 'home', file);

describe('a start says in words', () => {
  test('that its home is a file', async () => {
    await writeFile(join(dir, 'home'), '');
    expect(await failure()).toMatch(
      /ENOTDIR: not a directory.*home.*\nPart of that path is a file/,
    );
  });

  const isRoot = process.getuid?.() === 0 && findProgram('setpriv') !== undefined;
  const noRoot = isMissing('program:setpriv', isRoot, 'only root can start as another user');
  test.skipIf(noRoot)('that its home belongs to another user', async () => {
    const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
    await chmod(dir, 0o755);
    await mkdir(join(dir, 'home'), { mode: 0o700 });
    expect(await failure({}, asNobody)).toMatch(
      /EACCES: permission denied.*home\/instance\.json.*\n.*belongs to user 0, and this is user 65534/,
    );
    await chown(join(dir, 'home'), 65534, 65534);
    await writeFile(inHome('dev-key'), 'a-key-of-root-that-nobody-else-may-read', { mode: 0o600 });
    expect(await failure({}, asNobody)).toMatch(
      /EACCES: permission denied.*home\/dev-key.*\n.*belongs to user 0, and this is user 65534/,
    );
  });

  test('that the key file holds half a key', async () => {
    await mkdir(join(dir, 'home'));
    await writeFile(inHome('dev-key'), 'slv_0123456789abcdefghijABCDEFGHIJklm');
    expect(await failure()).toContain(`${inHome('dev-key')} holds no whole key`);
  });

  test('that the port of its metrics is in use', async () => {
    const server = createServer();
    onTestFinished(() => void server.close());
    const METRICS_PORT = String(await listen(server));
    expect(await failure({ METRICS_PORT })).toMatch(
      /The gateway cannot start \(exit code 1\)\.\n +listen EADDRINUSE: address already in use/,
    );
  });

  test('that there is no such model', async () => {
    expect(await failure({ MODEL: 'none' })).toMatch(/\n +There is no model "none"; there are /);
  });

  test('that its secrets are damaged', async () => {
    await mkdir(join(dir, 'home'));
    await writeFile(inHome('secrets.json'), '{"keyPepper": "0123456');
    expect(await failure()).toContain(`${inHome('secrets.json')} is damaged`);
  });
});

test('empty files of a start that failed count as absent', async () => {
  await mkdir(join(dir, 'home'));
  for (const file of ['dev-key', 'secrets.json', 'instance.json'])
    await writeFile(inHome(file), '');
  await runOnce();
  expect(await readFile(inHome('dev-key'), 'utf8')).toMatch(/^slv_\w{36}\n$/);
  expect(JSON.parse(await readFile(inHome('secrets.json'), 'utf8'))).toHaveProperty('keyPepper');
});

/** The only program of its kind on PATH. */
async function pathWith(server: string): Promise<string> {
  const folder = join(dir, 'bin');
  await mkdir(folder);
  await symlink(findProgram('redis-server', 'valkey-server')!, join(folder, server));
  return folder;
}

test.each(['redis-server', 'valkey-server'])(
  'a damaged append-only file is shown with the reason of %s and what mends it',
  async (server) => {
    const PATH = await pathWith(server);
    await runOnce({ PATH });
    const file = inHome('redis/appendonlydir/appendonly.aof.1.incr.aof');
    const bytes = await readFile(file);
    const command = bytes.indexOf('\r\n*', Math.floor(bytes.length / 2));
    bytes.fill('x', command, command + 10);
    await writeFile(file, bytes);
    const output = await failure({ PATH });
    expect(output).toContain('The Redis cannot start (exit code 1).');
    expect(output).toContain('Bad file format reading the append only file');
    expect(output).toContain(inHome('redis/redis.log'));

    // The program goes by the name it is called with.
    const check = join(dir, 'bin', server.replace('server', 'check-aof'));
    const real = findProgram('redis-check-aof', 'valkey-check-aof');
    await writeFile(check, `#!/bin/sh\nexec ${real} "$@"\n`, { mode: 0o755 });
    const commands = output.split('\n').filter((line) => /^ {2}(cp|cd) /.test(line));
    expect(commands).toHaveLength(2);
    const mend = run('sh', ['-ec', commands.join('\n').replace('&& ', '&& yes | ')], {
      PATH: `${PATH}:${process.env.PATH}`,
    });
    expect(await mend.exited, mend.output()).toBe(0);
    await runOnce({ PATH });
  },
);

test('a gateway that other machines reach is warned about, and no other', async () => {
  const warning = /^HOST=0\.0\.0\.0: other machines reach the gateway, over plain HTTP/m;
  expect(await runOnce({ HOST: '0.0.0.0' })).toMatch(warning);
  expect(await runOnce({ HOST: 'localhost' })).not.toContain('other machines');
});

const noScript = isMissing(
  'program:script',
  findProgram('script') !== undefined,
  'there is no script',
);
test.skipIf(noScript)('a person at a terminal sees the generated key, once', async () => {
  const greeting = async () => {
    const command = `${process.execPath} infra/launcher/main.mjs start`;
    const terminal = run('script', ['-qec', command, '/dev/null'], launcherEnv(dir, SMALL));
    onTestFinished(async () => void (await terminal.end()));
    await terminal.line((line) => line.includes('Press Ctrl-C to stop'));
    await terminal.end();
    return terminal.output();
  };
  const first = await greeting();
  const key = (await readFile(inHome('dev-key'), 'utf8')).trim();
  expect(first).toMatch(new RegExp(`^  Key +${key} `, 'm'));
  expect(first).toContain(`/#key=${key}`);
  expect(await greeting()).not.toContain(key);
});
