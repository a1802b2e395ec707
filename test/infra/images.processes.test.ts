import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { publicImages } from '../../infra/images/base-images.ts';
import { isGood, type Report, reportText } from '../../infra/images/report.ts';
import { dockerfileOf, SERVICES } from '../../infra/images/service-images.ts';
import { run } from '../support/processes.ts';
import { ROOT } from '../support/root.ts';

const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');
const dockerfiles = await Promise.all(SERVICES.map((service) => read(dockerfileOf(service))));

test('the public images are those of the Dockerfiles and of the default profile', async () => {
  const images = publicImages(dockerfiles, await read('docker-compose.yml'));
  const names = new Set(images.map((image) => image.split(':')[0]));
  expect([...names].sort()).toEqual([
    'chrislusf/seaweedfs',
    'node',
    'nvidia/cuda',
    'valkey/valkey',
  ]);
});

test('the gateway, which reads the catalogue of models, has it in its image', async () => {
  expect(await read('infra/docker/gateway.Dockerfile')).toContain(
    '\nCOPY --from=build /app/models/catalog.json models/\n',
  );
});

const REPORT: Report = {
  engine: '28.0.0',
  baseImages: [
    { image: 'node:24', source: 'stand-in' },
    { image: 'valkey/valkey:9', source: 'pulled' },
  ],
  images: [
    { service: 'worker-gpu', bytes: 300 * 2 ** 20, ownBytes: 200 * 2 ** 20, withoutCuda: true },
  ],
  allInOneSeconds: 12.04,
  start: { healthySeconds: 20, firstAnswerSeconds: 22.04, secondAnswerSeconds: 0.5 },
  kills: [{ part: 'redis', accepted: 8, succeeded: 8, readySeconds: 5, doneSeconds: 6 }],
  upgrade: { from: 'HEAD~1', readySeconds: 30 },
};

test('the report says what was made here, sizes, times and what a kill cost', () => {
  const text = reportText(REPORT);
  expect(text).toContain("Made from Debian's packages: node:24.");
  expect(text).toMatch(/\| worker-gpu \(without the CUDA library\) \| 300 +\| 200 /);
  expect(text).toContain('All in one: first answer after 12.0 s');
  expect(text).toContain('first answer after 22.0 s');
  expect(text).toMatch(/\| redis +\| 8 of 8 +\| 5\.0 +\| 6\.0 /);
  expect(text).toContain('Upgrade from HEAD~1: ready after 30.0 s');
  expect(reportText({ ...REPORT, upgrade: undefined })).toContain('No upgrade was tried');
});

test('a report with an accepted job that did not succeed is not good', () => {
  expect(isGood(REPORT)).toBe(true);
  const kills = REPORT.kills.map((kill) => ({ ...kill, succeeded: 7 }));
  expect(isGood({ ...REPORT, kills })).toBe(false);
});

const check = (args: readonly string[], env: NodeJS.ProcessEnv) =>
  run(process.execPath, ['--import', 'tsx', 'infra/images/main.ts', ...args], env);

test('without an engine it says so, which is no failure', async () => {
  const { exited, output } = check(['--json'], { PATH: '/nowhere' });
  expect(await exited).toBe(0);
  expect(output()).toContain('no container engine answers: there is no docker program on PATH');
  expect(output()).toContain('{"engine":null,"reason":"there is no docker program on PATH"}');
});

test('--help says what it does', async () => {
  const { exited, output } = check(['--help'], {});
  expect(await exited).toBe(0);
  for (const option of ['--from <commit>', '--keep', '--json']) expect(output()).toContain(option);
});
