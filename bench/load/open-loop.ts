import { z } from 'zod';

/** How one request was answered. */
export const Answer = z.object({
  /** 0 where no answer came. */
  status: z.number(),
  /** As it was said; nothing where the header was not there. */
  retryAfter: z.string().optional(),
});
export type Answer = z.infer<typeof Answer>;

/** One request of an open loop, times in ms. */
export const Sent = Answer.extend({
  /** When it was to be sent, from the start. */
  intendedAt: z.number(),
  /** How much later it was sent: what the generator is to blame for. */
  lag: z.number(),
  /** From the instant at which it was to be sent to the last byte of its answer. */
  latency: z.number(),
});
export type Sent = z.infer<typeof Sent>;

/** Sends the n-th request; never throws. */
export type Send = (n: number) => Promise<Answer>;

/**
 * Sends requests at their times, whatever became of those before, and waits for no answer. A request that
 * could not be sent in time is late all the same: its latency counts from when it was to be sent.
 * @param times ms from now, rising
 * @param hears of each answer as it comes
 * @returns when the last is sent: what came of each, when all are answered
 */
export async function openLoop(
  times: readonly number[],
  send: Send,
  hears: (sent: Sent) => void = () => {},
): Promise<{ answered: Promise<Sent[]> }> {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const answers: Promise<Sent>[] = [];

  async function one(n: number, intendedAt: number): Promise<Sent> {
    const lag = elapsed() - intendedAt;
    const answer = await send(n);
    const sent = { ...answer, intendedAt, lag, latency: elapsed() - intendedAt };
    hears(sent);
    return sent;
  }
  for (const [n, intendedAt] of times.entries()) {
    // Timers fire up to a millisecond early or late; who is due within one is sent.
    while (elapsed() < intendedAt - 1) {
      await new Promise((resolve) => setTimeout(resolve, intendedAt - elapsed()));
    }
    answers.push(one(n, intendedAt));
  }
  return { answered: Promise.all(answers) };
}
