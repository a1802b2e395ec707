import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { isAlive, waitForExit } from '../../../infra/launcher/processes.mjs';
import { sendCommand } from '../../../infra/launcher/resp.mjs';
import { freePort } from '../../support/free-port.ts';
import type { Running } from '../../support/processes.ts';
import { startRedis } from '../../support/redis-server.ts';
import { testFolder } from '../../support/use-folder.ts';
import { runLauncher } from './run-launcher.ts';

/** Each test has its own folder for its home and temporary files. */
let dir: string;
beforeEach(async () => {
  dir = await testFolder();
});

const launch = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  runLauncher(dir, args, env);

const withRedis = (script: string, env?: NodeJS.ProcessEnv) =>
  launch(['with-redis', '--', process.execPath, '-e', script], env);

const answersPing = (url: string): Promise<boolean> =>
  sendCommand(url, ['PING']).then(
    (answer) => answer === 'PONG',
    () => false,
  );

/** Creates a PATH with only these programs. */
async function pathOf(...programs: string[]): Promise<string> {
  const folder = join(dir, 'bin');
  await mkdir(folder);
  for (const program of programs) await symlink(program, join(folder, 'node'));
  return folder;
}

/** Occupies a port until the test ends. */
async function takenPort(): Promise<number> {
  const port = await freePort();
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return port;
}

const SAY_URL = 'console.log("url " + process.env.REDIS_URL);';
const STAY = 'setInterval(() => {}, 1000);';
const urlIn = async (launcher: Running): Promise<string> =>
  (await launcher.line((line) => line.startsWith('url '))).slice('url '.length);

describe('a command with its own Redis', () => {
  test('has a durable one that only it can use, and that ends with it', async () => {
    const launcher = withRedis(SAY_URL + STAY);
    const url = await urlIn(launcher);
    const redis = new Redis(url);
    const durable = {
      appendonly: 'yes',
      appendfsync: 'everysec',
      'maxmemory-policy': 'noeviction',
    };
    for (const [name, value] of Object.entries({ ...durable, bind: '127.0.0.1' })) {
      expect(await redis.config('GET', name)).toEqual([name, value]);
    }
    redis.disconnect();
    const stranger = new URL(url);
    stranger.password = '';
    await expect(sendCommand(stranger.href, ['PING'])).rejects.toThrow('NOAUTH');

    expect(await launcher.end('SIGINT')).toBe(130);
    expect(await answersPing(url)).toBe(false);
    expect(await readdir(dir)).toEqual([]);
  });

  test.each([0, 7])('forwards exit code %i, and leaves nothing behind', async (code) => {
    const launcher = withRedis(`${SAY_URL} process.exitCode = ${code};`);
    const url = await urlIn(launcher);
    expect(await launcher.ended()).toBe(code);
    expect(await answersPing(url)).toBe(false);
    expect(await readdir(dir)).toEqual([]);
  });

  test('gets one signal, even if npm forwards a Ctrl-C the terminal also sent', async () => {
    const launcher = withRedis(
      `process.on('SIGINT', () => { console.log('asked'); setTimeout(process.exit, 1000); });
       console.log('here'); ${STAY}`,
    );
    await launcher.line((line) => line === 'here');
    launcher.child.kill('SIGINT');
    launcher.child.kill('SIGINT');
    expect(await launcher.ended()).toBe(130);
    expect(launcher.output().match(/^asked$/gm)).toHaveLength(1);
    expect(launcher.output()).not.toContain('Stopping everything');
  });

  test('is killed by a second Ctrl-C', async () => {
    const launcher = withRedis(
      `process.on('SIGINT', () => setTimeout(() => console.log('deaf'), 600));
       console.log('pid ' + process.pid); ${STAY}`,
    );
    const pid = Number((await launcher.line((line) => line.startsWith('pid '))).slice(4));
    launcher.child.kill('SIGINT');
    await launcher.line((line) => line === 'deaf');
    launcher.child.kill('SIGINT');
    expect(await launcher.ended()).toBe(130);
    expect(isAlive(pid)).toBe(false);
    expect(await readdir(dir)).toEqual([]);
  });

  test('that does not exist is reported in one sentence', async () => {
    const launcher = launch(['with-redis', '--', 'no-such-program']);
    expect(await launcher.ended()).toBe(1);
    expect(launcher.output()).toContain('no-such-program cannot be run');
    expect(await readdir(dir)).toEqual([]);
  });

  test('uses the Redis of REDIS_URL, and leaves it running', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const launcher = withRedis(SAY_URL, { REDIS_URL: redis.url });
    expect(await urlIn(launcher)).toBe(redis.url);
    expect(await launcher.ended()).toBe(0);
    expect(await answersPing(redis.url)).toBe(true);
  });

  test('is not run if the Redis of REDIS_URL does not respond; the password is not shown', async () => {
    const port = await freePort();
    const launcher = withRedis('console.log("ran")', {
      REDIS_URL: `redis://:hush@127.0.0.1:${port}`,
    });
    expect(await launcher.ended()).toBe(1);
    expect(launcher.output()).toContain(
      `REDIS_URL is set, but no Redis answers PING at 127.0.0.1:${port} (ECONNREFUSED)`,
    );
    expect(launcher.output()).not.toMatch(/hush|^ran$/m);
  });

  test('is not run without a Redis; the command that installs one is shown', async () => {
    const launcher = withRedis('console.log("ran")', { PATH: await pathOf(process.execPath) });
    expect(await launcher.ended()).toBe(1);
    expect(launcher.output()).toMatch(/(install|add|-S) .*(redis|valkey)|https:\/\/redis\.io/);
    expect(launcher.output()).not.toMatch(/^ran$/m);
  });
});

