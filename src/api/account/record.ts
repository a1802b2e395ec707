import type { Gateway } from '../../gateway.ts';
import type { Route } from '../../http/route.ts';
import type { AnsweredRequest } from '../../http/server.ts';
import type { Logger } from '../../platform/log.ts';
import { isAudited, keptIds } from './audited.ts';

/** Requests that are being written: beyond, while Redis is slow, further ones are left out. */
const MAX_PENDING = 1000;

/** Pointers are made of the client's own names: those of anything but plain words are left out. */
const PLAIN_POINTER = /^[/?][\w./~-]{0,200}$/;

const nameOf = (method: string, path: string): string =>
  `${method === 'HEAD' ? 'GET' : method} ${path}`;

/** Returns a function that starts to write something. What fails, or is left out, is reported. */
function createWriter(onError: (requestId: string, error: unknown) => void) {
  let pending = 0;
  return (requestId: string, write: () => Promise<unknown>): void => {
    if (pending >= MAX_PENDING) {
      onError(requestId, new Error('Redis is too slow'));
      return;
    }
    pending++;
    write()
      .catch((error) => onError(requestId, error))
      .finally(() => pending--);
  };
}

/** Returns a function that counts and logs each answered request of a client. It neither delays nor fails one. */
export function createRecorder(
  { clientUsage, requestLog, auditLog }: Pick<Gateway, 'clientUsage' | 'requestLog' | 'auditLog'>,
  routes: readonly Route[],
  log: Logger,
): (request: AnsweredRequest) => void {
  const operations = new Map(
    routes.map((route) => [
      nameOf(route.method, route.path),
      { operation: route.operationId, audited: isAudited(route) },
    ]),
  );
  const record = createWriter((requestId, err) =>
    log.debug({ requestId, err }, 'request not recorded'),
  );
  // Apart, so that a flood of other requests takes the place of none.
  const audit = createWriter((requestId, err) =>
    log.warn({ requestId, err }, 'not in the audit log'),
  );
  return (answered) => {
    const { caller, requestId, method, route, status, seconds, problem, pointer, units } = answered;
    const known = operations.get(nameOf(method, route));
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
    record(requestId, () => Promise.all([clientUsage.count(request), requestLog.write(request)]));
    if (known.audited) audit(requestId, () => auditLog.write({ ...done, ...keptIds(answered) }));
  };
}
