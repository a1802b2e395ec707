/** remove.bg's headers of the rate limit out of ours; its reset is an instant, in epoch seconds. */
export function rateHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const limit = headers['ratelimit-limit'];
  const remaining = headers['ratelimit-remaining'];
  const resetSeconds = headers['ratelimit-reset'];
  if (!limit || !remaining || !resetSeconds) return {};
  return {
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + Number(resetSeconds)),
  };
}
