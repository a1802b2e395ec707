import { CommanderError } from 'commander';
import { ModelError } from '../../../models/catalog.ts';
import { KeyError } from '../../auth/keys.ts';
import { type CLIENT_PROBLEMS, SelvageError } from '../../client/error.ts';
import { FeedError } from '../../feed-formats/feed-error.ts';
import { ConfigError } from '../../platform/config.ts';
import { ADVICE, Problem, type ProblemType } from '../../platform/problem.ts';
import { CliError, EXIT } from './exit.ts';
import { Interrupted } from './interrupt.ts';

/** What the command knows better than the service what to do about. */
const OWN_ADVICE: Partial<Record<ProblemType, string>> = {
  'invalid-request': 'Mend what is named here, and try again.',
  unauthorized:
    'Set SELVAGE_KEY or --key-file to a valid key; ask the operator for one if yours was revoked.',
  'rate-limit-exceeded': 'Wait a little, and use fewer --jobs at a time.',
  'upstream-unavailable':
    'Try again in a minute; on the server, "selvage doctor" says what is missing.',
};

// biome-ignore format: a table reads best aligned
const CLIENT_ADVICE: Readonly<Record<Exclude<keyof typeof CLIENT_PROBLEMS, ProblemType>, string>> = {
  'key-refused':       'Use a key that may be sent to that server, over https where it is not this machine.',
  'connection-failed': 'Check the address and that the server runs; there, "selvage doctor" says what is wrong.',
  'timeout':           'Try again; if it stays, the server is overloaded or something between holds the answer back.',
  'damaged-answer':    'Check that the address is that of a Selvage server and no proxy changes its answers.',
  'redirected':        'Name the address it leads to by --server.',
};

/** One plain sentence: what to do about a problem of this type; nothing where it is a newer one. */
export function adviceOn(type: string): string | undefined {
  const tables: Readonly<Record<string, string>>[] = [OWN_ADVICE, ADVICE, CLIENT_ADVICE];
  return tables.find((advice) => Object.hasOwn(advice, type))?.[type];
}

/** A failure as JSON tells it. */
export interface FaultReport {
  type: string;
  title: string;
  detail: string;
  status?: number;
  errors?: readonly { pointer: string; detail: string }[];
  requestId?: string;
  advice?: string;
}

/** What a refusal of the service or the client says; nothing where it is another error. */
export function reportOf(error: unknown): FaultReport | undefined {
  if (!(error instanceof SelvageError || error instanceof Problem)) return undefined;
  const { type, title, detail, status, errors } = error;
  const requestId = error instanceof SelvageError ? error.requestId : undefined;
  const advice = adviceOn(type);
  return {
    ...{ type, title, detail },
    ...(status > 0 && { status }),
    ...(errors && errors.length > 0 && { errors }),
    ...(requestId && { requestId }),
    ...(advice && { advice }),
  };
}

const asSentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** A failure in one line: what is wrong, where, what to do, and what to quote when asking. */
function reportText({ type, detail, errors = [], advice, requestId }: FaultReport): string {
  // Where there is but one, the detail tells it.
  const faults =
    errors.length > 1 ? errors.map((one) => `${one.pointer} ${one.detail}`).join('; ') : '';
  const name = requestId ? `${type}, request ${requestId}` : type;
  return [asSentence(detail), faults && asSentence(faults), advice, `(${name})`]
    .filter(Boolean)
    .join(' ');
}

/** A problem that was told of one piece of work, in one line. */
export function problemText({ type, detail }: { type: string; detail: string }): string {
  const advice = adviceOn(type);
  return reportText({ type, detail, title: '', ...(advice && { advice }) });
}

const isMendable = (error: unknown): error is Error =>
  [CliError, KeyError, ConfigError, ModelError, FeedError, Interrupted].some(
    (kind) => error instanceof kind,
  );

/** What to print for a fault, without a stack where a person can mend it. */
export function faultText(error: unknown): string {
  const report = reportOf(error);
  if (report) return reportText(report);
  if (isMendable(error)) return error.message;
  if (!(error instanceof Error)) return String(error);
  // What the file system refuses says path and reason by itself.
  return 'code' in error && 'syscall' in error ? error.message : (error.stack ?? error.message);
}

/** Types that no answer of the server stands behind. */
const UNREACHABLE: readonly string[] = ['connection-failed', 'timeout', 'redirected'];

/** The exit code that a fault stands for. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError || error instanceof Interrupted) return error.exitCode;
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (!(error instanceof SelvageError)) return EXIT.failed;
  if (UNREACHABLE.includes(error.type)) return EXIT.unreachable;
  if (error.status === 401 || error.status === 403 || error.type === 'key-refused')
    return EXIT.notAllowed;
  return error.status === 429 ? EXIT.limited : EXIT.failed;
}

/** Whether all further work of the same kind would fail the same way. */
export const endsAll = (error: unknown): boolean => exitCodeOf(error) !== EXIT.failed;
