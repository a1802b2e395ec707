import { setTimeout as sleep } from 'node:timers/promises';
import { secondsToMidnight } from '../../auth/key-record.ts';
import type { OperationExamples } from '../../http/openapi/document.ts';
import { readPrefer } from '../../http/request-head.ts';
import type { Call, Reply, ResponseDoc, Route } from '../../http/route.ts';
import { hostClock } from '../../platform/clock.ts';
import {
  fieldProblem,
  PROBLEMS,
  Problem,
  type ProblemType,
  unavailable,
} from '../../platform/problem.ts';
import { EXAMPLES } from '../openapi.ts';
import { drawnCutOut } from './drawn-cut-out.ts';

/** What takes long before it fails, seconds. */
const SLOW_SECONDS = 10;

/** The headers of problems that tell a client what to do next. */
const HEADERS: Partial<Record<ProblemType, Readonly<Record<string, string>>>> = {
  unauthorized: { 'www-authenticate': 'Bearer realm="selvage", error="invalid_token"' },
  'method-not-allowed': { allow: 'GET, HEAD, OPTIONS' },
  conflict: { 'retry-after': '1' },
  'rate-limit-exceeded': { 'retry-after': '1' },
  'upstream-unavailable': { 'retry-after': '1' },
};

const headersOf = (name: ProblemType): Readonly<Record<string, string>> =>
  name === 'quota-exceeded'
    ? { 'retry-after': String(secondsToMidnight(hostClock())) }
    : (HEADERS[name] ?? {});

const isType = (name: string): name is ProblemType => Object.hasOwn(PROBLEMS, name);

/** What `Prefer: problem=<name>` forces. */
export const FORCED = [...(Object.keys(PROBLEMS) as ProblemType[]), 'slow'] as const;

const PREFERENCE = /(?:^|,)\s*problem\s*=\s*"?([\w-]+)/i;

/** Fails as the request asks for. @throws Problem */
async function failAsForced({ headers, signal }: Pick<Call, 'headers' | 'signal'>): Promise<void> {
  const name = PREFERENCE.exec([headers.prefer ?? []].flat().join(','))?.[1]?.toLowerCase();
  if (name === undefined) return;
  if (name === 'slow') {
    await sleep(SLOW_SECONDS * 1000, undefined, { signal });
    throw unavailable('Forced by the test key: slow, and then not available');
  }
  if (!isType(name)) {
    const detail = `Prefer: problem= is one of ${FORCED.join(', ')}`;
    throw new Problem('invalid-request', detail);
  }
  const detail = `Forced by the test key. ${PROBLEMS[name].advice}`;
  if (name === 'invalid-request') throw fieldProblem(name, '/image', 'is missing', detail);
  throw new Problem(name, detail, { headers: headersOf(name) });
}

/** What stores or queues: a test key gets what such a request was answered with when it was recorded. */
const RECORDED = /^\/intake\/v1\/(jobs|batches|feeds|sources)\b/;
/** With an image. Words are free, and really classified. */
const CLASSIFIED = /^\/taxonomy\/v1\/(taxonomy|garments)$/;

const hasImage = (body: object): boolean =>
  Object.keys(body).some((name) => /^image_?base64$/i.test(name));

function isRecorded({ path, operationId }: Route, { headers, body }: Call): boolean {
  if (RECORDED.test(path)) return true;
  if (CLASSIFIED.test(path)) {
    const isOfWords = path.endsWith('/taxonomy') && typeof body === 'object' && body !== null;
    return !isOfWords || hasImage(body);
  }
  return (
    readPrefer(headers.prefer) !== undefined && '202' in (EXAMPLES[operationId]?.successes ?? {})
  );
}

/** The recorded ids are replaced by those that the request names. */
function withIds(text: string, example: unknown, id: string | undefined): string {
  const recorded = typeof example === 'object' && example !== null && 'id' in example && example.id;
  const isPlain = id !== undefined && /^[\w-]{1,64}$/.test(id);
  return typeof recorded === 'string' && isPlain ? text.replaceAll(recorded, id) : text;
}

const textTypeOf = ({ content = {} }: ResponseDoc): string =>
  Object.entries(content).find(([, schema]) => schema !== 'binary' && 'each' in schema)?.[0] ??
  'text/plain';

/** Returns what was recorded of a request that succeeded; a drawn picture in place of a file. */
function recordedReply(route: Route, { params }: Call): Reply {
  const { successes = {} }: OperationExamples = EXAMPLES[route.operationId] ?? {};
  const [status = '', example] = Object.entries(successes).sort().at(-1) ?? [];
  const doc = route.responses[Number(status)];
  if (example === undefined || !doc) return pictureReply(route);
  if (typeof example === 'string') {
    return { headers: { 'content-type': textTypeOf(doc) }, body: example };
  }
  const text = withIds(JSON.stringify(example), example, params.id);
  const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8' };
  if (doc.headers?.includes('Location')) {
    const { links } = JSON.parse(text) as { links?: { self?: string } };
    headers.location = links?.self ?? route.path;
  }
  return { status: Number(status), headers, body: text };
}

function pictureReply({ responses }: Route): Reply {
  if (!responses[200]?.content?.['image/png']) {
    throw new Problem('not-found', 'Test keys have no files of this kind');
  }
  const { file, result } = drawnCutOut({});
  return { headers: { 'content-type': result.mediaType }, body: file };
}

/** Returns routes with answers to test keys, without work, and failures that these ask for. Keyless ones have none. */
export const withTestAnswers = (routes: readonly Route[]): Route[] =>
  routes.map((route) =>
    route.scope === 'keyless'
      ? route
      : {
          ...route,
          async handleTest(call) {
            await failAsForced(call);
            return isRecorded(route, call) ? recordedReply(route, call) : route.handle(call);
          },
        },
  );
