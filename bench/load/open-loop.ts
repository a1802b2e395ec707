import { z } from 'zod';

/** The response to one request. */
export const TargetResponse = z.object({
  /** 0 if there was no response. */
  status: z.number(),
  /** The header as it was sent, if there was one. */
  retryAfter: z.string().optional(),
});
export type TargetResponse = z.infer<typeof TargetResponse>;

/** One request of an open loop, times in ms. */
export const Sent = TargetResponse.extend({
  /** When it was due, from the start. */
  intendedAt: z.number(),
  /** How much later it was sent: the generator's own delay. */
  lag: z.number(),
  /** From when it was due to the last byte of the response. */
  latency: z.number(),
});
export type Sent = z.infer<typeof Sent>;

/** Sends the n-th request; never rejects. */
export type Send = (n: number) => Promise<TargetResponse>;

/**
 * Sends requests at fixed times, without waiting for responses. A request that was sent late counts from
 * when it was due.
 * @param times ms from now, ascending
 * @param onResponse called for each response as it arrives
 * @returns once the last request is sent; `responses` resolves when all have their response
 */
export async function openLoop(
  times: readonly number[],
  send: Send,
  onResponse: (sent: Sent) => void = () => {},
): Promise<{ responses: Promise<Sent[]> }> {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const pending: Promise<Sent>[] = [];

  async function sendOne(n: number, intendedAt: number): Promise<Sent> {
    const lag = elapsed() - intendedAt;
    const response = await send(n);
    const sent = { ...response, intendedAt, lag, latency: elapsed() - intendedAt };
    onResponse(sent);
    return sent;
  }
  for (const [n, intendedAt] of times.entries()) {
    // Timers fire up to a millisecond early or late: a request due within one is sent.
    while (elapsed() < intendedAt - 1) {
      await new Promise((resolve) => setTimeout(resolve, intendedAt - elapsed()));
    }
    pending.push(sendOne(n, intendedAt));
  }
  return { responses: Promise.all(pending) };
}
