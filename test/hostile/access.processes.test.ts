import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { declareSources } from '../support/sources.ts';
import { useFolder } from '../support/use-folder.ts';
import { useStack } from '../support/use-stack.ts';
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

const folder = await useFolder();
const [from, to] = ['in', 'out'].map((name) => ({ kind: 'folder', path: join(folder, name) }));
const { stack, key } = await useStack({
  MAX_CONNECTIONS: String(MOST),
  REQUEST_TIMEOUT_SECONDS: '600',
  SOURCES_FILE: await declareSources(folder, [{ id: 'shelf', client: 'owner', from, to }]),
});

await accessCases(stack);
foreignCases(stack);
nameCases(stack, key);
idleCases(stack, MOST);
