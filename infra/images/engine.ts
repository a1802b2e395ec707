import { findProgram, lastLines, runProgram } from '../launcher/processes.mjs';
import { StartError } from '../launcher/start-error.mjs';

const RESPONSE_MILLIS = 10_000;
const MAX_SHOWN_LINES = 15;

/** A container engine that responds. */
export interface Engine {
  version: string;
  /** Runs `docker`; returns what it printed. Throws `StartError` with its last lines if it fails. */
  docker(...args: string[]): Promise<string>;
  /** The command for Compose: `docker compose`, or `docker-compose` of older installations. */
  compose: readonly [string, ...string[]];
}

/** Runs a program; returns what it printed. Throws `StartError` with its last lines if it fails. */
export async function mustRun(
  [program, ...args]: readonly [string, ...string[]],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const { code, output } = await runProgram(program, args, options);
  if (code === 0) return output.trim();
  const shown = lastLines(output, MAX_SHOWN_LINES).join('\n  ');
  throw new StartError(`${program} ${args.join(' ')} failed:\n  ${shown}`);
}

const responds = async ([program, ...args]: readonly [string, ...string[]]): Promise<boolean> =>
  (await runProgram(program, args, { timeout: RESPONSE_MILLIS })).code === 0;

/**
 * Finds the engine that the `docker` program reaches: at `DOCKER_HOST`, else at its default socket. Returns the reason
 * if there is none.
 */
export async function findEngine(): Promise<Engine | string> {
  const program = findProgram('docker');
  if (!program) return 'there is no docker program on PATH';
  const { code, output } = await runProgram(
    program,
    ['version', '--format', '{{.Server.Version}}'],
    { timeout: RESPONSE_MILLIS },
  );
  if (code !== 0) return lastLines(output, 1).join('') || 'the engine does not respond';
  const compose = await findCompose(program);
  if (!compose) return 'there is neither "docker compose" nor docker-compose';
  return {
    version: lastLines(output, 1).join(''),
    docker: (...args) => mustRun([program, ...args]),
    compose,
  };
}

async function findCompose(docker: string): Promise<Engine['compose'] | undefined> {
  const older = findProgram('docker-compose');
  const commands: Engine['compose'][] = [[docker, 'compose'], ...(older ? [[older] as const] : [])];
  for (const command of commands) {
    if (await responds([...command, 'version'])) return command;
  }
  return undefined;
}
