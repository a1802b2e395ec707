import type { Gateway } from '../../gateway.ts';
import type { Route } from '../../http/route.ts';
import type { AnsweredRequest } from '../../http/server.ts';
import type { Logger } from '../../platform/log.ts';

/** Requests that are being written: beyond, while Redis is slow, further ones are left out. */
const MAX_PENDING = 1000;

/** Pointers are made of the client's own names: those of anything but plain words are left out. */
const PLAIN_POINTER = /^[/?][\w./~-]{0,200}$/;

const nameOf = (method: string, path: string): string =>
  `${method === 'HEAD' ? 'GET' : method} ${path}`;

/** Returns a function that counts and logs each answered request of a client. It neither delays nor fails one. */
export function createRecorder(
  { clientUsage, requestLog }: Pick<Gateway, 'clientUsage' | 'requestLog'>,
  routes: readonly Route[],
  log: Logger,
): (request: AnsweredRequest) => void {
  const operations = new Map(
    routes.map(({ method, path, operationId }) => [nameOf(method, path), operationId]),
  );
  let pending = 0;
  return ({ caller, requestId, method, route, status, seconds, problem, pointer, units }) => {
    const operation = operations.get(nameOf(method, route));
    if (!caller || !operation || pending >= MAX_PENDING) return;
    const { client, keyId, person } = caller;
    const request = {
      ...{ requestId, client, keyId, method, route, operation, status },
      ...(person && { person }),
      ...(problem && { problem }),
      ...(pointer && PLAIN_POINTER.test(pointer) && { pointer }),
      millis: Math.round(seconds * 10_000) / 10,
      units,
    };
    pending++;
    Promise.all([clientUsage.count(request), requestLog.write(request)])
      .catch((error) => log.debug({ requestId, err: error }, 'request not recorded'))
      .finally(() => pending--);
  };
}
