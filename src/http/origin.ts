import type { FastifyRequest } from 'fastify';
import { Problem } from '../platform/problem.ts';
import { isHost } from './framing.ts';

type Forwarded = Pick<FastifyRequest, 'protocol' | 'host'>;

/**
 * Checks what a trusted proxy says about the request of its client: links are made of it. Headers of others are
 * ignored.
 * @throws Problem invalid-request
 */
export function checkForwarded({ protocol, host }: Forwarded): void {
  if (!/^https?$/i.test(protocol)) {
    throw new Problem('invalid-request', 'X-Forwarded-Proto can only be http or https');
  }
  if (!isHost(host)) {
    throw new Problem('invalid-request', 'X-Forwarded-Host is not a valid host');
  }
}

/** Returns scheme and host by which a client has reached this service, as far as trusted proxies tell. */
export const requestOrigin = ({ protocol, host }: Forwarded): string =>
  new URL(`${protocol}://${host || 'localhost'}`).origin;
