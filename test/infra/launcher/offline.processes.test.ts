import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../../support/processes.ts';
import { isMissing } from '../../support/requirement.ts';
import { useFolder } from '../../support/use-folder.ts';

/** A network of its own, with nothing in it but the loopback device. */
const ALONE = ['-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
const isAllowed = spawnSync('unshare', [...ALONE, 'true']).status === 0;
const isSkipped = isMissing(
  'network-namespaces',
  isAllowed,
  'this process may not make a network of its own',
);

const home = await useFolder();

/** Prints how a removal is answered, and what becomes of a request to another host. */
const CLIENT = `
  const { readFile } = require('node:fs/promises');
  const [url, key] = process.argv.slice(1);
  async function main() {
    const outside = await fetch('http://192.0.2.1/').then(() => 'reached', ({ cause }) => cause.code);
    const form = new FormData();
    form.append('image', new Blob([await readFile('docs/pictures/before.jpg')]), 'before.jpg');
    const headers = { authorization: 'Bearer ' + key };
    const options = { method: 'POST', headers, body: form };
    const answer = await fetch(url + '/bg/v1/background-removals', options);
    const bytes = (await answer.arrayBuffer()).byteLength;
    const type = answer.headers.get('content-type');
    console.log(JSON.stringify({ outside, status: answer.status, type, bytes }));
  }
  main();
`;

test.skipIf(isSkipped)(
  'installed packages need no network from the start to an answer',
  async () => {
    const key = 'a-key-of-my-own-choice-with-32-letters-or-more';
    const launcher = run(
      'unshare',
      [...ALONE, process.execPath, 'infra/launcher/main.mjs', 'start', '--json'],
      {
        SELVAGE_HOME: home,
        SELVAGE_DEV_KEY: key,
        REDIS_URL: '',
        // Should packages be missing, none are installed: that would fail here and leave the folder empty.
        npm_execpath: join(home, 'no-npm.js'),
        PORT: '0',
        WORKER_CONCURRENCY: '1',
      },
    );
    onTestFinished(async () => void (await launcher.end()));
    const { url, pids } = JSON.parse(await launcher.line((line) => line.startsWith('{')));
    // The launcher's network, and the user namespace that owns it.
    const inside = ['-t', String(pids.launcher), '-U', '-n', '--preserve-credentials'];
    const client = run('nsenter', [...inside, process.execPath, '-e', CLIENT, url, key]);
    expect(await client.exited, client.output()).toBe(0);
    expect(JSON.parse(client.output())).toEqual({
      outside: 'ENETUNREACH',
      status: 200,
      type: 'image/png',
      bytes: expect.any(Number),
    });
    expect(await launcher.end()).toBe(0);
  },
);
