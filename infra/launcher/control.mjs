// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { launcherOf, readInstance } from './instance.mjs';
import { lastLines, signalProcess, waitForExit } from './processes.mjs';
import { StartError } from './start-error.mjs';

/** As the commands of `selvage`: the server cannot be reached. */
const NOT_RUNNING = 3;
const POLL_MILLIS = 100;
/** Longer than gateway and worker have to finish open work, one after the other. */
const STOP_MILLIS = 120_000;
const SHOWN_LINES = 20;

/** @param {string} home */
const fileOf = (home) => join(home, 'instance.json');

/**
 * Returns the instance that runs under a home, if its launcher is alive.
 * @param {string} home
 */
function findRunning(home) {
  const instance = readInstance(fileOf(home));
  return instance && launcherOf(instance) ? instance : undefined;
}

/**
 * Prints what runs under a home. Resolves with the exit code.
 * @param {{ home: string, json: boolean }} what
 */
export async function status({ home, json }) {
  const instance = findRunning(home);
  if (!instance) {
    console.log(json ? JSON.stringify({ home, running: false }) : `Nothing runs under ${home}.`);
    return NOT_RUNNING;
  }
  const answer = await fetch(`${instance.url}/readyz`).catch(() => undefined);
  const { url, pids, startedAt } = instance;
  const facts = { home, running: true, ready: answer?.ok === true, url, pids, startedAt };
  const state = facts.ready ? 'ready' : 'not ready';
  const processes = Object.entries(pids).map(([name, pid]) => `${name} ${pid}`);
  const text = `${url}  ${state}, since ${startedAt}\nprocesses  ${processes.join(', ')}\nhome  ${home}`;
  console.log(json ? JSON.stringify(facts) : text);
  return facts.ready ? 0 : 1;
}

/**
 * Stops what runs under a home, and waits for it. Resolves with the exit code.
 * @param {{ home: string, json: boolean }} what
 * @throws StartError if it goes on
 */
export async function stop({ home, json }) {
  const instance = findRunning(home);
  const pid = instance && launcherOf(instance);
  if (pid === undefined) return status({ home, json });
  signalProcess(pid, 'SIGTERM');
  if (!(await waitForExit(pid, STOP_MILLIS))) {
    throw new StartError(`Process ${pid} has not stopped within ${STOP_MILLIS / 1000} s.`);
  }
  console.log(json ? JSON.stringify({ home, running: false }) : `Stopped what ran under ${home}.`);
  return 0;
}

/**
 * Starts a launcher that outlives this process, and waits until it is ready. Resolves with the exit code.
 * @param {{ home: string, json: boolean, args: readonly string[] }} what
 * @throws StartError with the end of its output if it ends
 */
export async function startDetached({ home, json, args }) {
  const log = join(home, 'launcher.log');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const output = openSync(log, 'w', 0o600);
  const [program = ''] = process.argv.slice(1);
  const launcher = spawn(process.execPath, [program, 'start', ...args], {
    detached: true,
    stdio: ['ignore', output, output],
  });
  let isEnded = false;
  once(launcher, 'exit').then(() => {
    isEnded = true;
  });
  while (!isEnded) {
    const instance = findRunning(home);
    if (instance?.pids.launcher === launcher.pid && instance?.readyAt) {
      launcher.unref();
      return status({ home, json });
    }
    await delay(POLL_MILLIS);
  }
  throw new StartError(lastLines(readFileSync(log, 'utf8'), SHOWN_LINES).join('\n'));
}
