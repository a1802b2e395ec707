import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { homeOf } from '../../platform/local-instance.ts';
import type { Output } from '../terminal/output.ts';

/** It is not compiled, and stands beside `dist`. */
const ROOT = extname(import.meta.url) === '.ts' ? '../../../' : '../../../../';
const LAUNCHER = fileURLToPath(new URL(`${ROOT}infra/launcher/main.mjs`, import.meta.url));

interface ServiceOptions extends Output {
  verbose?: true;
  detach?: true;
}

/** Runs a command of the launcher, in whose terminal this is. */
async function launch(
  name: string,
  { json, verbose, detach }: ServiceOptions,
  signal: AbortSignal,
): Promise<void> {
  const given = { '--json': json, '--verbose': verbose, '--detach': detach };
  const flags = Object.entries(given).flatMap(([flag, value]) => (value ? [flag] : []));
  const launcher = spawn(process.execPath, [LAUNCHER, name, ...flags], {
    stdio: 'inherit',
    env: { ...process.env, SELVAGE_HOME: homeOf(process.env) },
  });
  // After a Ctrl-C, which has reached it already, this counts as the same one.
  signal.addEventListener('abort', () => launcher.kill('SIGTERM'));
  const [code] = await once(launcher, 'exit');
  process.exitCode = code ?? 1;
}

/** `start|stop|status`: Redis, gateway and worker on this machine. */
export const serviceCommands = (signal: AbortSignal): Command[] => [
  new Command('start')
    .description('run gateway, worker and Redis here, until Ctrl-C; data is in .selvage')
    .option('--detach', 'return when it is ready; it runs on until "selvage stop"')
    .option('--verbose', 'show every log line')
    .action((options: ServiceOptions) => launch('start', options, signal)),
  new Command('stop')
    .description('stop what "selvage start" runs here, when open work is done')
    .action((options: ServiceOptions) => launch('stop', options, signal)),
  new Command('status')
    .description('say what runs here, and whether it is ready')
    .action((options: ServiceOptions) => launch('status', options, signal)),
];
