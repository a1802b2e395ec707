import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { childRunner } from '../../../infra/launcher/child.mjs';
import { testFolder } from '../../support/use-folder.ts';

/** Settings of which the worker may not know. */
const SECRETS = {
  KEY_PEPPER: 'a-pepper-of-this-test',
  LOOK_SIGNING_KEYS: 'one:a-secret-of-this-test',
  SELVAGE_DEV_KEY: 'a-key-of-this-test-with-32-letters-or-more',
};
const SHARED = { REDIS_URL: 'redis://127.0.0.1:1', SELVAGE_HOME: '/home-of-this-test' };

/** Runs a gateway or worker that only prints its environment; resolves with that. */
async function environmentOf(name: 'gateway' | 'worker'): Promise<NodeJS.ProcessEnv> {
  const root = await testFolder();
  for (const folder of ['dist/src', 'dist/workers']) {
    await mkdir(join(root, folder), { recursive: true });
    const script = 'console.log(JSON.stringify(process.env)); setInterval(() => {}, 1000);';
    await writeFile(join(root, folder, 'main.js'), script);
  }
  return new Promise((resolve) => {
    const run = childRunner({
      root,
      home: root,
      env: { PATH: process.env.PATH, ...SHARED, ...SECRETS },
      claim: {
        note() {},
        read: () => ({ url: '', pids: { launcher: 0 }, startedAt: '' }),
        release() {},
      },
      shutdown: {
        onShutdown: (stop) => onTestFinished(() => stop(0)),
        exitWith() {},
        end: async () => {},
        isSignalled: () => false,
      },
      terminal: {
        isWatched: false,
        line: (text) => resolve(JSON.parse(text.slice(text.indexOf('{')))),
        warn() {},
        step: (_title, work) => work(),
        paint: (_colour, text) => text,
      },
      shownLevel: 'trace',
      watch: false,
    });
    void run(name);
  });
}

test('the gateway gets its secrets, and the worker does not', async () => {
  expect(await environmentOf('gateway')).toMatchObject({ ...SHARED, ...SECRETS });
  const worker = await environmentOf('worker');
  expect(worker).toMatchObject(SHARED);
  expect(Object.keys(SECRETS).filter((name) => name in worker)).toEqual([]);
});
