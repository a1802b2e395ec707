import { expect, test } from 'vitest';
import { checkRequirements } from '../../../infra/launcher/requirements.mjs';
import { StartError } from '../../../infra/launcher/start-error.mjs';
import { run } from '../../support/processes.ts';

const MACHINE = { nodeVersion: '20.19.0', platform: 'linux', glibcVersion: '2.36' } as const;

test.each([
  { ...MACHINE, nodeVersion: '20.18.9', says: /needs Node\.js 20\.19 or newer; this is 20\.18\.9/ },
  { ...MACHINE, nodeVersion: '18.20.0', says: /needs Node\.js 20\.19 or newer/ },
  { ...MACHINE, glibcVersion: undefined, says: /musl[\s\S]*docker compose up/ },
])(
  'Node.js $nodeVersion on $platform with glibc $glibcVersion cannot run',
  ({ says, ...machine }) => {
    expect(() => checkRequirements(machine)).toThrow(StartError);
    expect(() => checkRequirements(machine)).toThrow(says);
  },
);

test.each([
  MACHINE,
  { ...MACHINE, nodeVersion: '24.0.0' },
  { ...MACHINE, platform: 'darwin', glibcVersion: undefined } as const,
])('Node.js $nodeVersion on $platform with glibc $glibcVersion can run', (machine) => {
  expect(() => checkRequirements(machine)).not.toThrow();
});

test.each([
  ['npm start', ['infra/launcher/main.mjs', 'start']],
  ['npm run start:worker', ['infra/launcher/run.mjs', 'workers/main.ts']],
])('%s on musl says what to do, and starts nothing', async (_, args) => {
  const musl = `data:text/javascript,process.report.getReport = () => ({ header: {} });`;
  const launcher = run(process.execPath, args, { NODE_OPTIONS: `--import=${encodeURI(musl)}` });
  expect(await launcher.exited).toBe(1);
  expect(launcher.output().trim()).toMatch(
    /^Selvage needs a Linux with glibc.*\n.*compose up --build\.$/,
  );
});
