#!/usr/bin/env node
// @ts-check
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startDetached, status, stop } from './control.mjs';
import { checkRequirements, thisMachine } from './requirements.mjs';
import { handleSignals } from './signals.mjs';
import { start } from './start.mjs';
import { isSystemError, StartError, systemErrorText } from './start-error.mjs';
import { createTerminal } from './terminal.mjs';
import { withRedis } from './with-redis.mjs';

/** @type {{ type: 'boolean' }} */
const BOOLEAN = { type: 'boolean' };
const START_OPTIONS = { json: BOOLEAN, verbose: BOOLEAN, watch: BOOLEAN, detach: BOOLEAN };
const START_DEFAULTS = { json: false, verbose: false, watch: false };

/** This folder is plain JavaScript without packages: it runs before any is installed. */
const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const HOME = resolve(ROOT, process.env.SELVAGE_HOME || '.selvage');

const HELP = `npm start [-- options]      runs Redis, gateway and worker until Ctrl-C
  --json                    one line of JSON when ready, everything else to standard error
  --verbose                 show every log line (SELVAGE_HOME/logs always has them)
  --watch                   restart a process when its source changes (npm run dev)
  --detach                  return when it is ready; it runs on
node infra/launcher/main.mjs stop|status        stops what runs under SELVAGE_HOME; says what runs there

npm test [-- vitest arguments]                  runs tests with their own Redis; without arguments
                                                all but those that .ci/run adds
node infra/launcher/main.mjs with-redis -- command …   runs any command with REDIS_URL set

Settings, from the environment (also passed to gateway and worker):
  HOST, PORT                address of the gateway              127.0.0.1, 8080
  SELVAGE_HOME              keys, blobs, Redis data, logs       .selvage
  REDIS_URL                 an existing Redis to use            starts one
  SELVAGE_DEV_KEY           the development key                 generates and stores one
  LOG_LEVEL                 log level of gateway and worker     info
`;

/**
 * The commands; each resolves with its exit code.
 * @type {Record<string, (args: string[], shutdown: import('./signals.mjs').Shutdown, terminal: import('./terminal.mjs').Terminal) => Promise<number>>}
 */
const COMMANDS = {
  start(args, shutdown, terminal) {
    const { detach, ...options } = readOptions(args, START_OPTIONS);
    const own = args.filter((word) => word !== '--detach');
    if (detach) return startDetached({ home: HOME, json: options.json === true, args: own });
    return start({ root: ROOT, home: HOME, terminal, shutdown, ...START_DEFAULTS, ...options });
  },
  stop: (args) => stop({ home: HOME, json: false, ...readOptions(args, { json: BOOLEAN }) }),
  status: (args) => status({ home: HOME, json: false, ...readOptions(args, { json: BOOLEAN }) }),
  test: (args, shutdown, terminal) =>
    withRedis({
      root: ROOT,
      terminal,
      shutdown,
      command: [
        ...[process.execPath, join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run'],
        ...(args.length > 0 ? args : ['--project', '!ci']),
      ],
    }),
  'with-redis': (args, shutdown, terminal) =>
    withRedis({ root: ROOT, terminal, shutdown, command: args[0] === '--' ? args.slice(1) : args }),
};

/**
 * @param {string[]} args
 * @param {Record<string, { type: 'boolean' }>} options
 * @returns {Record<string, boolean>} those that are given
 */
function readOptions(args, options) {
  try {
    return /** @type {Record<string, boolean>} */ ({ ...parseArgs({ args, options }).values });
  } catch (error) {
    throw new StartError(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
  }
}

async function main() {
  const [name = '', ...args] = process.argv.slice(2);
  const command = COMMANDS[name];
  if (!command || (name !== 'with-redis' && args.includes('--help'))) {
    console.log(HELP);
    process.exit(command || name === '--help' ? 0 : 2);
  }
  const terminal = createTerminal(args.includes('--json') ? process.stderr : process.stdout);
  const shutdown = handleSignals(terminal);
  let code = 1;
  try {
    checkRequirements(thisMachine());
    code = await command(args, shutdown, terminal);
  } catch (error) {
    if (!shutdown.isSignalled()) terminal.line(`\n${terminal.paint('red', errorText(error))}`);
  }
  await shutdown.end();
  if (!shutdown.isSignalled()) process.exit(code); // else the signal handler sets the exit code
}

/** @param {unknown} error */
function errorText(error) {
  if (error instanceof StartError) return error.message;
  if (isSystemError(error)) return systemErrorText(error);
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

await main();
