import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { homeOf } from '../../platform/local-instance.ts';
import type { McpOptions } from '../mcp/serve.ts';
import type { Output } from '../terminal/output.ts';
import { parseWithin } from './arguments.ts';

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

const EXAMPLES = `
Examples:
  $ selvage mcp --folder photos/
  $ selvage mcp --http 8090`;

/** `mcp`: tools for language models. */
export const mcpCommand = (signal: AbortSignal): Command =>
  new Command('mcp')
    .description(
      'serve cut-outs, classes and outfits to language models by the Model Context Protocol',
    )
    .option('--folder <folder>', 'where photos are read and cut-outs written; not with --http', '.')
    .option(
      '--http <port>',
      'on this port of the loopback instead of standard input; each request carries its own key',
      parseWithin(0, 65_535),
    )
    .addHelpText('after', EXAMPLES)
    .action(async (options: McpOptions) =>
      (await import('../mcp/serve.ts')).serveMcp(options, signal),
    );

/** `doctor`: finds problems of the installation and says how to fix them. */
export const doctorCommand = (signal: AbortSignal): Command =>
  new Command('doctor')
    .description(
      'check Redis, storage, published links, model, device, port, disk and clock, and say how to fix problems',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ selvage doctor\n  $ REDIS_URL=redis://cache:6379 selvage doctor --json',
    )
    .action(async (output: Output) =>
      (await import('../doctor/diagnose.ts')).diagnose(output, signal),
    );
