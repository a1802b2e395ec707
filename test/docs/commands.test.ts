import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort, ROOT, type Running, run } from '../support/processes.ts';

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
    ...{ PORT: '0', SELVAGE_HOME: home, REDIS_URL: '', SELVAGE_DEV_KEY: '' },
    FETCH_ALLOW: '127.0.0.0/8',
  });
  url = JSON.parse(await launcher.line((line) => line.startsWith('{'))).url;
});
afterAll(async () => {
  await launcher.end('SIGTERM');
  await rm(folder, { recursive: true, force: true });
});

/** What the reader has done already, does in another window, or does where there are containers. */
const DONE_ELSEWHERE = [/^(\w+=\S+ )*npm (start|test)\b/, /^docker /, /^kubectl /];

interface Block {
  script: string;
  /** Programs that it needs beside ours: ` ```sh needs python3`. */
  needs: readonly string[];
}

/** A page is as long as it is: this only ends one that hangs. */
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

const isHere = (program: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** The addresses of the pages are those of a first start on a free machine. */
const here = (script: string): string =>
  script.replaceAll('http://127.0.0.1:8080', url).replaceAll('9000', String(filesPort));

/** Stops at the first command that fails, an answer with an error among them. */
const PRELUDE = `set -euo pipefail
curl() { command curl --fail-with-body --silent --show-error "$@"; }
KEY=$(cat .selvage/dev-key)
export SELVAGE_HOME=$PWD/.selvage
`;

async function runScript(script: string): Promise<{ code: unknown; said: string }> {
  const shell = spawn('bash', ['-c', PRELUDE + here(script)], {
    cwd: folder,
    detached: true,
    env: { ...process.env, REDIS_URL: '' }, // that of these tests is not the reader's
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on('data', (bytes) => said.push(String(bytes)));
  }
  const [code] = await once(shell, 'exit');
  // What a page has put in the background ends with it.
  if (shell.pid) {
    try {
      process.kill(-shell.pid, 'SIGTERM');
    } catch {
      // nothing was
    }
  }
  return { code, said: said.join('') };
}

const names = (await readdir(join(ROOT, 'docs'), { recursive: true }))
  .filter((name) => name.endsWith('.md') && !name.startsWith('adr/'))
  .map((name) => join('docs', name));

const pages = await Promise.all(
  ['README.md', ...names.sort()].map(async (name) => {
    const blocks = blocksOf(await readFile(join(ROOT, name), 'utf8'));
    const missing = blocks.flatMap(({ needs }) => needs).filter((program) => !isHere(program));
    return { name, script: blocks.map((block) => block.script).join('\n'), missing };
  }),
);

for (const { name, script, missing } of pages.filter(({ script }) => script.trim())) {
  const without = missing.length > 0 ? ` (not run: no ${missing.join(', ')} here)` : '';
  test.skipIf(missing.length > 0)(
    `the commands of ${name} work${without}`,
    async () => {
      const { code, said } = await runScript(script);
      expect(code, said).toBe(0);
    },
    PAGE_MILLIS,
  );
}

test('pages mark shell commands as such, so that none goes untried', async () => {
  const other = /^```(bash|shell|console)\b/m;
  for (const name of ['README.md', ...names]) {
    expect(await readFile(join(ROOT, name), 'utf8'), name).not.toMatch(other);
  }
});
