import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { declareSources } from '../support/sources.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { accessCases } from './access.cases.ts';
import { foreignCases } from './foreign.cases.ts';
import { idleCases } from './idle.cases.ts';
import { nameCases } from './names.cases.ts';

/** As many as one process may have open on this machine, 10,000 at most. */
function maxConnections(): number {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const open = Number(/^Max open files +\d+ +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  return Math.min(10_000, Math.floor((open - 500) / 100) * 100);
}
const MOST = maxConnections();

let stack: Stack;
let key: string;
let folder: string;
const running = () => stack;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'selvage-access-'));
  const [from, to] = ['in', 'out'].map((name) => ({ kind: 'folder', path: join(folder, name) }));
  stack = await startStack({
    MAX_CONNECTIONS: String(MOST),
    REQUEST_TIMEOUT_SECONDS: '600',
    SOURCES_FILE: await declareSources(folder, [{ id: 'shelf', client: 'owner', from, to }]),
  });
  ({ key } = await stack.key());
});
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

accessCases(running);
foreignCases(running);
nameCases(running, () => key);
idleCases(running, MOST);
