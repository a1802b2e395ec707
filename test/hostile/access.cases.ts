import type { Redis } from 'ioredis';
import { beforeAll, describe, expect, test } from 'vitest';
import { mintKey } from '../../src/auth/api-key.ts';
import { createKeys, type Keys } from '../../src/auth/keys.ts';
import { SCOPES, type Scope } from '../../src/auth/scopes.ts';
import { createLog } from '../../src/platform/log.ts';
import { commandConnection, untilReady } from '../../src/platform/redis.ts';
import { readSecrets } from '../../src/platform/secrets.ts';
import type { Stack } from '../support/stack.ts';
import { ACCESS, type Access, UNDOCUMENTED } from './access-table.ts';
import { readOperations } from './operations.ts';

const nameOf = ({ method, path }: Pick<Access, 'method' | 'path'>) => `${method} ${path}`;

/** What a key that is live and has this scope alone is answered. */
const expected = ({ needs, letIn }: Access, scope: Scope): number =>
  needs === 'nobody' || needs === 'any' || needs === scope ? letIn : 403;

async function statusOf(url: string, { method, path, body }: Access, key: string | undefined) {
  const response = await fetch(`${url}${path.replaceAll(/\{\w+\}/g, 'never-was')}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** What every endpoint answers to a key. */
async function answersTo(url: string, key: string | undefined): Promise<Record<string, number>> {
  const answers = ACCESS.map(async (row) => [nameOf(row), await statusOf(url, row, key)] as const);
  return Object.fromEntries(await Promise.all(answers));
}

/** Keys that are not, or no longer, live: each by the way it came to be so. */
async function deadKeys(stack: Stack, keys: Keys): Promise<Record<string, string | undefined>> {
  const revoked = await stack.key();
  await keys.revoke(revoked.record.id);
  const rotated = await stack.key();
  await keys.rotate(rotated.record.id, 0);
  const { key } = await stack.key();
  const other = key.endsWith('0') ? '1' : '0';
  return {
    'no key': undefined,
    'a key of another installation': mintKey(),
    'a key with another last letter': key.slice(0, -1) + other,
    'half a key': key.slice(0, 20),
    'a revoked key': revoked.key,
    'a rotated key after its grace': rotated.key,
  };
}

/** Every endpoint, by keys of every kind, against a table of its own. */
export function accessCases(stack: () => Stack): void {
  let keys: Keys;
  let redis: Redis;
  beforeAll(async () => {
    redis = commandConnection(stack().redis.url, createLog('test', 'silent'));
    await untilReady(redis, AbortSignal.timeout(5000));
    keys = createKeys(redis, readSecrets(stack().home).keyPepper);
    return () => redis.disconnect();
  });

  test('every endpoint there is stands in the table, and no other', async () => {
    const documented = await readOperations(stack().url);
    const listed = ACCESS.filter(({ path }) => !UNDOCUMENTED.includes(path)).map(nameOf);
    const named = documented.map(({ method, path }) => `${method} ${path}`);
    expect(listed.sort()).toEqual(named.sort());
  });

  describe('a key lets in to what its scope covers, and to nothing else:', () => {
    test.each(SCOPES)('%s', async (scope) => {
      const { key } = await stack().key({ scopes: [scope] });
      const { key: rotatedInGrace, record } = await stack().key({ scopes: [scope] });
      const { key: successor } = await keys.rotate(record.id, 3600);
      const wanted = Object.fromEntries(ACCESS.map((row) => [nameOf(row), expected(row, scope)]));
      for (const live of [key, rotatedInGrace, successor])
        expect(await answersTo(stack().url, live)).toEqual(wanted);
    });
  });

  test('a key that is not live opens nothing, however it came to be so', async () => {
    const wanted = Object.fromEntries(
      ACCESS.map((row) => [nameOf(row), row.needs === 'nobody' ? row.letIn : (row.keptOut ?? 401)]),
    );
    for (const [what, key] of Object.entries(await deadKeys(stack(), keys)))
      expect(await answersTo(stack().url, key), what).toEqual(wanted);
  });
}
