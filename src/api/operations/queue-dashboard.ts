import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { Queue } from 'bullmq';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorize, type LookUp } from '../../http/auth.ts';
import { asProblem, PROBLEM_MEDIA_TYPE, problemBody } from '../../http/problem-response.ts';
import { Problem } from '../../platform/problem.ts';

export const QUEUE_DASHBOARD_PATH = '/ops/queues';
/** Only keys made for it carry this. */
const SCOPE = 'operations:read';

/** The page brings its scripts along. What it asks of other hosts (fonts) is not fetched. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
    "font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** A browser asks for a password when it sees this; the key is the password, any name will do. */
const CHALLENGE = 'Basic realm="Selvage operations", charset="UTF-8", Bearer realm="selvage"';

/** What of a job's data is shown: whose it is and which, not where its image came from. */
const SHOWN = [
  ...['requestId', 'id', 'batchId', 'chunk', 'feedId', 'runId', 'eventId', 'round'],
  ...['operations', 'quality', 'deadlineAtMillis'],
];

const shown = (data: object | undefined): object =>
  Object.fromEntries(Object.entries(data ?? {}).filter(([name]) => SHOWN.includes(name)));

/** A browser sends a key for a page only as a password: `Basic name:key` -> `Bearer key`. */
function asBearer(header: string | undefined): string | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/=]{1,1000}) *$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return header;
  return `Bearer ${Buffer.from(encoded, 'base64').toString('utf8').split(':').slice(1).join(':')}`;
}

function readOnly(queue: Queue): BullMQAdapter {
  const adapter = new BullMQAdapter(queue, { readOnlyMode: true, allowRetries: false });
  adapter.setFormatter('data', shown);
  adapter.setFormatter('returnValue', () => undefined);
  return adapter;
}

/** The board answers faults in its own words, so a refusal is sent here and not thrown. */
function refuse(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  request.passage.problem = problem;
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
 * Shows the queues at `/ops/queues` to whoever has an operator's key, and lets nobody change them.
 * @param lookUp finds the grant of a presented key
 */
export function serveQueueDashboard(
  app: FastifyInstance,
  { lookUp, queues }: { lookUp: LookUp; queues: readonly Queue[] },
): void {
  const adapter = new FastifyAdapter();
  adapter.setBasePath(QUEUE_DASHBOARD_PATH);
  createBullBoard({
    queues: queues.map(readOnly),
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
          request.passage.grant = await authorize(
            asBearer(request.headers.authorization),
            ...([SCOPE, lookUp] as const),
          );
          if (request.method !== 'GET' && request.method !== 'HEAD') {
            throw new Problem('method-not-allowed', 'The board only shows', {
              headers: { allow: 'GET, HEAD' },
            });
          }
        } catch (error) {
          return refuse(request, reply, asProblem(error));
        }
      });
      scope.register(adapter.registerPlugin());
    },
    { prefix: QUEUE_DASHBOARD_PATH },
  );
}
