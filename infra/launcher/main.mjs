#!/usr/bin/env node
// @ts-check
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { takeSignals } from './signals.mjs';
import { start } from './start.mjs';
import { Refusal } from './start-error.mjs';
import { createSay } from './terminal.mjs';
import { withRedis } from './with-redis.mjs';

/** Plain JavaScript and no packages, here and beside: this runs before any is installed. */
const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const OLDEST_NODE = [20, 19];

const HELP = `npm start [-- options]      Redis, gateway and worker, until Ctrl-C
  --json                    one line of JSON when ready, everything else to standard error
  --verbose                 show every log line (they are in SELVAGE_HOME/logs in any case)
  --watch                   start a process again when its source changes (npm run dev)

npm test [-- vitest arguments]                  all tests, with a Redis of their own
node infra/launcher/main.mjs with-redis -- command …   any command, with REDIS_URL set

Settings, from the environment (what gateway and worker read is passed on to them):
  HOST, PORT                where the gateway answers           127.0.0.1, 8080
  SELVAGE_HOME              keys, blobs, Redis data, logs       .selvage
  REDIS_URL                 a Redis to use                      one is started
  SELVAGE_DEV_KEY           the key for development             one is made and kept
  LOG_LEVEL                 of gateway and worker               info
`;

/**
 * What each command does, to its exit code.
 * @type {Record<string, (args: string[], life: import('./signals.mjs').Life, say: import('./terminal.mjs').Say) => Promise<number>>}
 */
const COMMANDS = {
  start: (args, life, say) => start({ root: ROOT, say, life, ...startOptions(args) }),
  test: (args, life, say) =>
    withRedis({
      root: ROOT,
      say,
      life,
      command: [process.execPath, join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', ...args],
    }),
  'with-redis': (args, life, say) =>
    withRedis({ root: ROOT, say, life, command: args[0] === '--' ? args.slice(1) : args }),
};

/** @param {string[]} args */
function startOptions(args) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        json: { type: 'boolean', default: false },
        verbose: { type: 'boolean', default: false },
        watch: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    throw new Refusal(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
  }
}

function refuseOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = OLDEST_NODE;
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return;
  throw new Refusal(
    `Node.js ${OLDEST_NODE.join('.')} or newer is needed; this is ${process.versions.node}.`,
  );
}

async function main() {
  const [name = '', ...args] = process.argv.slice(2);
  const command = COMMANDS[name];
  if (!command || (name !== 'with-redis' && args.includes('--help'))) {
    console.log(HELP);
    process.exit(command || name === '--help' ? 0 : 2);
  }
  const say = createSay(args.includes('--json') ? process.stderr : process.stdout);
  const life = takeSignals(say);
  let code = 1;
  try {
    refuseOldNode();
    code = await command(args, life, say);
  } catch (error) {
    if (!life.isSignalled()) say.line(`\n${say.paint('red', faultText(error))}`);
  }
  await life.end();
  if (!life.isSignalled()) process.exit(code); // else the signal has the last word
}

/** @param {unknown} error */
function faultText(error) {
  if (error instanceof Refusal) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

await main();