test('the tests run with the given arguments, and their exit code is forwarded', async () => {
  const good = launch(['test', 'test/platform/config.test.ts']);
  expect(await good.ended()).toBe(0);
  expect(good.output()).toMatch(/Tests .*passed/);
  const none = launch(['test', 'no-test-has-this-name']);
  expect(await none.ended()).toBe(1);
});

describe('a start', () => {
  const HOME_KEEPS = ['dev-key', 'logs', 'redis', 'secrets.json', 'store'];

  /** Starts everything and waits for its ready line. */
  async function started(env: NodeJS.ProcessEnv = {}) {
    const launcher = launch(['start', '--json'], { PORT: '0', WORKER_CONCURRENCY: '1', ...env });
    const instance: {
      url: string;
      redisUrl: string;
      keyFile: string;
      home: string;
      pids: { launcher: number; gateway: number; worker: number; redis: number };
    } = JSON.parse(await launcher.line((line) => line.startsWith('{')));
    onTestFinished(async () => {
      for (const pid of Object.values(instance.pids))
        if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    });
    return { launcher, ...instance };
  }

  const noted = async () => JSON.parse(await readFile(join(dir, 'home/instance.json'), 'utf8'));

  test('prints its URL, protects its secrets, and leaves no process behind', async () => {
    const { launcher, url, keyFile, home, redisUrl, pids } = await started();
    expect(home).toBe(join(dir, 'home'));
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await readFile(keyFile, 'utf8')).trim()).toMatch(/^slv_[0-9A-Za-z]{36}$/);
    expect(await noted()).toMatchObject({ url, redisUrl, pids, startedAt: expect.any(String) });
    for (const secret of ['instance.json', 'dev-key', 'redis/redis.conf', 'logs/gateway.log']) {
      expect((await stat(join(home, secret))).mode & 0o777, secret).toBe(0o600);
    }
    expect((await stat(home)).mode & 0o777).toBe(0o700);

    const second = launch(['start'], { PORT: '0' });
    expect(await second.ended(), 'a second start under the same home').toBe(1);
    expect(second.output()).toContain(`${url} (process ${pids.launcher})`);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);

    expect(await launcher.end('SIGINT')).toBe(0);
    for (const pid of Object.values(pids)) expect(isAlive(pid)).toBe(false);
    expect((await readdir(home)).sort()).toEqual(HOME_KEEPS);
    expect(launcher.output()).not.toContain('worker info');
    expect(await readFile(join(home, 'logs/worker.log'), 'utf8')).toContain('worker ready');
  });

  test('keeps key and data between starts, after a stop and after a kill', async () => {
    const first = await started();
    const key = await readFile(first.keyFile, 'utf8');
    await sendCommand(first.redisUrl, ['SET', 'kept', 'yes']);
    expect(await first.launcher.end('SIGTERM')).toBe(0);
    const second = await started();
    expect(await readFile(second.keyFile, 'utf8')).toBe(key);
    expect(await sendCommand(second.redisUrl, ['GET', 'kept'])).toBe('yes');

    await second.launcher.end('SIGKILL');
    expect(isAlive(second.pids.gateway)).toBe(true);
    const third = await started();
    for (const [name, pid] of Object.entries(second.pids)) expect(isAlive(pid), name).toBe(false);
    expect(await sendCommand(third.redisUrl, ['GET', 'kept'])).toBe('yes');
    expect((await fetch(`${third.url}/readyz`)).status).toBe(200);
    expect(await third.launcher.end('SIGHUP')).toBe(0);
  });

  test('names the file of the generated key, and logs no key', async () => {
    const launcher = launch(['start', '--verbose'], { PORT: '0', WORKER_CONCURRENCY: '1' });
    await launcher.line((line) => line.includes('Press Ctrl-C to stop'));
    expect(await launcher.end()).toBe(0);
    const file = join(dir, 'home/dev-key');
    const key = (await readFile(file, 'utf8')).trim();
    expect(launcher.output()).not.toContain(key);
    expect(launcher.output()).toMatch(new RegExp(`^  Key +in ${file}$`, 'm'));
    expect(launcher.output()).toContain(`-H "Authorization: Bearer $(cat ${file})"`);
    for (const log of ['gateway.log', 'worker.log', 'redis.log']) {
      const folder = log === 'redis.log' ? 'redis' : 'logs';
      expect(await readFile(join(dir, 'home', folder, log), 'utf8')).not.toContain(key);
    }
  });

  test('uses the key of SELVAGE_DEV_KEY, and shows every log line if requested', async () => {
    const SELVAGE_DEV_KEY = 'a-key-of-my-own-choice-with-32-letters-or-more';
    const loud = launch(['start', '--verbose'], { PORT: '0', SELVAGE_DEV_KEY });
    await loud.line((line) => line.startsWith('worker info: worker ready'));
    await loud.line((line) => line.includes('Press Ctrl-C to stop'));
    const { url } = await noted();
    const headers = { authorization: `Bearer ${SELVAGE_DEV_KEY}` };
    expect((await fetch(`${url}/intake/v1/usage`, { headers })).status).toBe(200);
    expect(await readdir(join(dir, 'home'))).not.toContain('dev-key');
    expect(await loud.end()).toBe(0);
    expect(loud.output()).toMatch(/^ {2}Key +in SELVAGE_DEV_KEY$/m);
    expect(loud.output()).not.toContain(SELVAGE_DEV_KEY);
  });

  test('restarts any of its processes that is killed', async () => {
    const { launcher, url } = await started();
    for (const name of ['gateway', 'worker', 'redis'] as const) {
      const pid: number = (await noted()).pids[name];
      process.kill(pid, 'SIGKILL');
      await waitForExit(pid, 10_000);
      await expect.poll(async () => (await noted()).pids[name]).not.toBe(pid);
      const isReady = () =>
        fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
      await expect.poll(isReady).toBe(true);
    }
    const restarts = launcher.output().match(/exited unexpectedly \(SIGKILL\); restarting it/g);
    expect(restarts).toHaveLength(3);
    expect(await launcher.end('SIGINT')).toBe(0);
    expect(await readdir(join(dir, 'home'))).toEqual(expect.not.arrayContaining(['instance.json']));
  });

  test('that is interrupted leaves nothing running', async () => {
    const launcher = launch(['start', '--json'], { PORT: '0' });
    await launcher.line((line) => line.includes('Starting gateway and worker'));
    const { pids } = await noted();
    expect(Object.keys(pids).sort()).toEqual(['gateway', 'launcher', 'redis', 'worker']);
    expect(await launcher.end('SIGINT')).toBe(130);
    for (const pid of Object.values<number>(pids)) expect(isAlive(pid)).toBe(false);
    expect(await readdir(join(dir, 'home'))).not.toContain('instance.json');
    expect(launcher.output()).not.toContain('Error');
  });

  test('fails before it starts anything if the port is in use', async () => {
    const port = await takenPort();
    const launcher = launch(['start'], { PORT: String(port) });
    expect(await launcher.ended()).toBe(1);
    expect(launcher.output()).toContain(`Port ${port} on 127.0.0.1 is in use`);
    expect(await readdir(join(dir, 'home'))).toEqual([]);
  });

  test.each([
    { title: 'a port that is no number', env: { PORT: 'http' }, says: 'PORT must be a number' },
    { title: 'a port out of range', env: { PORT: '65536' }, says: 'PORT must be a number' },
    { title: 'a host that is not here', env: { HOST: '192.0.2.1' }, says: 'on 192.0.2.1 cannot' },
    {
      title: 'a setting the gateway rejects',
      env: { SYNC_TIMEOUT_SECONDS: 'soon' },
      says: 'SYNC_TIMEOUT_SECONDS',
    },
  ])('ends on $title, with a message', async ({ env, says }) => {
    const launcher = launch(['start'], { PORT: '0', ...env });
    expect(await launcher.ended()).toBe(1);
    expect(launcher.output()).toContain(says);
  });
});

test.each([
  { args: ['--help'], code: 0 },
  { args: ['start', '--help'], code: 0 },
  { args: [], code: 2 },
  { args: ['begin'], code: 2 },
])('$args shows the usage', async ({ args, code }) => {
  const launcher = launch(args);
  expect(await launcher.ended()).toBe(code);
  expect(launcher.output()).toContain('npm start');
});

test('an unknown option is rejected by name', async () => {
  const launcher = launch(['start', '--jsno']);
  expect(await launcher.ended()).toBe(1);
  expect(launcher.output()).toContain("'--jsno'");
});
