import type { Readable } from 'node:stream';
import type { Reply } from '../../http/route.ts';
import { Problem } from '../../platform/problem.ts';

type StreamReply = Reply & { body: Readable };

/** Limits the streamed responses that a client has open at a time, in this process. */
export class ClientLimit {
  readonly #max;
  readonly #detail;
  readonly #open = new Map<string, number>();

  /** @param detail of the error beyond `max` */
  constructor(max: number, detail: string) {
    this.#max = max;
    this.#detail = detail;
  }

  #count(client: string, step: 1 | -1): void {
    const responses = (this.#open.get(client) ?? 0) + step;
    if (responses > 0) this.#open.set(client, responses);
    else this.#open.delete(client);
  }

  /**
   * Returns the response of `respond`, which counts until its body is closed.
   * @throws Problem rate-limit-exceeded; as `respond` throws
   */
  async stream(
    client: string,
    respond: () => StreamReply | Promise<StreamReply>,
  ): Promise<StreamReply> {
    if ((this.#open.get(client) ?? 0) >= this.#max) {
      throw new Problem('rate-limit-exceeded', this.#detail, { headers: { 'retry-after': '2' } });
    }
    this.#count(client, 1);
    try {
      const reply = await respond();
      reply.body.once('close', () => this.#count(client, -1));
      return reply;
    } catch (error) {
      this.#count(client, -1);
      throw error;
    }
  }
}
