/**
 * Converts rate limit headers to those of remove.bg.
 * @param headers as `limitHeaders` returns them; empty headers convert to none
 * @param nowMillis remove.bg's reset is an instant, ours a number of seconds from now
 */
export function rateHeaders(
  headers: Readonly<Record<string, string>>,
  nowMillis: number,
): Record<string, string> {
  const limit = headers['ratelimit-limit'];
  const remaining = headers['ratelimit-remaining'];
  const resetSeconds = headers['ratelimit-reset'];
  if (!limit || !remaining || !resetSeconds) return {};
  return {
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': String(Math.ceil(nowMillis / 1000) + Number(resetSeconds)),
  };
}
