import { CommanderError } from 'commander';
import { ModelError } from '../../../models/catalog.ts';
import { type CLIENT_PROBLEMS, SelvageError } from '../../../packages/client/src/error.ts';
import { KeyError } from '../../auth/keys.ts';
import { FeedError } from '../../feed-formats/feed-error.ts';
import { ConfigError } from '../../platform/config.ts';
import { PROBLEMS, Problem, type ProblemType } from '../../platform/problem.ts';
import { CliError, EXIT, InterruptedError } from './exit.ts';

/** Advice for the command line, in place of the service's. */
const OWN_ADVICE: Partial<Record<ProblemType, string>> = {
  'invalid-request': 'Fix the errors listed here, and try again.',
  unauthorized:
    'Set SELVAGE_KEY or --key-file to a valid key; ask the operator for one if yours was revoked.',
  'rate-limit-exceeded': 'Wait a little, and use fewer --jobs.',
  'upstream-unavailable': 'Try again in a minute; on the server, run "selvage doctor".',
};

// biome-ignore format: a table reads best aligned
const CLIENT_ADVICE: Readonly<Record<Exclude<keyof typeof CLIENT_PROBLEMS, ProblemType>, string>> = {
  'key-refused':       'Use a valid key for that server, over https unless it is this machine.',
  'connection-failed': 'Check the address, and on the server run "selvage doctor".',
  'timeout':           'Try again; if it persists, the server is overloaded or a proxy delays the response.',
  'damaged-answer':    'Check that the address is a Selvage server and that no proxy changes its responses.',
  'redirected':        'Pass the address that it redirects to as --server.',
};

/** Returns one sentence: what to do about a problem of this type; undefined for unknown types. */
export function adviceFor(type: string): string | undefined {
  const own: Readonly<Record<string, string>> = { ...CLIENT_ADVICE, ...OWN_ADVICE };
  if (Object.hasOwn(own, type)) return own[type];
  return Object.hasOwn(PROBLEMS, type) ? PROBLEMS[type as ProblemType].advice : undefined;
}

/** A failure in JSON output. */
interface ErrorReport {
  type: string;
  title: string;
  detail: string;
  status?: number;
  errors?: readonly { pointer: string; detail: string }[];
  requestId?: string;
  advice?: string;
}

/** Returns the report of an error of the service or the client; undefined for other errors. */
export function toErrorReport(error: unknown): ErrorReport | undefined {
  if (!(error instanceof SelvageError || error instanceof Problem)) return undefined;
  const { type, title, detail, status, errors } = error;
  const requestId = error instanceof SelvageError ? error.requestId : undefined;
  const advice = adviceFor(type);
  return {
    type,
    title,
    detail,
    ...(status > 0 && { status }),
    ...(errors && errors.length > 0 && { errors }),
    ...(requestId && { requestId }),
    ...(advice && { advice }),
  };
}

const toSentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** Formats a failure in one line: what is wrong, where, what to do, and what to quote. */
function formatReport({ type, detail, errors = [], advice, requestId }: ErrorReport): string {
  // The detail of a single error is the detail of the whole.
  const issues =
    errors.length > 1 ? errors.map((one) => `${one.pointer} ${one.detail}`).join('; ') : '';
  const name = requestId ? `${type}, request ${requestId}` : type;
  return [toSentence(detail), issues && toSentence(issues), advice, `(${name})`]
    .filter(Boolean)
    .join(' ');
}

/** Formats the problem of one image or row in one line. */
export function problemLine({ type, detail }: { type: string; detail: string }): string {
  const advice = adviceFor(type);
  return formatReport({ type, detail, title: '', ...(advice && { advice }) });
}

const isExpected = (error: unknown): error is Error =>
  [CliError, KeyError, ConfigError, ModelError, FeedError, InterruptedError].some(
    (kind) => error instanceof kind,
  );

/** Formats an error; with its stack only if it is unexpected. */
export function errorText(error: unknown): string {
  const report = toErrorReport(error);
  if (report) return formatReport(report);
  if (isExpected(error)) return error.message;
  if (!(error instanceof Error)) return String(error);
  // File system errors name path and reason themselves.
  return 'code' in error && 'syscall' in error ? error.message : (error.stack ?? error.message);
}

/** Types of failures without a response of the server. */
const UNREACHABLE: readonly string[] = ['connection-failed', 'timeout', 'redirected'];

export function toExitCode(error: unknown): number {
  if (error instanceof CliError || error instanceof InterruptedError) return error.exitCode;
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (!(error instanceof SelvageError)) return EXIT.failed;
  if (UNREACHABLE.includes(error.type)) return EXIT.unreachable;
  if (error.status === 401 || error.status === 403 || error.type === 'key-refused')
    return EXIT.notAllowed;
  return error.status === 429 ? EXIT.limited : EXIT.failed;
}

/** Whether all further work would fail the same way. */
export const isFatal = (error: unknown): boolean => toExitCode(error) !== EXIT.failed;
