import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { handleSignals, type Shutdown } from '../launcher/signals.mjs';
import { createTerminal, type Terminal } from '../launcher/terminal.mjs';
import { provideImage, publicImages, removeStandIns, type Source } from './base-images.ts';
import { type Engine, findEngine, mustRun } from './engine.ts';
import { isGood, type Report, reportText } from './report.ts';
import {
  buildImage,
  dockerfileOf,
  imageBytes,
  imageName,
  SERVICES,
  type ServiceName,
} from './service-images.ts';
import { openStack, RUNNING, type Stack } from './stack.ts';
import { tryAllInOne, tryKill, tryStart, tryUpgrade } from './trials.ts';
import { lastDifferentCommit } from './upgrade-from.ts';

const ROOT = join(import.meta.dirname, '../..');

interface Options {
  json: boolean;
  keep: boolean;
  from?: string;
}

interface Check {
  engine: Engine;
  terminal: Terminal;
  shutdown: Shutdown;
  /** A folder that is removed at the end. */
  scratch: string;
  options: Options;
}

const readSource = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');

async function provideBases({ engine, terminal, scratch }: Check): Promise<Report['baseImages']> {
  const dockerfiles = await Promise.all(SERVICES.map((name) => readSource(dockerfileOf(name))));
  const baseImages: Report['baseImages'] = [];
  for (const image of publicImages(dockerfiles, await readSource('docker-compose.yml'))) {
    const source = await terminal.step(image, () => provideImage(engine, image, scratch));
    if (source === 'stand-in') terminal.line(`  made from Debian's packages: it cannot be pulled`);
    baseImages.push({ image, source });
  }
  return baseImages;
}

/** The last `FROM` of a Dockerfile is what the image builds on. */
async function baseOf(service: ServiceName): Promise<string> {
  return publicImages([await readSource(dockerfileOf(service))], 'services: {}').at(-1) ?? '';
}

async function buildImages(
  { engine, terminal }: Check,
  sources: ReadonlyMap<string, Source>,
): Promise<Report['images']> {
  const images: Report['images'] = [];
  for (const service of SERVICES) {
    const base = await baseOf(service);
    // Where images cannot be pulled, the CUDA library cannot be downloaded either.
    const withoutCuda = service === 'worker-gpu' && sources.get(base) === 'stand-in';
    const build = { service, version: 'now', sources: ROOT, withoutCuda };
    await terminal.step(`Building ${service}`, () => buildImage(engine, build));
    const bytes = await imageBytes(engine, imageName(service, 'now'));
    const ownBytes = bytes - (await imageBytes(engine, base));
    images.push({ service, bytes, ownBytes, withoutCuda });
  }
  return images;
}

/** Extracts a commit; returns its folder, or undefined if there is no such commit. */
async function sourcesOf(commit: string, scratch: string): Promise<string | undefined> {
  // With the usual rights of files, which layers of an image contain and its cache compares.
  const git = ['git', '-c', 'tar.umask=0022', '-C', ROOT] as const;
  const isKnown = mustRun([...git, 'rev-parse', '--verify', '--quiet', `${commit}^{commit}`]);
  if (!(await isKnown.catch(() => undefined))) return undefined;
  const folder = join(scratch, 'before');
  const archive = join(scratch, 'before.tar');
  await mustRun([...git, 'archive', '--output', archive, commit]);
  await mkdir(folder);
  await mustRun(['tar', '--directory', folder, '--extract', '--file', archive]);
  return folder;
}

async function checkUpgrade(check: Check, after: Stack, port: number): Promise<Report['upgrade']> {
  const { engine, terminal, scratch, options } = check;
  const from = options.from ?? (await lastDifferentCommit(ROOT));
  const sources = from === undefined ? undefined : await sourcesOf(from, scratch);
  if (from === undefined || !sources) return undefined;
  for (const service of ['gateway', 'worker'] as const) {
    const build = { service, version: 'before', sources, withoutCuda: false };
    await terminal.step(`Building ${service} of ${from}`, () => buildImage(engine, build));
  }
  const before = await openStack({ engine, sources, version: 'before', port, scratch });
  const title = `Upgrading from ${from}`;
  return {
    from,
    ...(await terminal.step(title, () => tryUpgrade(before, after))),
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Runs all steps. What it started is removed by `shutdown`. */
async function runCheck(check: Check): Promise<Report> {
  const { engine, terminal, shutdown, scratch, options } = check;
  if (!options.keep) shutdown.onShutdown(() => removeStandIns(engine));
  const baseImages = await provideBases(check);
  const sources = new Map(baseImages.map(({ image, source }) => [image, source]));
  if (!options.keep) shutdown.onShutdown(() => removeImages(engine));
  const images = await buildImages(check, sources);

  const port = await freePort();
  const allInOne = () => tryAllInOne(engine, port);
  const allInOneSeconds = await terminal.step('docker run of all in one, and a removal', allInOne);
  const stack = await openStack({ engine, sources: ROOT, version: 'now', port, scratch });
  shutdown.onShutdown(() => stack.down());
  try {
    const title = 'docker compose up, and a removal';
    const { client, figures: start } = await terminal.step(title, () => tryStart(stack));
    const kills: Report['kills'] = [];
    for (const part of RUNNING) {
      const kill = () => tryKill(stack, client, part);
      kills.push(await terminal.step(`Killing ${part} under load`, kill));
    }
    await stack.down();
    const upgrade = await checkUpgrade(check, stack, port);
    return { engine: engine.version, baseImages, images, allInOneSeconds, start, kills, upgrade };
  } catch (error) {
    if (!shutdown.isSignalled()) terminal.line(await stack.logs().catch(String));
    throw error;
  }
}

async function removeImages({ docker }: Engine): Promise<void> {
  for (const version of ['now', 'before']) {
    for (const service of SERVICES) {
      await docker('rmi', imageName(service, version)).catch(() => undefined); // was not built
    }
  }
}

async function main(options: Options): Promise<number> {
  const terminal = createTerminal(options.json ? process.stderr : process.stdout);
  const engine = await findEngine();
  if (typeof engine === 'string') {
    terminal.warn(`The images were not checked, because no container engine answers: ${engine}.`);
    terminal.line('Start Docker, or set DOCKER_HOST, and run this again.');
    if (options.json) console.log(JSON.stringify({ engine: null, reason: engine }));
    return 0;
  }
  const shutdown = handleSignals(terminal);
  const scratch = await mkdtemp(join(tmpdir(), 'selvage-images-check-'));
  shutdown.onShutdown(() => rm(scratch, { recursive: true, force: true }));
  let code = 1;
  try {
    const report = await runCheck({ engine, terminal, shutdown, scratch, options });
    console.log(options.json ? JSON.stringify(report, null, 2) : `\n${reportText(report)}`);
    code = isGood(report) ? 0 : 1;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!shutdown.isSignalled()) terminal.line(`\n${terminal.paint('red', message)}`);
  }
  await shutdown.end();
  return code;
}

const program = new Command('npm run images:check --')
  .description(
    'Builds all images, starts docker-compose.yml, kills each part under load and upgrades from an earlier commit. ' +
      'Uses the engine of DOCKER_HOST, or the default one. Images that cannot be pulled are made from Debian packages.',
  )
  .option('--from <commit>', 'what to upgrade from (default: the last commit whose images differ)')
  .option(
    '--keep',
    'leave the images for the next run; containers and volumes are always removed',
    false,
  )
  .option('--json', 'print JSON; progress goes to standard error', false);
process.exit(await main(program.parse().opts<Options>()));
