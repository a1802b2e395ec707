import type { Gateway } from '../../gateway.ts';
import type { Route } from '../../http/route.ts';
import type { AnsweredRequest } from '../../http/server.ts';
import type { Logger } from '../../platform/log.ts';
import type { GatewayMetrics } from '../../platform/metrics/gateway.ts';

/** Work on single items, thousands a minute, and what changes nothing: their usage is counted. */
const NOT_AUDITED: readonly RegExp[] = [
  /^\/(bg|compat|look|taxonomy)\//,
  /^\/console\/photos$/,
  /^\/intake\/v1\/jobs$/,
  /^\/intake\/v1\/feeds\/inspect$/,
  /^\/intake\/v1\/(batches\/:id\/items|sources\/:id\/events)$/,
];

/** Tells whether it is recorded who did this. */
const isAudited = ({ method, path }: Pick<Route, 'method' | 'path'>): boolean =>
  method !== 'GET' && !NOT_AUDITED.some((each) => each.test(path));

/** Ids and names. A secret that somebody puts in their place is none of them. */
const PLAIN_PARAM = /^(?!slv_|whsec_|access_|eyJ)[\w.~:@ -]{1,64}$/;

const kept = (value: string): string => (PLAIN_PARAM.test(value) ? value : '…');

/** Returns the parameters of a path, and the id of what was made, as they may be kept. */
export const keptIds = ({ params, made }: Pick<AnsweredRequest, 'params' | 'made'>) => ({
  params: Object.fromEntries(Object.entries(params).map(([name, value]) => [name, kept(value)])),
  ...(made !== undefined && { made: kept(made) }),
});

/** Requests that are being written: beyond, while Redis is slow, further ones are left out. */
const MAX_PENDING = 1000;

/** Pointers are made of the client's own names: those of anything but plain words are left out. */
const PLAIN_POINTER = /^[/?][\w./~-]{0,200}$/;

const nameOf = (method: string, path: string): string =>
  `${method === 'HEAD' ? 'GET' : method} ${path}`;

/** Starts to write something for a request. What fails, or is left out, is reported. */
class Writer {
  #pending = 0;
  readonly #onError;

  constructor(onError: (requestId: string, error: unknown) => void) {
    this.#onError = onError;
  }

  write(requestId: string, write: () => Promise<unknown>): void {
    if (this.#pending >= MAX_PENDING) {
      this.#onError(requestId, new Error('Redis is too slow'));
      return;
    }
    this.#pending++;
    write()
      .catch((error) => this.#onError(requestId, error))
      .finally(() => this.#pending--);
  }
}

/** Counts and logs each answered request of a client. It neither delays nor fails one. */
export class RequestRecorder {
  readonly #logs;
  readonly #operations;
  readonly #requests;
  readonly #audits;

  constructor(
    logs: Pick<Gateway, 'clientUsage' | 'requestLog' | 'auditLog'> & {
      metrics: Pick<GatewayMetrics, 'observe'>;
    },
    routes: readonly Route[],
    log: Logger,
  ) {
    this.#logs = logs;
    this.#operations = new Map(
      routes.map((route) => [
        nameOf(route.method, route.path),
        { operation: route.operationId, audited: isAudited(route) },
      ]),
    );
    this.#requests = new Writer((requestId, err) =>
      log.debug({ requestId, err }, 'request not recorded'),
    );
    // Apart, so that a flood of other requests takes the place of none.
    this.#audits = new Writer((requestId, err) =>
      log.warn({ requestId, err }, 'not in the audit log'),
    );
  }

  readonly record = (answered: AnsweredRequest): void => {
    const { caller, requestId, method, route, status, seconds, problem, pointer, units } = answered;
    const { metrics, clientUsage, requestLog, auditLog } = this.#logs;
    metrics.observe(answered);
    const known = this.#operations.get(nameOf(method, route));
    if (!caller || !known) return;
    const { client, keyId, person } = caller;
    const done = {
      ...{ requestId, client, keyId, method, route, operation: known.operation, status },
      ...(person && { person }),
      ...(problem && { problem }),
    };
    const request = {
      ...done,
      ...(pointer && PLAIN_POINTER.test(pointer) && { pointer }),
      millis: Math.round(seconds * 10_000) / 10,
      units,
    };
    this.#requests.write(requestId, () =>
      Promise.all([clientUsage.count(request), requestLog.write(request)]),
    );
    if (!known.audited) return;
    this.#audits.write(requestId, () => auditLog.write({ ...done, ...keptIds(answered) }));
  };
}
