import type { Reply } from '../../../http/route.ts';
import {
  PROBLEMS,
  Problem,
  type ProblemType,
  type ValidationIssue,
} from '../../../platform/problem.ts';
import CODES from './codes.json' with { type: 'json' };

/**
 * Converts rate limit headers to those of remove.bg.
 * @param headers as `limitHeaders` returns them; empty headers convert to none
 * @param nowMillis remove.bg's reset is an instant, ours a number of seconds from now
 */
export function rateHeaders(
  headers: Readonly<Record<string, string>>,
  nowMillis: number,
): Record<string, string> {
  const limit = headers['ratelimit-limit'];
  const remaining = headers['ratelimit-remaining'];
  const resetSeconds = headers['ratelimit-reset'];
  if (!limit || !remaining || !resetSeconds) return {};
  return {
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': String(Math.ceil(nowMillis / 1000) + Number(resetSeconds)),
  };
}

/** All codes with status 400, nearly all of them from remove.bg, with their titles. */
export type Code = keyof typeof CODES;

export interface CodedIssue extends ValidationIssue {
  code: Code;
}

export const removebgProblem = (...issues: readonly CodedIssue[]): Problem =>
  new Problem('invalid-request', issues.map(({ detail }) => detail).join('; '), { errors: issues });

/** About the request as a whole. */
export const requestProblem = (code: Code, ...details: readonly string[]): Problem =>
  removebgProblem(...details.map((detail) => ({ pointer: '', code, detail })));

interface RemoveBgError {
  status: number;
  code: string;
  title: string;
}

/** Problems whose status, code and title differ for clients of remove.bg. */
// biome-ignore format: a table reads best aligned
const REMOVEBG_ERRORS: Partial<Record<ProblemType, RemoveBgError>> = {
  'payload-too-large':   { status: 400, code: 'file_too_large',       title: CODES.file_too_large },
  'unauthorized':        { status: 403, code: 'auth_failed',          title: 'API Key invalid' },
  'insufficient-scope':  { status: 403, code: 'auth_failed',          title: 'API Key invalid' },
  'quota-exceeded':      { status: 402, code: 'insufficient_credits', title: 'Insufficient credits' },
  'rate-limit-exceeded': { status: 429, code: 'rate_limit_exceeded',  title: 'Rate limit exceeded' },
};

const toRemoveBgError = (type: ProblemType): RemoveBgError =>
  REMOVEBG_ERRORS[type] ?? { ...PROBLEMS[type], code: type.replaceAll('-', '_') };

const isCode = (code: unknown): code is Code =>
  typeof code === 'string' && Object.hasOwn(CODES, code);

/** Converts a problem to remove.bg's error response: one entry per error with a code, else one for all. */
export function toProblemReply(problem: Problem, nowMillis: number): Reply {
  const { type, detail, errors = [], headers } = problem;
  const { status, code, title } = toRemoveBgError(type);
  const coded = errors.flatMap((issue) =>
    isCode(issue.code)
      ? [{ title: CODES[issue.code], code: issue.code, detail: issue.detail }]
      : [],
  );
  return {
    status,
    headers: {
      ...headers,
      ...rateHeaders(headers, nowMillis),
      'content-type': 'application/json; charset=utf-8',
    },
    body: { errors: coded.length > 0 ? coded : [{ title, code, detail }] },
  };
}

/** Codes for errors found while processing the image: by pointer into our options, else by problem type. */
const CODE_BY_POINTER: Readonly<Record<string, Code>> = {
  '/imageUrl': 'failed_image_download',
  '/backgroundImageUrl': 'failed_bg_download',
  '/roi': 'roi_exceeds_bounds',
  '/maxOutputMegapixels': 'resolution_too_high',
};
const CODE_BY_TYPE: Partial<Record<ProblemType, Code>> = {
  'invalid-request': 'failed_to_read_image',
  'unsupported-media-type': 'invalid_file_type',
  'payload-too-large': 'resolution_too_high',
  'unprocessable-image': 'unknown_foreground',
};

export async function withRemoveBgCodes<T>(processing: Promise<T>): Promise<T> {
  return processing.catch((error) => {
    if (!(error instanceof Problem)) throw error;
    const pointer = error.errors?.[0]?.pointer ?? '';
    const code = CODE_BY_POINTER[pointer] ?? CODE_BY_TYPE[error.type];
    throw code ? removebgProblem({ pointer, code, detail: error.detail }) : error;
  });
}
