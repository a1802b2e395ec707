import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { Queue } from 'bullmq';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorize, type LookUp } from '../../http/access.ts';
import { asProblem, PROBLEM_MEDIA_TYPE, problemBody } from '../../http/problem-response.ts';
import { Problem } from '../../platform/problem.ts';

const QUEUE_DASHBOARD_PATH = '/ops/queues';
/** Not part of any other scope: only keys created for operators have it. */
const SCOPE = 'operations:read';

/** The page includes its own scripts. Fonts that it requests from other hosts are blocked. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
    "font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** Makes a browser ask for a password: the key is the password, the user name is ignored. */
const CHALLENGE = 'Basic realm="Selvage operations", charset="UTF-8", Bearer realm="selvage"';

/** The fields of a job's data that are shown: ids and options, but never the source of an image. */
const PUBLIC_FIELDS = [
  'requestId',
  'id',
  'batchId',
  'chunk',
  'feedId',
  'runId',
  'eventId',
  'round',
  'operations',
  'quality',
  'deadlineAtMillis',
];

const publicFields = (data: object | undefined): object =>
  Object.fromEntries(Object.entries(data ?? {}).filter(([name]) => PUBLIC_FIELDS.includes(name)));

/** Converts `Basic name:key` to `Bearer key`: browsers can only send a key as a password. */
function toBearer(header: string | undefined): string | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=]{1,1000}) *$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return header;
  return `Bearer ${Buffer.from(encoded, 'base64').toString('utf8').split(':').slice(1).join(':')}`;
}

function readOnlyAdapter(queue: Queue): BullMQAdapter {
  const adapter = new BullMQAdapter(queue, { readOnlyMode: true, allowRetries: false });
  adapter.setFormatter('data', publicFields);
  adapter.setFormatter('returnValue', () => undefined);
  return adapter;
}

/** Sends a problem. Throwing it would have Bull Board format the response its own way. */
function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  request.requestContext.problem = problem;
  return reply
    .status(problem.status)
    .headers({
      ...problem.headers,
      ...(problem.status === 401 && { 'www-authenticate': CHALLENGE }),
    })
    .type(PROBLEM_MEDIA_TYPE)
    .serializer(JSON.stringify)
    .send(problemBody(problem, request.id));
}

/**
 * Serves a read-only dashboard of the queues at `/ops/queues` to operators' keys.
 * @param lookUp finds who presents a key
 */
export function serveQueueDashboard(
  app: FastifyInstance,
  { lookUp, queues }: { lookUp: LookUp; queues: readonly Queue[] },
): void {
  const adapter = new FastifyAdapter();
  adapter.setBasePath(QUEUE_DASHBOARD_PATH);
  createBullBoard({
    queues: queues.map(readOnlyAdapter),
    serverAdapter: adapter,
    options: {
      uiConfig: {
        boardTitle: 'Selvage queues',
        environment: { label: 'read only', color: '#7c8a9e' },
      },
    },
  });
  app.register(
    async (scope) => {
      scope.addHook('onRequest', async (request, reply) => {
        reply.headers(HEADERS);
        try {
          request.requestContext.caller = await authorize(
            toBearer(request.headers.authorization),
            { scope: SCOPE },
            lookUp,
          );
          if (request.method !== 'GET' && request.method !== 'HEAD') {
            throw new Problem('method-not-allowed', 'The dashboard is read-only', {
              headers: { allow: 'GET, HEAD' },
            });
          }
        } catch (error) {
          return sendProblem(request, reply, asProblem(error));
        }
      });
      scope.register(adapter.registerPlugin());
    },
    { prefix: QUEUE_DASHBOARD_PATH },
  );
}
