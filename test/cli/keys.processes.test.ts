import { describe, expect, test } from 'vitest';
import { selvageProgram } from '../../src/cli/program.ts';
import { toExitCode } from '../../src/cli/terminal/error-report.ts';
import { readSecrets } from '../../src/platform/secrets.ts';
import { freePort } from '../support/free-port.ts';
import { runProgram } from '../support/processes.ts';
import { useFolder } from '../support/use-folder.ts';
import { useRedis } from '../support/use-redis.ts';

const { server: redis } = await useRedis();
const home = await useFolder();
readSecrets(home); // as a gateway does

/** Runs the command as a user would, and waits for its exit. */
async function selvage(args: string[], env: NodeJS.ProcessEnv = {}) {
  const running = runProgram('src/cli/main.ts', args, {
    SELVAGE_HOME: home,
    REDIS_URL: redis.url,
    ...env,
  });
  const code = await running.exited;
  return { code, output: running.output() };
}

const createFor = (client: string, scopes: string) => [
  'keys',
  'create',
  '--client',
  client,
  '--scopes',
  scopes,
];
const CREATE = createFor('acme', 'background-removal:process,taxonomy:classify');

describe('keys', () => {
  test('are created with JSON output, and listed without their secrets', async () => {
    const limits = '--rate 60/min --quota 1000/day --max-feeds 7 --feed-interval 1h'.split(' ');
    const created = await selvage([...CREATE, ...limits, '--allow-base64', '--json']);
    expect(created.code).toBe(0);
    const { key, id } = JSON.parse(created.output);
    expect(key).toMatch(/^slv_[0-9A-Za-z]{36}$/);

    const listed = await selvage(['keys', 'list', '--json']);
    expect(JSON.parse(listed.output)).toEqual([
      expect.objectContaining({
        id,
        client: 'acme',
        scopes: ['background-removal:process', 'taxonomy:classify'],
        rate: { count: 60, periodSeconds: 60 },
        quotaPerDay: 1000,
        maxFeeds: 7,
        feedIntervalSeconds: 3600,
        allowBase64: true,
      }),
    ]);
    expect(listed.output).not.toContain(key);

    const rotated = JSON.parse(
      (await selvage(['keys', 'rotate', id, '--grace', '1h', '--json'])).output,
    );
    expect(rotated.key).not.toBe(key);
    const revoked = await selvage(['keys', 'revoke', id]);
    expect(revoked).toMatchObject({ code: 0, output: `${id} is revoked` });
    const table = (await selvage(['keys', 'list'])).output;
    expect(table).toMatch(/^id +client +key +state/);
    expect(table).toMatch(new RegExp(`${id} +acme +slv_\\w+… +revoked`));
  });

  test.each([
    ['an unknown scope', createFor('a', 'everything'), /Unknown scope everything; the scopes are/],
    ['an invalid rate', [...CREATE, '--rate', 'fast'], /60\/min/],
    ['a client with spaces', createFor('a b', 'taxonomy:classify'), /A client must be/],
    ['no required options', ['keys', 'create'], /required option/],
    ['an unknown command', ['keys', 'frobnicate'], /unknown command/],
  ])('given %s, it exits with 2 and says what is wrong', async (_, args, sentence) => {
    const program = selvageProgram(new AbortController().signal);
    const error = await program.parseAsync(args, { from: 'user' }).catch((error) => error);
    expect(toExitCode(error)).toBe(2);
    expect(error.message).toMatch(sentence);
  });

  test('that do not exist cannot be revoked', async () => {
    expect(await selvage(['keys', 'revoke', 'key_none'])).toEqual({
      code: 1,
      output: 'selvage: There is no key key_none; "keys list" shows all keys',
    });
  });

  test('without Redis, it says how to start one', async () => {
    const { code, output } = await selvage(['keys', 'list'], {
      REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
    });
    expect(code).toBe(3);
    expect(output).toMatch(/npm start/);
  });
});

test('access is requested, listed and approved', async () => {
  const who = '--client shop --contact dev@shop.example --scopes look-engine:compute'.split(' ');
  const note = ['--note', 'winter campaign'];
  const requested = await selvage(['access', 'request', ...who, ...note, '--json']);
  const { id } = JSON.parse(requested.output);
  expect((await selvage(['access', 'list'])).output).toMatch(
    new RegExp(`${id} +shop +dev@shop.example +pending`),
  );
  const { key } = JSON.parse((await selvage(['access', 'approve', id, '--json'])).output);
  expect(key).toMatch(/^slv_/);
  expect((await selvage(['access', 'deny', id])).output).toMatch(/already approved/);
});

test('retention is set for a client, listed and cleared, and a key has its own', async () => {
  const set = ['retention', 'set', '--client', 'shop', 'output=1h,record=2d', '--json'];
  expect(JSON.parse((await selvage(set)).output)).toEqual({
    client: 'shop',
    policy: { outputSeconds: 3600, recordSeconds: 172_800 },
  });
  expect((await selvage(['retention', 'list'])).output).toMatch(/shop +3600s +172800s/);
  await selvage([...CREATE, '--retention', 'none']);
  const keys = JSON.parse((await selvage(['keys', 'list', '--json'])).output);
  expect(keys.at(-1)).toMatchObject({ retention: { store: 'none' } });
  await selvage(['retention', 'clear', '--client', 'shop']);
  expect((await selvage(['retention', 'list'])).output).not.toMatch(/3600s/);
  const wrong = await selvage(['retention', 'set', '--client', 'shop', 'pixels=1h']);
  expect(wrong).toMatchObject({ code: 2, output: expect.stringMatching(/"pixels=1h" is not/) });
});
