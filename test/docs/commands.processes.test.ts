import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { type Running, run } from '../support/processes.ts';
import { isOnPath, reportMissing } from '../support/requirement.ts';
import { ROOT } from '../support/root.ts';

/**
 * The commands of every page, run as a reader would: page by page, from top to bottom, in a folder
 * that looks like the repository, against an instance that `npm start` has started.
 */
const folder = await mkdtemp(join(tmpdir(), 'selvage-docs-'));
const home = join(folder, '.selvage');
let launcher: Running;
let url: string;
let filesPort: number;

beforeAll(async () => {
  for (const name of await readdir(ROOT)) {
    if (name !== '.selvage' && name !== '.git') await symlink(join(ROOT, name), join(folder, name));
  }
  filesPort = await freePort();
  launcher = run(process.execPath, ['infra/launcher/main.mjs', 'start', '--json'], {
    PORT: '0',
    SELVAGE_HOME: home,
    REDIS_URL: '',
    SELVAGE_DEV_KEY: '',
    FETCH_ALLOW: '127.0.0.0/8',
    ACCESS_REQUESTS: 'on',
  });
  url = JSON.parse(await launcher.line((line) => line.startsWith('{'))).url;
});
afterAll(async () => {
  await launcher.end('SIGTERM');
  await rm(folder, { recursive: true, force: true });
});

/** Commands the reader has already run, runs in another window, or runs on a machine with containers. */
const DONE_ELSEWHERE = [/^(\w+=\S+ )*npm (start|test)\b/, /^docker /, /^kubectl /];

interface Block {
  script: string;
  /** Programs it needs in addition: ` ```sh needs python3`. */
  needs: readonly string[];
}

/** The time limit of a page, which only ends one that hangs. */
const PAGE_MILLIS = 300_000;

const BLOCK = /^```sh(?: needs ([\w -]+))?\n([\s\S]*?)^```$/gm;

const blocksOf = (page: string): Block[] =>
  [...page.matchAll(BLOCK)].map(([, needs = '', script = '']) => ({
    script: script
      .split('\n')
      .filter((line) => !DONE_ELSEWHERE.some((done) => done.test(line)))
      .join('\n'),
    needs: needs.split(' ').filter(Boolean),
  }));

/** Replaces the default addresses of the pages by those of the started instance. */
const here = (script: string): string =>
  script.replaceAll('http://127.0.0.1:8080', url).replaceAll('9000', String(filesPort));

/** Stops at the first command that fails or gets an error response. */
const PRELUDE = `set -euo pipefail
curl() { command curl --fail-with-body --silent --show-error "$@"; }
KEY=$(cat .selvage/dev-key)
export SELVAGE_HOME=$PWD/.selvage
`;

async function runScript(script: string): Promise<{ code: unknown; output: string }> {
  const shell = spawn('bash', ['-c', PRELUDE + here(script)], {
    cwd: folder,
    detached: true,
    env: { ...process.env, REDIS_URL: '' }, // the reader has none set
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on('data', (bytes) => output.push(String(bytes)));
  }
  const [code] = await once(shell, 'exit');
  // Background processes of a page end with it.
  if (shell.pid) {
    try {
      process.kill(-shell.pid, 'SIGTERM');
    } catch {
      // there are none
    }
  }
  return { code, output: output.join('') };
}

const names = (await readdir(join(ROOT, 'docs'), { recursive: true }))
  .filter((name) => name.endsWith('.md') && !name.startsWith('adr/'))
  .map((name) => join('docs', name));

const pages = await Promise.all(
  ['README.md', ...names.sort()].map(async (name) => {
    const blocks = blocksOf(await readFile(join(ROOT, name), 'utf8'));
    const missing = blocks.flatMap(({ needs }) => needs).filter((program) => !isOnPath(program));
    return { name, script: blocks.map((block) => block.script).join('\n'), missing };
  }),
);

for (const { name, script, missing } of pages.filter(({ script }) => script.trim())) {
  for (const program of missing) reportMissing(`program:${program}`, `there is no ${program}`);
  const without = missing.length > 0 ? ` (skipped: ${missing.join(', ')} missing)` : '';
  test.skipIf(missing.length > 0)(
    `the commands of ${name} work${without}`,
    async () => {
      const { code, output } = await runScript(script);
      expect(code, output).toBe(0);
    },
    PAGE_MILLIS,
  );
}

test('every block of shell commands is marked `sh`, or it would not be tested', async () => {
  expect(names).toContain('docs/operations.md');
  const other = /^```(bash|shell|console)\b/m;
  for (const name of ['README.md', ...names]) {
    expect(await readFile(join(ROOT, name), 'utf8'), name).not.toMatch(other);
  }
});
