import { afterAll, expect, test } from 'vitest';
import { mintKey, SCOPES, type Scope } from '../../src/auth/key-record.ts';
import type { Keys } from '../../src/auth/keys.ts';
import { openKeyRegister } from '../console/key-register.ts';
import type { Stack } from '../support/stack.ts';
import { ACCESS, type Access, UNDOCUMENTED } from './access-table.ts';
import { readOperations } from './operations.ts';

const nameOf = ({ method, path }: Pick<Access, 'method' | 'path'>) => `${method} ${path}`;

/** Scopes of operations that `/intake` runs: others open nothing there. */
const INTAKE_SCOPES: readonly Scope[] = ['background-removal:process', 'taxonomy:classify'];

/** Returns the status for a live key with only this scope. */
function expected({ needs, right, authorized }: Access, scope: Scope): number {
  const isScoped = needs === 'nobody' || needs === 'any' || needs === scope;
  const isGranted = right === undefined || INTAKE_SCOPES.includes(scope);
  return isScoped && isGranted ? authorized : 403;
}

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

/** Returns the status of every endpoint for a key. */
async function statusesFor(url: string, key: string | undefined): Promise<Record<string, number>> {
  const statuses = ACCESS.map(async (row) => [nameOf(row), await statusOf(url, row, key)] as const);
  return Object.fromEntries(await Promise.all(statuses));
}

/** Keys that are not, or no longer, live; named by the reason. */
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

/** Requests every endpoint with keys of every kind, and compares the statuses with the table. */
export async function accessCases(stack: Stack): Promise<void> {
  const { keys, redis } = await openKeyRegister(stack);
  afterAll(() => redis.disconnect());

  test('the table has every endpoint and no other', async () => {
    const documented = await readOperations(stack.url);
    const listed = ACCESS.filter(({ path }) => !UNDOCUMENTED.includes(path)).map(nameOf);
    const named = documented.map(({ method, path }) => `${method} ${path}`);
    expect(listed.sort()).toEqual(named.sort());
  });

  test('every path tells its methods without a key, and HEAD is answered as GET', async () => {
    for (const path of new Set(ACCESS.map((row) => row.path))) {
      if (UNDOCUMENTED.includes(path)) continue; // a page of its own, with another way to sign in
      const ask = (method: string) =>
        fetch(stack.url + path.replaceAll(/\{\w+\}/g, 'never-was'), {
          method,
          redirect: 'manual',
        });
      const own: string[] = ACCESS.filter((row) => row.path === path).map((row) => row.method);
      const allow = [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort();
      const allowOf = ({ headers }: Response) => headers.get('allow')?.split(', ').sort();
      const asked = await ask('OPTIONS');
      expect([asked.status, await asked.text(), allowOf(asked)], path).toEqual([204, '', allow]);
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        if (allow.includes(method)) continue;
        const refused = await ask(method);
        expect([refused.status, allowOf(refused)], `${method} ${path}`).toEqual([405, allow]);
        await refused.arrayBuffer();
      }
      if (!own.includes('GET')) continue;
      const [head, got] = [await ask('HEAD'), await ask('GET')];
      expect([head.status, await head.text()], path).toEqual([got.status, '']);
      expect(head.headers.get('content-type'), path).toBe(got.headers.get('content-type'));
      await got.arrayBuffer();
    }
  });

  test.each(SCOPES)(
    'a key is authorized for exactly the endpoints of its scope: %s',
    async (scope) => {
      const client = scope.replace(':', '.');
      const { key } = await stack.key({ client, scopes: [scope] });
      const rotating = { client: `${client}.rotating`, scopes: [scope] };
      const { key: rotatedInGrace, record } = await stack.key(rotating);
      const { key: successor } = await keys.rotate(record.id, 3600);
      const expectedStatuses = Object.fromEntries(
        ACCESS.map((row) => [nameOf(row), expected(row, scope)]),
      );
      for (const live of [key, rotatedInGrace, successor])
        expect(await statusesFor(stack.url, live)).toEqual(expectedStatuses);
    },
  );

  test('a key that is not live is authorized for nothing', async () => {
    const expectedStatuses = Object.fromEntries(
      ACCESS.map((row) => [
        nameOf(row),
        row.needs === 'nobody' ? row.authorized : (row.unauthorized ?? 401),
      ]),
    );
    const dead = Object.entries(await deadKeys(stack, keys));
    expect(dead).toHaveLength(6);
    for (const [what, key] of dead)
      expect(await statusesFor(stack.url, key), what).toEqual(expectedStatuses);
  });
}
