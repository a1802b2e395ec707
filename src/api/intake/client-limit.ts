import type { Readable } from 'node:stream';
import type { Reply } from '../../http/route.ts';
import { Problem } from '../../platform/problem.ts';

type StreamReply = Reply & { body: Readable };

/**
 * Limits the streamed responses that a client has open at a time, in this process.
 * @param detail of the error beyond `max`
 */
export function createClientLimit(max: number, detail: string) {
  const open = new Map<string, number>();
  const count = (client: string, step: 1 | -1): void => {
    const responses = (open.get(client) ?? 0) + step;
    if (responses > 0) open.set(client, responses);
    else open.delete(client);
  };

  return {
    /**
     * Returns the response of `respond`, which counts until its body is closed.
     * @throws Problem rate-limit-exceeded; as `respond` throws
     */
    async stream(
      client: string,
      respond: () => StreamReply | Promise<StreamReply>,
    ): Promise<StreamReply> {
      if ((open.get(client) ?? 0) >= max) {
        throw new Problem('rate-limit-exceeded', detail, { headers: { 'retry-after': '2' } });
      }
      count(client, 1);
      try {
        const reply = await respond();
        reply.body.once('close', () => count(client, -1));
        return reply;
      } catch (error) {
        count(client, -1);
        throw error;
      }
    },
  };
}
